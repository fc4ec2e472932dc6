import type { z } from 'zod';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** A problem at one place of a value. The path of an unknown key includes the key. */
export type Problem =
  | { readonly type: 'unknown-key'; readonly path: Path }
  | { readonly type: 'bad-key' | 'unexpected'; readonly path: Path; readonly expected: Expected };

export interface Expected {
  /** Continues "expected ", unless it is a sentence of the schema's author. */
  readonly text: string;
  /** Sentences to stand behind it. */
  readonly advice?: string | undefined;
  readonly isSentence: boolean;
  /** All allowed words, if there are only these. */
  readonly options: readonly string[];
}

/**
 * The problems in an issue of zod, each with its path, in the words of the schema's author if there are any. A union
 * gives the problems of the member that the value resembles most; if it resembles none, it lists what its members
 * accept.
 */
export function problemsIn(issue: Issue, above: Path = []): readonly Problem[] {
  const path = [...above, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ type: 'unknown-key', path: [...path, key] }));
    case 'invalid_key': {
      const text = issue.issues.map((inner) => withAdvice(expectedBy(inner))).join(', ');
      // Schemas may use sentences of their own.
      return [{ type: 'bad-key', path, expected: { text, isSentence: text.endsWith('.'), options: [] } }];
    }
    case 'invalid_element':
      return issue.issues.flatMap((inner) => problemsIn(inner, path));
    case 'invalid_union':
      return problemsOfUnion(issue, path);
    case 'custom':
    case 'invalid_type':
    case 'invalid_value':
    case 'invalid_format':
    case 'too_small':
    case 'too_big':
    case 'not_multiple_of':
      return [{ type: 'unexpected', path, expected: expectedBy(issue) }];
  }
}

function problemsOfUnion(issue: Extract<Issue, { code: 'invalid_union' }>, path: Path): readonly Problem[] {
  const isOfAll = (inner: Issue): boolean => inner.path.length === 0 && inner.code !== 'unrecognized_keys';
  const [nearest] = issue.errors
    .filter((member) => !member.some(isOfAll))
    .toSorted((one, other) => one.length - other.length);
  if (nearest !== undefined) return nearest.flatMap((inner) => problemsIn(inner, path));
  const texts = issue.errors.flat().flatMap((inner) => (isOfAll(inner) ? expectedBy(inner).text : []));
  const anyOf = { text: [...new Set(texts)].join(' or '), isSentence: false, options: [] };
  return [{ type: 'unexpected', path, expected: texts.length === 0 ? expectedBy(issue) : anyOf }];
}

function expectedBy(issue: Issue): Expected {
  const { message } = issue;
  // zod's own messages begin with these.
  if (!/^(?:Invalid |Too |Unrecognized )/.test(message)) {
    const text = message.replace(/^expected /, '');
    if (text === message) return { text, isSentence: true, options: [] };
    const [, what = text, advice] = /^(.*?)\.(?:\s+(["\p{Lu}].*))?$/su.exec(text) ?? [];
    return { text: what, advice, isSentence: false, options: [] };
  }
  const values = issue.code === 'invalid_value' ? issue.values : 'options' in issue ? (issue.options ?? []) : [];
  return { text: values.length > 0 ? oneOf(values) : words(issue), isSentence: false, options: values.map(String) };
}

/** What is expected, and behind it what the schema's author advises. */
function withAdvice({ text, advice }: Expected): string {
  return advice === undefined ? text : `${text}. ${advice}`;
}

/** `"a", "b" or "c"` */
export function oneOf(options: readonly unknown[]): string {
  const quoted = options.map((option) => (typeof option === 'string' ? `"${option}"` : String(option)));
  const last = quoted.at(-1) ?? 'nothing';
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} or ${last}`;
}

function words(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return kinds.get(issue.expected) ?? `a value of the type ${issue.expected}`;
    case 'too_small':
      return bound(issue, issue.inclusive === false ? 'more than' : 'at least', Number(issue.minimum));
    case 'too_big':
      return bound(issue, issue.inclusive === false ? 'less than' : 'at most', Number(issue.maximum));
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

function bound({ origin }: { readonly origin: string }, side: string, limit: number): string {
  if (origin === 'string')
    return limit === 1 && side === 'at least'
      ? 'a string that is not empty'
      : `a string of ${side} ${limit} characters`;
  if (origin === 'array' || origin === 'set') return `a list of ${side} ${limit} entries`;
  return `a number of ${side} ${limit}`;
}

const kinds: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['tuple', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['null', 'null'],
]);
