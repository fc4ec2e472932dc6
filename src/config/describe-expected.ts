import type { z } from 'zod';

/** What would have been right. */
export interface Expected {
  /** Goes on after "expected ". */
  readonly text: string;
  /** The words that are allowed, if these are all. */
  readonly options: readonly string[];
  /** What the schema's author says instead. */
  readonly sentence?: string;
}

/** What an issue of zod expects, in the words of the schema's author where there are any. */
export function describeExpected(issue: z.core.$ZodIssue): Expected {
  const own = ownWords(issue);
  if (own?.startsWith('expected ')) return { text: own.slice('expected '.length), options: [] };
  if (own !== undefined) return { text: own, options: [], sentence: /[.!?]$/.test(own) ? own : `${own}.` };
  const options = optionsOf(issue);
  return { text: options.length > 0 ? oneOf(options) : words(issue), options: options.map(String) };
}

/** `"a", "b" or "c"` */
export function oneOf(options: readonly unknown[]): string {
  const quoted = options.map((option) => (typeof option === 'string' ? `"${option}"` : String(option)));
  const last = quoted.at(-1) ?? 'nothing';
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} or ${last}`;
}

/** Undefined if the message is one of zod's own. */
function ownWords({ message }: z.core.$ZodIssue): string | undefined {
  return /^(Invalid |Too |Unrecognized )/.test(message) ? undefined : message;
}

function optionsOf(issue: z.core.$ZodIssue): readonly unknown[] {
  if (issue.code === 'invalid_value') return issue.values;
  return issue.code === 'invalid_union' && 'options' in issue ? (issue.options ?? []) : [];
}

function words(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return kinds.get(issue.expected) ?? `a value of the type ${issue.expected}`;
    case 'too_small':
      return bound(issue.origin, 'at least', Number(issue.minimum));
    case 'too_big':
      return bound(issue.origin, 'at most', Number(issue.maximum));
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return issue.format === 'url'
        ? 'an address such as https://example.com'
        : `text in the form ${issue.pattern ?? issue.format}`;
    case 'custom':
    case 'invalid_value':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'unrecognized_keys':
      return 'another value';
  }
}

function bound(origin: string, side: string, limit: number): string {
  if (origin === 'string')
    return limit === 1 ? 'a string that is not empty' : `a string of ${side} ${limit} characters`;
  if (origin === 'array' || origin === 'set') return `a list of ${side} ${limit} entries`;
  return `a number of ${side} ${limit}`;
}

const kinds: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['null', 'null'],
]);
