import { posix } from 'node:path';
import { type Assignment, type ParameterExpansionPart, parse, type Word, type WordPart } from 'unbash';
import { braceWords } from './braces.ts';

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
  /** It is not in quotes, and may become several words. */
  readonly splits?: boolean;
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
  return new RegExp(`^${choiceOf(patterns)}$`);
}

function choiceOf(patterns: string): string {
  return `(?:${patterns.trim().split(/\s+/).join('|')})`;
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
  const { value: text, parts = [] } = node;
  if (textOf(parts) !== undefined) return knownWord(text);
  const beginning = knownBeginning(parts);
  const isList = (beginning === '' && parts[0]?.type === 'Glob') || /\[@\]|\$\{?@/.test(text);
  const isFilled = parts.some((part) => isFilledIn(part) && !/^\$\{?[#?]/.test(part.text));
  const isOpen = beginning === '' ? isFilledFirst(parts) : isFilled || beginning.startsWith('-');
  return { text, isKnown: false, beginning, filled: isOpen ? 'open' : undefined, splits: isList || isFilled };
}

/** What is before the first part that is known only at run time. */
function knownBeginning(parts: readonly WordPart[]): string {
  let beginning = '';
  for (const part of parts) {
    const text = textOf([part]);
    if (text === undefined) return beginning + (isInQuotes(part) ? knownBeginning(part.parts) : '');
    beginning += text;
  }
  return beginning;
}

function isFilledFirst(parts: readonly WordPart[]): boolean {
  const first = parts.find((part) => textOf([part]) !== '');
  if (first === undefined) return false;
  if (isInQuotes(first)) return isFilledFirst(first.parts);
  // These hold a path in every environment, never an option.
  return isFilledIn(first) && !/^\$\{?(?:HOME|PWD|OLDPWD|TMPDIR)\}?$/.test(first.text);
}

function isFilledIn({ type }: WordPart): boolean {
  return type === 'SimpleExpansion' || type === 'ParameterExpansion' || type === 'CommandExpansion';
}

function isInQuotes(part: WordPart) {
  return part.type === 'DoubleQuoted' || part.type === 'LocaleString';
}

/**
 * The values that variables may have, as far as the script itself tells, the newest first. None if something else may
 * have set one.
 */
export type Values = ReadonlyMap<string, readonly string[]>;

/**
 * The words that bash makes of one. Expands braces, and fills in variables if the script determines them; the rest stays
 * as written. Of several values of a variable, the first is taken. Never makes a word known: this finds what a rule forbids, and
 * allows nothing.
 */
export function expand(node: Word | Assignment, values: Values): readonly ShellWord[] {
  const texts = braceWords(node.text);
  if (texts === undefined) return [anyWord(node.text)];
  if (texts.length === 1 && texts[0] === node.text) return filledIn(node, values);
  return texts
    .filter((text) => text !== '')
    .flatMap((text) => {
      const word = wordOf(text);
      const fields = word === undefined ? [anyWord(text)] : filledIn(word, values);
      return fields.map((field) => ({ ...field, isKnown: false, beginning: '', filled: field.filled ?? 'worked-out' }));
    });
}

/** A word as bash reads it again after it has expanded braces. */
function wordOf(text: string): Word | Assignment | undefined {
  const [statement, ...more] = parse(`: ${text}`).commands;
  if (statement?.command.type !== 'Command' || more.length > 0) return undefined;
  const { args, redirects } = statement.command;
  return args.length === 1 && redirects.length === 0 ? args[0] : undefined;
}

function filledIn(node: Word | Assignment, values: Values): readonly ShellWord[] {
  const written = writtenWord(node);
  if (written.isKnown || node.type === 'Assignment') return [written];
  const fields = fieldsOf(node.parts ?? [], values);
  if (fields === undefined) return [written];
  const beginning = fields.length === 1 ? written.beginning : '';
  const splits = written.splits === true && fields.some((text) => /[*?[]/.test(text));
  return fields.map((text) => ({ text, isKnown: false, beginning, filled: 'worked-out', splits }));
}

/** The word as the value of a variable, which is not split. */
export function heldWord(node: Word, values: Values): ShellWord {
  const written = writtenWord(node);
  if (written.isKnown) return written;
  const text = textOf(node.parts ?? [], values);
  return text === undefined ? { ...written, filled: 'open' } : { ...written, text, filled: 'worked-out' };
}

/** A text with expansions, such as a here-document. */
export function heldText(text: string, parts: readonly WordPart[], values: Values): ShellWord {
  if (parts.every(({ type }) => type === 'Literal')) return knownWord(text);
  const held = textOf(parts, values);
  return held === undefined ? anyWord(text) : { text: held, isKnown: false, beginning: '', filled: 'worked-out' };
}

function fieldsOf(parts: readonly WordPart[], values: Values): readonly string[] | undefined {
  let fields: readonly string[] = [''];
  for (const part of parts) {
    const text = textOf([part], values);
    if (text === undefined) return undefined;
    // Outside of quotes, blanks in a value separate words.
    const [first = '', ...more] = isFilledIn(part) ? text.split(/[ \t\n]+/) : [text];
    fields = [...fields.slice(0, -1), `${fields.at(-1)}${first}`, ...more];
  }
  // An empty value is no word, unless it is in quotes.
  const hasQuotes = parts.some(({ text }) => /["']/.test(text));
  return fields.filter((field) => hasQuotes || field !== '');
}

/** The parts as one text; undefined if one of them cannot be worked out. Without values, no variable can. */
function textOf(parts: readonly WordPart[], values?: Values): string | undefined {
  let all = '';
  for (const part of parts) {
    const text = textOfPart(part, values);
    if (text === undefined) return undefined;
    all += text;
  }
  return all;
}

function textOfPart(part: WordPart, values: Values | undefined): string | undefined {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString':
      return textOf(part.parts, values);
    case 'SimpleExpansion':
    case 'ParameterExpansion': {
      if (values === undefined) return undefined;
      if (part.type === 'ParameterExpansion' && part.operation !== undefined && part.operation.type !== 'Default')
        return changedText(part, values.get(part.parameter)?.[0]);
      const [, name = '', sign = '', otherwise] = /^\$\{?(\w+)(?:(:?[-=])([\w./-]+))?\}?$/.exec(part.text) ?? [];
      const given = values.get(name);
      const value = given?.[0];
      const isMissing = given === undefined || (value === '' && sign.startsWith(':'));
      return isMissing ? otherwise : value;
    }
    // Where it is still there, braces are text.
    case 'BraceExpansion':
      return /[$`"'\\]/.test(part.text) ? undefined : part.text;
    default:
      return undefined;
  }
}

/** The value as bash changes it; undefined if it is unknown, or the change has patterns or variables. */
function changedText({ prefix, index, operation }: ParameterExpansionPart, value?: string): string | undefined {
  if (value === undefined || prefix !== undefined || index !== undefined) return undefined;
  switch (operation?.type) {
    case 'CaseModification': {
      const change = (text: string) => (operation.operator.startsWith(',') ? text.toLowerCase() : text.toUpperCase());
      if (operation.operand !== undefined) return undefined;
      return operation.operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1);
    }
    case 'Slice': {
      const [from, length = String(value.length)] = [operation.offset.text, operation.length?.text];
      if (!/^\d+$/.test(from) || !/^\d+$/.test(length)) return undefined;
      return value.slice(Number(from), Number(from) + Number(length));
    }
    case 'Replace': {
      const [pattern, replacement] = [operation.pattern.text, operation.replacement.text];
      if (operation.operator.length > 2 || /[/][#%]$/.test(operation.operator)) return undefined;
      if (!/^[\w./-]+$/.test(pattern) || !/^[\w./-]*$/.test(replacement)) return undefined;
      return operation.operator === '//' ? value.replaceAll(pattern, replacement) : value.replace(pattern, replacement);
    }
    default:
      return undefined;
  }
}

/** Whether it is a path of the system or of login files, also relative to a folder that the script has gone to. */
export function isSystemAt({ text }: ShellWord, folders: readonly string[]): boolean {
  if (isSystemPath(text)) return true;
  return !/^[/~$]/.test(text) && folders.some((folder) => isSystemPath(posix.join(folder, text)));
}

/** Whether a text has a path of the system or of login files anywhere, apart from programs. */
export function namesSystemPath(text: string): boolean {
  const paths = text.split(/[\s"'`=()<>|;&{},]+/).filter((word) => /^[/~$.]/.test(word));
  return paths.some((path) => isSystemPath(path) && !/^\/(?:usr\/)?(?:local\/)?s?bin\/[^/]+$/.test(path));
}

/** Without `/opt`, `/srv`, `/root` and `/var/lib`: a workspace may be there. */
const systemFolders = choiceOf(String.raw`etc usr boot dev lib\d* libx32 bin sbin proc sys var/spool/cron`);
const loginFiles =
  choiceOf(String.raw`bashrc bash_profile bash_login bash_logout bash_aliases profile zshrc zshenv zprofile
  zlogin ssh gnupg pam_environment xinitrc xprofile xsession forward rhosts
  config/autostart config/systemd config/fish config/environment\.d`);
const ofSystem = new RegExp(String.raw`^/(?:${systemFolders}(?:/|$)|$)|(?:^|/)\.${loginFiles}(?:/|$)`);

function isSystemPath(text: string): boolean {
  if (isStream(text) || /^\/dev\/(?:shm\/|tcp\/|udp\/)/.test(text)) return false;
  const path = text.startsWith('/') ? posix.normalize(text) : text;
  // A pattern that may match such a folder.
  if (/^\/[^/]*[?*[]/.test(path)) return true;
  return ofSystem.test(path);
}

/** Whether it is a stream of the command itself, or a harmless device such as `/dev/null`. */
export function isStream(path: string): boolean {
  return streams.test(path);
}

const streams = anyOf(String.raw`/dev/null /dev/zero /dev/full /dev/stdin /dev/stdout /dev/stderr /dev/tty /dev/fd/\d+
  /dev/u?random`);
