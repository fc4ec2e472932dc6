import { isJsonObject, type JsonValue } from '../lib/json.ts';
import { type Language, type Words, wordsIn } from '../lib/words.ts';
import { configWords } from './words.ts';

/** One fault in the config, in words for the operator. Contains no secret. */
export interface Fault {
  /** As given on the command line. Undefined if the fault is in no file. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1, in UTF-16 units. */
  readonly column?: number;
  /** `approval.policy`. Empty for a fault of the whole file. */
  readonly key: string;
  /** What was expected, what was found, what to do. */
  readonly text: Words;
  /** The place of the key, while its line is not known. */
  readonly path?: KeyPath;
}

/** The config is unusable. The message, for logs, has one line per fault, sorted by place. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[], options?: ErrorOptions) {
    super(linesOf(faults, 'en').join('\n'), options);
    this.faults = faults;
  }

  /** The message for a person. */
  in(language: Language): string {
    return linesOf(this.faults, language).join('\n');
  }
}

/** A line per fault. */
export function linesOf(faults: readonly Fault[], language: Language): readonly string[] {
  return faults.map((fault) => describeFault(fault, language));
}

/** `config.json:12:5  approval.polcy: unknown key.` */
function describeFault({ file, line, column, key, text }: Fault, language: Language): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const said = wordsIn(language, text);
  const subject = key === '' ? said : `${key}: ${said}`;
  return place === '' ? subject : `${place}  ${subject}`;
}

/** The place of a value: object keys and list indexes from the root. */
export type KeyPath = readonly (string | number)[];

/** A fault whose line is not known yet. */
export interface Finding {
  readonly path: KeyPath;
  readonly text: Words;
  /** Whether the key itself is wrong, not its value. */
  readonly isKey?: boolean;
}

/** `models["my model"].headers`, `owners[0]` */
export function spellPath(path: KeyPath): string {
  return path.map((segment, index) => spellSegment(segment, index === 0)).join('');
}

/** At most 60 characters, because anything may have been pasted. */
function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

function spellSegment(segment: string | number, first: boolean): string {
  if (typeof segment === 'number') return `[${segment}]`;
  if (!/^[\w$-]+$/.test(segment)) return `[${JSON.stringify(shorten(segment))}]`;
  return first ? shorten(segment) : `.${shorten(segment)}`;
}

/** A value as written, for a message. A possible secret is only named by its type. */
export function foundValue(value: JsonValue, path: KeyPath, language: Language = 'en'): string {
  const say = configWords[language];
  if (Array.isArray(value)) return say.aList;
  if (isJsonObject(value)) return say.anObject;
  if (value !== null && (holdsSecret(path) || isUntold(value, path))) return say.hidden({ type: typeOf(value) });
  return shorten(typeof value === 'string' ? JSON.stringify(value) : String(value));
}

/** Whether it may be secret for another reason than the names of its place. */
function isUntold(value: JsonValue, path: KeyPath): boolean {
  const isOfProgram = path.includes('args') || typeof path[path.indexOf('env') + 1 || path.length] === 'string';
  return (
    isOfProgram ||
    (typeof value === 'string' && /:\/\/[^\s/]*@|[?&][^\s=]+=|(?:token|key|secret|passw\w*)["']?\s*[=:]/i.test(value))
  );
}

function typeOf(value: JsonValue): 'string' | 'number' | 'boolean' {
  if (typeof value === 'string') return 'string';
  return typeof value === 'number' ? 'number' : 'boolean';
}

/** Whether a value here may be secret, judged by the keys in its path. */
export function holdsSecret(path: KeyPath): boolean {
  return path.some((segment) => typeof segment === 'string' && secretKey.test(segment));
}

/** Only at the end of a key: `max_output_tokens` does not match. */
const secretKey = /(token|key|secret|password|passphrase|credentials?|authorization|cookie|headers?)$/i;
