import { posix } from 'node:path';
import type { Assignment, Word, WordPart } from 'unbash';

export interface ShellWord {
  /** Without quotes and escapes. Expansions are as written, unless they could be worked out. */
  readonly text: string;
  /** Contains no expansion: no variable, pattern, brace list or command substitution. */
  readonly isKnown: boolean;
  /** Its literal beginning. */
  readonly beginning: string;
  /**
   * For a word that is not known. `worked-out`: the script itself determines the expansion, and `text` has it. `open`:
   * a variable or a command substitution may make it anything, even an option or a program's name.
   */
  readonly filled?: 'worked-out' | 'open' | undefined;
}

export function knownWord(text: string): ShellWord {
  return { text, isKnown: true, beginning: text };
}

/** A word that is known only at run time. */
export function anyWord(text: string, beginning = ''): ShellWord {
  return { text, isKnown: false, beginning, filled: 'open' };
}

/** Whether its text is what the shell makes of it. */
export function isTold({ isKnown, filled }: ShellWord): boolean {
  return isKnown || filled === 'worked-out';
}

/** Whether a name is one of these, which are separated by blanks. */
export function isAmong(name: string, names: string): boolean {
  return names.split(' ').includes(name);
}

/** A pattern for a whole name that is one of these patterns, which are separated by blanks. */
export function anyOf(patterns: string): RegExp {
  return new RegExp(`^(?:${patterns.trim().split(/\s+/).join('|')})$`);
}

/** The words joined to one; empty if there are none. */
export function joined(words: readonly ShellWord[]): readonly ShellWord[] {
  if (words.length === 0) return [];
  const isKnown = words.every((word) => word.isKnown);
  const filled = isKnown ? undefined : words.every(isTold) ? 'worked-out' : 'open';
  return [{ text: words.map(({ text }) => text).join(' '), isKnown, beginning: words[0]?.beginning ?? '', filled }];
}

/** The words that are not options, including values of options that are separate words. */
export function operandsOf(words: readonly ShellWord[]): readonly ShellWord[] {
  const end = words.findIndex(({ text }) => text === '--');
  return words.filter(({ text }, at) => (end !== -1 && at > end) || !/^-./.test(text));
}

/** The values of an option, given by its letter, or its long name or an abbreviation of it. */
export function valuesOf(words: readonly ShellWord[], letter: string, ...names: string[]): readonly ShellWord[] {
  const isKnown = words.every((word) => word.isKnown);
  const filled = words.some((word) => word.filled === 'open') ? 'open' : undefined;
  return words.flatMap(({ text }, index) => {
    const [, name, value] = /^(--[^=]+)(?:=(.*))?$/s.exec(text) ?? [];
    const isNamed = name !== undefined && name.length > 2 && names.some((long) => `--${long}`.startsWith(name));
    const at = letter !== '' && /^-[^-]/.test(text) ? text.indexOf(letter, 1) : -1;
    if (!isNamed && at === -1) return [];
    const held = isNamed ? value : text.slice(at + 1) || undefined;
    const found = held ?? words[index + 1]?.text;
    return found === undefined ? [] : [{ text: found, isKnown, beginning: isKnown ? found : '', filled }];
  });
}

export function writtenWord(node: Word | Assignment): ShellWord {
  if (node.type === 'Assignment') {
    // An argument that looks like an assignment is one word too.
    const { name, append, index, value, text } = node;
    if (value.type === 'ArrayValue' || index !== undefined) return { text, isKnown: false, beginning: name };
    const word = writtenWord(value);
    const before = `${name}${append === true ? '+' : ''}=`;
    return { text: before + word.text, isKnown: word.isKnown, beginning: before + word.beginning };
  }
  const { text: beginning, isWhole } = knownBeginning(node.parts ?? []);
  if (node.parts === undefined || isWhole) return knownWord(node.value);
  const isOpen = beginning === '' ? isFilledFirst(node.parts) : beginning.startsWith('-');
  return { text: node.value, isKnown: false, beginning, filled: isOpen ? 'open' : undefined };
}

function knownBeginning(parts: readonly WordPart[]): { readonly text: string; readonly isWhole: boolean } {
  let text = '';
  for (const part of parts) {
    if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') {
      text += part.value;
      continue;
    }
    if (part.type !== 'DoubleQuoted' && part.type !== 'LocaleString') return { text, isWhole: false };
    const quoted = knownBeginning(part.parts);
    text += quoted.text;
    if (!quoted.isWhole) return { text, isWhole: false };
  }
  return { text, isWhole: true };
}

function isFilledFirst(parts: readonly WordPart[]): boolean {
  const first = parts.find(({ text }) => text !== '' && text !== "''" && text !== '""');
  if (first?.type === 'DoubleQuoted' || first?.type === 'LocaleString') return isFilledFirst(first.parts);
  if (first?.type === 'SimpleExpansion' || first?.type === 'ParameterExpansion') {
    // These hold a path in every environment, never an option.
    return !/^\$\{?(?:HOME|PWD|OLDPWD|TMPDIR)\}?$/.test(first.text);
  }
  return first?.type === 'CommandExpansion';
}

/**
 * The values that variables may have, as far as the script itself tells, the newest first. `unknown` if something else
 * may have set one. `@` has the arguments of `set --`, as fields.
 */
export type Values = ReadonlyMap<string, readonly string[] | 'unknown'>;

/** The most words that braces may make of one. */
const mostVariants = 64;

/**
 * The words that the shell makes of one. Fills in variables and brace lists if the script determines them; the rest stays as written. `choice` selects the value of a variable. Never makes a word known: this
 * finds what a rule forbids, and allows nothing.
 */
export function expand(node: Word, values: Values, choice = 0): readonly ShellWord[] {
  const written = writtenWord(node);
  const fields = written.isKnown ? undefined : fieldsOf(node.parts ?? [], values, choice);
  if (fields === undefined) return [written];
  const beginning = fields.length === 1 ? written.beginning : '';
  return fields.map((text) => ({ text, isKnown: false, beginning, filled: 'worked-out' }));
}

/** The text of a word that is not split, as after `a=`; undefined if it cannot be worked out. */
export function heldText(node: Word, values: Values): string | undefined {
  const written = writtenWord(node);
  return written.isKnown ? written.text : textOf(node.parts ?? [], values, 0);
}

interface Piece {
  readonly text: string;
  /** Outside of quotes: blanks in it separate words. */
  readonly splits: boolean;
}

function fieldsOf(parts: readonly WordPart[], values: Values, choice: number): readonly string[] | undefined {
  if (parts.length === 1 && /^"\$(?:@|\{@\})"$/.test(parts[0]?.text ?? '')) {
    const given = values.get('@');
    return given === 'unknown' ? undefined : given;
  }
  let variants: (readonly Piece[])[] = [[]];
  for (const part of parts) {
    const piece = part.type === 'BraceExpansion' ? undefined : pieceOf(part, values, choice);
    const options = part.type === 'BraceExpansion' ? braceOptions(part.text) : piece && [piece];
    if (options === undefined || options.length * variants.length > mostVariants) return undefined;
    variants = variants.flatMap((before) => options.map((option) => [...before, option]));
  }
  return variants.flatMap(split);
}

/** `{a,b}`, without nested braces. */
function braceOptions(text: string): readonly Piece[] | undefined {
  const inner = text.slice(1, -1).replace(/["'\\]/g, '');
  if (!inner.includes(',') || /[{}$`]/.test(inner)) return undefined;
  return inner.split(',').map((option) => ({ text: option, splits: false }));
}

function split(pieces: readonly Piece[]): readonly string[] {
  const fields: string[] = [];
  let current: string | undefined;
  for (const { text, splits } of pieces) {
    const [first = '', ...more] = splits ? text.split(/[ \t\n]+/) : [text];
    if (first !== '' || !splits) current = (current ?? '') + first;
    for (const next of more) {
      if (current !== undefined) fields.push(current);
      current = next === '' ? undefined : next;
    }
  }
  return current === undefined ? fields : [...fields, current];
}

/** The parts as one text; undefined if one of them cannot be worked out. */
function textOf(parts: readonly WordPart[], values: Values, choice: number): string | undefined {
  const pieces = parts.map((part) => pieceOf(part, values, choice));
  return pieces.includes(undefined) ? undefined : pieces.map((piece) => piece?.text).join('');
}

function pieceOf(part: WordPart, values: Values, choice: number): Piece | undefined {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return { text: part.value, splits: false };
    case 'DoubleQuoted':
    case 'LocaleString': {
      const text = textOf(part.parts, values, choice);
      return text === undefined ? undefined : { text, splits: false };
    }
    case 'SimpleExpansion':
      return filledIn(part.text.slice(1), values, choice);
    case 'ParameterExpansion': {
      const { parameter, prefix, index, operation } = part;
      if (prefix !== undefined || index !== undefined) return undefined;
      const value = filledIn(parameter, values, choice);
      if (operation === undefined) return value;
      if (operation.type !== 'Default' || operation.operator.endsWith('+')) return undefined;
      if (value !== undefined || values.get(parameter) === 'unknown') return value;
      const text = operation.operator.endsWith('?') ? undefined : heldText(operation.operand, values);
      return text === undefined ? undefined : { text, splits: true };
    }
    default:
      return undefined;
  }
}

function filledIn(name: string, values: Values, choice: number): Piece | undefined {
  const given = values.get(/^[@*\d]$/.test(name) ? '@' : name);
  if (given === undefined || given === 'unknown') return undefined;
  if (/^[@*]$/.test(name)) return { text: given.join(' '), splits: true };
  const at = /^\d$/.test(name) ? Number(name) - 1 : Math.min(choice, given.length - 1);
  return { text: given[at] ?? '', splits: true };
}

/** Whether it is a path of the system or of login files, also relative to a folder that the script has gone to. */
export function isSystemAt({ text }: ShellWord, folders: readonly string[]): boolean {
  if (isSystemPath(text)) return true;
  return !/^[/~$]/.test(text) && folders.some((folder) => isSystemPath(posix.join(folder, text)));
}

/** Without `/opt`, `/srv`, `/root` and `/var/lib`: a workspace may be there. */
const systemFolder = /^\/(?:(?:etc|usr|boot|dev|lib\d*|libx32|bin|sbin|proc|sys|var\/spool\/cron)(?:\/|$)|$)/;
const loginFile =
  /(?:^|\/)\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|ssh|gnupg|pam_environment|xinitrc|xprofile|xsession|forward|rhosts|config\/(?:autostart|systemd|fish|environment\.d))(?:\/|$)/;

function isSystemPath(text: string): boolean {
  if (isStream(text) || /^\/dev\/(?:shm\/|tcp\/|udp\/)/.test(text)) return false;
  const path = text.startsWith('/') ? posix.normalize(text) : text;
  // A pattern that may match such a folder.
  if (/^\/[^/]*[?*[]/.test(path)) return true;
  return (path.startsWith('/') && systemFolder.test(path)) || loginFile.test(path);
}

/** Whether it is a stream of the command itself, or a harmless device such as `/dev/null`. */
export function isStream(path: string): boolean {
  return /^\/dev\/(?:null|zero|full|stdin|stdout|stderr|tty|fd\/\d+|u?random)$/.test(path);
}
