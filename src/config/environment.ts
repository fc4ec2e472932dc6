import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { isJsonObject, type JsonValue } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import type { InLanguage } from '../lib/words.ts';
import { ConfigError, type Finding, holdsSecret, type KeyPath } from './config-error.ts';
import { isMark } from './left-out.ts';
import { configWords } from './words.ts';

/** A variable that is not set is undefined. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Throws Node's own errors. */
export type ReadFile = (path: string) => Promise<Uint8Array>;

/**
 * The variables of the process, which override those of the folder's `.env`. An empty variable of the process counts as
 * not set, since containers pass on missing ones like that. The warnings are of lines of the file that set nothing.
 * Throws `ConfigError` if the file exists but can't be read, or is UTF-16.
 */
export async function readEnvironment(folder: string, env: Environment, readFile: ReadFile) {
  const file = envFileOf(folder);
  const bytes = await readIfThere(file, readFile);
  const read = variablesIn(bytes);
  // Of a text with two bytes a character, no name would be found, and nothing would say why.
  if (read === undefined) throw new ConfigError([{ file, key: '', text: (language) => configWords[language].notUtf8 }]);
  const { variables, malformed } = read;
  const fromProcess = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  const environment: Environment = { ...variables, ...Object.fromEntries(fromProcess) };
  return {
    environment,
    malformed,
    warnings: malformed.map(
      ({ line, words }): InLanguage =>
        (language) =>
          `${file}:${line}  ${words(language)}`,
    ),
  };
}

/** What a `.env` sets. */
export interface EnvVariables {
  readonly variables: Environment;
  readonly malformed: readonly MalformedLine[];
}

/** Undefined if it is UTF-16. */
export function variablesIn(bytes: Uint8Array = new Uint8Array()): EnvVariables | undefined {
  if (isWide(bytes)) return undefined;
  const text = new TextDecoder().decode(bytes);
  return { variables: { ...parseEnv(text) }, malformed: lineWarnings(text) };
}

/** Whether a text is UTF-16, as some editors and shells of Windows write it. */
function isWide(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  return bytes.includes(0) || (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** A line of `.env` that sets nothing. */
interface MalformedLine {
  /** From 1. */
  readonly line: number;
  /** Whether it has a quotation mark that is never closed: a value that is added later may end there. */
  readonly isOpen: boolean;
  /** The name that it begins with, if it begins with one. */
  readonly name: string | undefined;
  /** What is wrong with it, and what to do. */
  readonly words: InLanguage;
}

/** Does not quote the line, which may hold a secret. */
function lineWarnings(text: string): readonly MalformedLine[] {
  // A quoted value may have several lines.
  const unquoted = text.replace(
    /^([^\S\n]*(?:export\s+)?[\w.-]+[^\S\n]*=[^\S\n]*)(["'`])([\s\S]*?)\2[^\n]*/gm,
    (_whole, start: string, _mark, value: string) => start + value.replace(/[^\n]+/g, ''),
  );
  return unquoted.split('\n').flatMap((content, index): readonly MalformedLine[] => {
    const line = index + 1;
    const name = /^\s*(?:export\s+)?([A-Za-z_]\w*)/.exec(content)?.[1];
    const [, value] = /^(?:export\s+)?[A-Za-z_][\w.-]*\s*=\s*(.*)$/.exec(content.trim()) ?? [];
    if (value !== undefined)
      return /^["'`]/.test(value)
        ? [{ line, name, isOpen: true, words: (language) => configWords[language].quoteOpen }]
        : [];
    return /^\s*(?:#|$)/.test(content)
      ? []
      : [{ line, name, isOpen: false, words: (language) => configWords[language].setsNothing }];
  });
}

/** The file beside the config that may set variables. */
export function envFileOf(folder: string): string {
  return join(folder, '.env');
}

/** Undefined if the file does not exist. Throws `ConfigError` if it can't be read. */
export async function readIfThere(path: string, readFile: ReadFile): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ENOENT') return undefined;
    const reason = reasons.get(code) ?? { code };
    const text: InLanguage = (language) => configWords[language].unreadable({ reason });
    throw new ConfigError([{ file: path, key: '', text }], { cause: error });
  }
}

const reasons: ReadonlyMap<string, 'denied' | 'folder' | 'not-folder'> = new Map([
  ['EACCES', 'denied'],
  ['EPERM', 'denied'],
  ['EISDIR', 'folder'],
  ['ENOTDIR', 'not-folder'],
]);

/** The config as a value, with `${NAME}` replaced. */
export interface Substitution {
  readonly value: JsonValue;
  /** For redaction: values under secret keys, and values of variables that may be secret. */
  readonly secrets: readonly string[];
  /** Variables that are not set or malformed, and replaced by nothing. */
  readonly unset: readonly Finding[];
}

/** What the variables of a config are replaced from, and where it is told that they may be set. */
interface Variables {
  readonly environment: Environment;
  readonly envFile: string;
  readonly malformed: readonly MalformedLine[];
  readonly secrets: Set<string>;
  readonly unset: Finding[];
}

/**
 * Replaces `${NAME}` in every string; `$${` gives `${`. For messages: `envFile` is the path of `.env`, and `malformed` are
 * its lines that set nothing.
 */
export function substitute(
  written: JsonValue,
  environment: Environment,
  envFile: string,
  malformed: readonly MalformedLine[] = [],
): Substitution {
  const variables: Variables = { environment, envFile, malformed, secrets: new Set(), unset: [] };
  const value = replaced(written, [], variables);
  return { value, secrets: [...variables.secrets], unset: variables.unset };
}

function replaced(part: JsonValue, path: KeyPath, variables: Variables): JsonValue {
  if (typeof part === 'string') return expand(part, path, variables);
  if (Array.isArray(part)) return part.map((item, index) => replaced(item, [...path, index], variables));
  if (!isJsonObject(part)) return part;
  // Entries, not assignment, so that a key "__proto__" stays a key.
  return Object.fromEntries(
    Object.entries(part).map(([key, item]) => [key, replaced(item, [...path, key], variables)]),
  );
}

function expand(text: string, path: KeyPath, variables: Variables): string {
  const { environment, secrets, unset } = variables;
  const isSecret = holdsSecret(path);
  if (isMark(text)) {
    unset.push({ path, text: (language) => configWords[language].leftOut });
    return '';
  }
  const expanded = text.replaceAll(/\$(\$?)\{([^{}]*)(\}?)/g, (found, escaped: string, name: string, end: string) => {
    if (escaped !== '') return found.slice(1);
    // Own members only, so that `${constructor}` finds nothing.
    const value = Object.hasOwn(environment, name) ? (environment[name] ?? '') : '';
    const isName = end !== '' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
    if (isName && value !== '') {
      if (isSecret || mayBeSecret(value)) secrets.add(value);
      return value;
    }
    unset.push({
      path,
      text: isName ? unsetWords(name, variables) : (language) => configWords[language].malformedVariable,
    });
    return '';
  });
  if (isSecret && expanded !== '') secrets.add(expanded);
  return expanded;
}

function unsetWords(name: string, { environment, envFile, malformed }: Variables): InLanguage {
  const line = malformed.find((each) => each.name === name);
  if (line !== undefined)
    return (language) =>
      configWords[language].unsetVariableNamed({ name, at: `${envFile}:${line.line}`, fault: line.words(language) });
  const set = Object.keys(environment).filter((each) => (environment[each] ?? '') !== '');
  const meant = nearest(name, set);
  return (language) => configWords[language].unsetVariable({ name, file: envFile, meant });
}

/** The values of variables whose names look secret, and passwords in addresses of any variable. */
export function secretVariables(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => [
    ...(secretName.test(name) && value.length >= shortestValue && mayBeSecret(value) ? [value] : []),
    ...passwordsIn(value),
    ...(collectorHeaders.test(name) ? headerValuesIn(value) : []),
  ]);
}

/** What an OpenTelemetry collector wants to be sent: `authorization=Bearer%20abc,x-team=ops`. */
const collectorHeaders = /^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?HEADERS$/;

function headerValuesIn(value: string): readonly string[] {
  const values = value.split(',').map((pair) => pair.slice(pair.indexOf('=') + 1).trim());
  const written = values.flatMap((one) => [one, one.replaceAll('%20', ' ')]);
  // Also without the scheme before it.
  return written
    .flatMap((one) => [one, one.replace(/^[A-Za-z]+ +/, '')])
    .filter((one) => one.length >= shortestValue && mayBeSecret(one));
}

/** Whether it may be a secret: not a number, switch, path or plain address. */
export function mayBeSecret(value: string): boolean {
  if (/^(?:true|false|yes|no|on|off|null|none|[-+\d.,:_]+)$/i.test(value)) return false;
  return !isPath(value) && !address.test(value);
}

/**
 * A word of the name ends like this: `OPENAI_API_KEY`, `PGPASSWORD`, `authToken`; not `KEYBOARD` or
 * `TOKENIZERS_PARALLELISM`.
 */
const secretName =
  /(?:key|token|secret|passw(?:or)?d|passphrase|passcode|credential|(?:^|_)(?:pass|pwd|auth|cookie))s?(?:_|$)/i;

/** Shorter values occur in too many texts by chance. */
const shortestValue = 8;

/** Without a user, query or fragment, which may be secret. */
const address = /^[a-z][a-z\d+.-]*:\/\/[^\s/@?#]*(?:\/[\w./-]{0,30})?$/i;

/** `/etc/key.pem`, `~/.ssh`, `./key`, `C:\keys`; a base64 key may begin with a slash too, and is not a path. */
function isPath(value: string): boolean {
  if (!/^(?:~|\.{0,2})(?:\/[\w.@ -]*)+$|^[A-Za-z]:\\/.test(value)) return false;
  return !value
    .split('/')
    .some((name) => name.length >= 16 && /\d/.test(name) && /[a-z]/.test(name) && /[A-Z]/.test(name));
}

function passwordsIn(value: string): readonly string[] {
  const password = /^[a-z][a-z\d+.-]*:\/\/[^\s/:@]*:([^\s/@]{6,})@/i.exec(value)?.[1];
  return password === undefined ? [] : [password];
}
