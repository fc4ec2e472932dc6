import type { Node } from 'jsonc-parser';

/** One thing that is wrong with the config, in words for the operator. Holds no secret. */
export interface Fault {
  /** As it was given on the command line. Undefined where the fault is in no file. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1, in UTF-16 units. */
  readonly column?: number;
  /** `approval.policy`. Empty where it is about the whole file. */
  readonly key: string;
  /** What is expected, what was found, what to do. */
  readonly text: string;
}

/** The config can't be used. The message has one line for each fault, sorted by place. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[], options?: ErrorOptions) {
    super(faults.map(describeFault).join('\n'), options);
    this.faults = faults;
  }
}

/** `config.json:12:5  approval.polcy: unknown key.` */
export function describeFault({ file, line, column, key, text }: Fault): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const subject = key === '' ? text : `${key}: ${text}`;
  return place === '' ? subject : `${place}  ${subject}`;
}

/** Where a value stands: object keys and list indexes from the root. */
export type KeyPath = readonly (string | number)[];

/** A fault that knows its place in the text, not yet its line. */
export interface PlacedFault {
  readonly offset: number;
  readonly path: KeyPath;
  readonly text: string;
}

/** `models["my model"].headers`, `owners[0]` */
export function spellPath(path: KeyPath): string {
  return path.map((segment, index) => spellSegment(segment, index === 0)).join('');
}

/** At most 60 characters: somebody may have pasted anything. */
function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

function spellSegment(segment: string | number, first: boolean): string {
  if (typeof segment === 'number') return `[${segment}]`;
  if (!/^[\w$-]+$/.test(segment)) return `[${JSON.stringify(shorten(segment))}]`;
  return first ? shorten(segment) : `.${shorten(segment)}`;
}

/** What stands in the file, for a message. A value that may be a secret is named by its kind only. */
export function foundValue(node: Node, path: KeyPath): string {
  switch (node.type) {
    case 'object':
      return 'an object';
    case 'array':
      return 'a list';
    case 'null':
      return 'null';
    case 'property':
      return 'a key';
    case 'string':
    case 'number':
    case 'boolean':
      return holdsSecret(path)
        ? `a ${node.type} that is not shown here`
        : shorten(node.type === 'string' ? JSON.stringify(node.value) : String(node.value));
  }
}

/** Whether what stands at this place may be a secret, by the names of the keys above it. */
export function holdsSecret(path: KeyPath): boolean {
  return path.some((segment) => typeof segment === 'string' && secretKey.test(segment));
}

/** At the end of the key only: `max_output_tokens` is none. */
const secretKey = /(token|key|secret|password|passphrase|credentials?|authorization|cookie|headers?)$/i;
