import { parseEnv } from 'node:util';
import { isJsonObject, type JsonValue, own } from '../../lib/json.ts';
import type { Left } from './findings.ts';
import { firstOf, type Gathering, textOf, wordOf } from './gathering.ts';
import { migrateWords } from './words.ts';

/** The variables that the other program reads. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** What one of them holds; `constructor` is none. */
export function variableOf(variables: Variables, name: string): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

/** Those of its `.env`. */
export async function variablesOf(path: string, gathered: Gathering): Promise<Variables> {
  const text = await textOf(path, gathered);
  return text === undefined ? {} : parseEnv(text);
}

/** A place in a config that may hold a secret. */
export interface SecretPlace {
  readonly gathered: Gathering;
  readonly variables: Variables;
  /** Names it to people. */
  readonly what: string;
  readonly file: string;
}

/**
 * What a value holds: the text, a variable as `${NAME}`, or an object that names one. Undefined if there is none, or if it
 * stands elsewhere (encrypted, in a file, behind a program), which `left` then says.
 */
export function expand(value: JsonValue | undefined, place: SecretPlace): string | undefined {
  const { gathered, variables, what, file } = place;
  const leave = (why: Left['why']): undefined => void gathered.left.push({ what, file, why });
  if (isJsonObject(value)) {
    const id = wordOf(firstOf(value, 'id', 'name'));
    if (own(value, 'source') === 'env' && id !== undefined) return expand(`\${${id}}`, place);
    return leave((language) => migrateWords[language].secretElsewhere);
  }
  const word = wordOf(value);
  if (word === undefined) return undefined;
  if (/^(?:ENC\[|enc2?:|op:\/\/|file:)/.test(word)) return leave((language) => migrateWords[language].secretElsewhere);
  const missing = [...word.matchAll(reference)].map(([, braced, bare]) => braced ?? bare ?? '');
  const unset = missing.find((name) => !variableOf(variables, name));
  if (unset !== undefined) return leave((language) => migrateWords[language].unset({ name: unset }));
  return word.replaceAll(
    reference,
    (_all, braced?: string, bare?: string) => variableOf(variables, braced ?? bare ?? '') ?? '',
  );
}

/** What looks like a variable in a text of the config stays a text. */
export function escaped(text: string): string {
  // As a function, since `$$` in the text of a replacement means `$`.
  return text.replaceAll('${', () => '$${');
}

/** `${NAME}`, or `$NAME` as a whole. */
const reference = /\$\{(?:env:)?([A-Za-z_]\w*)\}|^\$([A-Za-z_]\w*)$/g;

/** Whether a value under this name is one that nobody else should read. */
export function looksSecret(name: string, value: string): boolean {
  if (/^(?:true|false|\d{1,5}|)$/i.test(value)) return false;
  return (
    /key|token|secret|pass(?!ive)|credential|auth|cookie|session|(?:^|[^a-z])(?:pwd?|pat|dsn)(?:[^a-z]|$)/i.test(
      name,
    ) || secretValue.test(value)
  );
}

/** Forms that keys are given in, and passwords in addresses. */
const secretValue =
  /\b(?:sk|pk|rk|gsk|xox[abprs]|xapp|ghp|gho|github_pat|glpat|AKIA|AIza)[-_A-Za-z0-9]{12,}|:\/\/[^/\s:@]+:[^/\s@]+@|^\d+:[\w-]{30,}$/;
