import type { z } from 'zod';
import { schemaTextIn } from './schema-text.ts';
import { valueWords } from './settings/words.ts';
import type { Language } from './words.ts';

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
  /** Whether it is an object or a list. */
  readonly isContainer: boolean;
  /** All allowed words, if there are only these. */
  readonly options: readonly string[];
}

/**
 * The problems in an issue of zod, each with its path, in the words of the schema's author if there are any. A union
 * gives the problems of the member that the value resembles most; if it resembles none, it lists what its members
 * accept. In each language there are as many, of the same places.
 */
export function problemsIn(issue: Issue, language: Language = 'en'): readonly Problem[] {
  return problemsBelow(issue, [], language);
}

function problemsBelow(issue: Issue, above: Path, language: Language): readonly Problem[] {
  const path = [...above, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ type: 'unknown-key', path: [...path, key] }));
    case 'invalid_key': {
      const text = issue.issues.map((inner) => withAdvice(expectedBy(inner, language), language)).join(', ');
      // Schemas may use sentences of their own.
      const isSentence = /[.。]$/.test(text);
      return [{ type: 'bad-key', path, expected: { text, isSentence, isContainer: false, options: [] } }];
    }
    case 'invalid_element':
      return issue.issues.flatMap((inner) => problemsBelow(inner, path, language));
    case 'invalid_union':
      return problemsOfUnion(issue, path, language);
    case 'custom':
    case 'invalid_type':
    case 'invalid_value':
    case 'invalid_format':
    case 'too_small':
    case 'too_big':
    case 'not_multiple_of':
      return [{ type: 'unexpected', path, expected: expectedBy(issue, language) }];
  }
}

function problemsOfUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  path: Path,
  language: Language,
): readonly Problem[] {
  const isOfAll = (inner: Issue): boolean => inner.path.length === 0 && inner.code !== 'unrecognized_keys';
  const [nearest] = issue.errors
    .filter((member) => !member.some(isOfAll))
    .toSorted((one, other) => one.length - other.length);
  if (nearest !== undefined) return nearest.flatMap((inner) => problemsBelow(inner, path, language));
  const accepted = issue.errors.flat().flatMap((inner) => (isOfAll(inner) ? expectedBy(inner, language) : []));
  if (accepted.length === 0) return [{ type: 'unexpected', path, expected: expectedBy(issue, language) }];
  const texts = [...new Set(accepted.map(({ text }) => text))];
  const expected = {
    text: valueWords[language].either({ texts }),
    isSentence: false,
    isContainer: texts.length === 1 && accepted.every(({ isContainer }) => isContainer),
    options: [],
  };
  return [{ type: 'unexpected', path, expected }];
}

/** How an expectation begins, in each language. All else that a schema's author writes is a sentence. */
const beginnings = /^(?:expected |应为\s*)/;

/** What is expected, and what is advised behind it. */
const expectations: Readonly<Record<Language, RegExp>> = {
  en: /^(.*?)\.(?:\s+(["\p{Lu}].*))?$/su,
  zh: /^(.*?)。(.+)?$/su,
};

function expectedBy(issue: Issue, language: Language): Expected {
  const message = schemaTextIn(language, issue.message);
  // zod's own messages begin with these.
  if (!/^(?:Invalid |Too |Unrecognized )/.test(message)) {
    const text = message.replace(beginnings, '');
    if (text === message) return { text, isSentence: true, isContainer: false, options: [] };
    const [, what = text, advice] = expectations[language].exec(text) ?? [];
    return { text: what, advice, isSentence: false, isContainer: false, options: [] };
  }
  const values = issue.code === 'invalid_value' ? issue.values : 'options' in issue ? (issue.options ?? []) : [];
  const text = values.length > 0 ? oneOf(values, language) : words(issue, language);
  const isContainer = issue.code === 'invalid_type' && containers.has(issue.expected);
  return { text, isSentence: false, isContainer, options: values.map(String) };
}

/** What is expected, and behind it what the schema's author advises. */
function withAdvice({ text, advice }: Expected, language: Language): string {
  if (advice === undefined) return text;
  return language === 'zh' ? `${text}。${advice}` : `${text}. ${advice}`;
}

/** `"a", "b" or "c"` */
export function oneOf(options: readonly unknown[], language: Language = 'en'): string {
  const quoted = options.map((option) => (typeof option === 'string' ? `"${option}"` : String(option)));
  const say = valueWords[language];
  return say.oneOf({ others: quoted.slice(0, -1), last: quoted.at(-1) ?? say.nothing });
}

function words(issue: Issue, language: Language): string {
  const say = valueWords[language];
  switch (issue.code) {
    case 'invalid_type': {
      const kind = kinds.get(issue.expected);
      return kind === undefined ? say.ofType({ type: issue.expected }) : say.kinds[kind];
    }
    case 'too_small':
      return say.bound({
        of: measured(issue.origin),
        side: issue.inclusive === false ? 'more than' : 'at least',
        limit: Number(issue.minimum),
      });
    case 'too_big':
      return say.bound({
        of: measured(issue.origin),
        side: issue.inclusive === false ? 'less than' : 'at most',
        limit: Number(issue.maximum),
      });
    case 'not_multiple_of':
      return say.multiple({ of: String(issue.divisor) });
    case 'invalid_format':
      return issue.format === 'url' ? say.address : say.form({ form: issue.pattern ?? issue.format });
    case 'custom':
    case 'invalid_value':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'unrecognized_keys':
      return say.other;
  }
}

function measured(origin: string): 'string' | 'list' | 'number' {
  if (origin === 'array' || origin === 'set') return 'list';
  return origin === 'string' ? 'string' : 'number';
}

const kinds: ReadonlyMap<string, keyof typeof valueWords.en.kinds> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['int', 'int'],
  ['boolean', 'boolean'],
  ['array', 'list'],
  ['tuple', 'list'],
  ['object', 'object'],
  ['record', 'object'],
  ['null', 'null'],
]);

const containers: ReadonlySet<string> = new Set(['array', 'tuple', 'object', 'record']);
