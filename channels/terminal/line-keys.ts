import type { Interface, Key } from 'node:readline';
import type { Completion } from './completion.ts';
import type { History } from './history.ts';
import { breakMark } from './pastes.ts';

/** Terminals that tell a shifted Enter apart send one of these. */
const shiftedEnters: readonly string[] = ['\u001b[13;2u', '\u001b[27;2;13~'];

/** What is being typed, besides the line that readline edits. */
export interface Typing {
  /** The finished lines above it, of the same message. */
  earlier: readonly string[];
  /** Where the line comes from in the history; -1 if it was typed. */
  position: number;
  /** What was typed before lines of the history took its place. */
  draft: string;
  search: Search | undefined;
}

interface Search {
  readonly query: string;
  readonly isFound: boolean;
  /** The line before. */
  readonly before: string;
}

export function newTyping(): Typing {
  return { earlier: [], position: -1, draft: '', search: undefined };
}

export interface LineKeys {
  readonly reader: Interface;
  readonly typing: Typing;
  readonly history: History;
  /** Draws prompt and line again. */
  redraw(): void;
  complete(before: string): Promise<Completion>;
  /** Shows what may follow. */
  list(options: readonly string[]): void;
}

/** Keys that readline does not know, or knows for one line only. True if the key is done. */
export function takeLineKey(text: string | undefined, key: Key, keys: LineKeys): boolean {
  const { typing, reader } = keys;
  const name = nameOf(key);
  if (typing.search !== undefined) return takeSearchKey(text, name, keys);
  if (name !== 'up' && name !== 'down') typing.position = -1;
  const { earlier } = typing;
  switch (name) {
    case 'ctrl-r':
      typing.search = { query: '', isFound: true, before: reader.line };
      keys.redraw();
      return true;
    case 'up':
    case 'down':
      if (earlier.length === 0) recall(name, keys);
      return true;
    case 'tab':
      void completeLine(keys);
      return true;
    case 'newline':
      return breakLine(keys);
    case 'return':
      return reader.line.endsWith('\\') && reader.cursor === reader.line.length && continueLine(keys);
    case 'backspace':
      return reader.cursor === 0 && earlier.length > 0 && joinLines(keys);
    case 'ctrl-d':
      // It would end Keyturn.
      return reader.line === '' && earlier.length > 0;
    default:
      return false;
  }
}

function nameOf({ name, ctrl, meta, shift, sequence }: Key): string | undefined {
  if (shiftedEnters.includes(sequence ?? '')) return 'newline';
  if (name === 'enter' || (name === 'return' && (meta === true || shift === true))) return 'newline';
  if (ctrl === true && (name === 'p' || name === 'n')) return name === 'p' ? 'up' : 'down';
  if (ctrl === true) return `ctrl-${name}`;
  return meta === true || (shift === true && name === 'tab') ? undefined : name;
}

/** Lines that begin with what was typed, as ↑ and ↓ of shells find them. */
function recall(way: 'up' | 'down', keys: LineKeys): void {
  const { typing, history, reader } = keys;
  if (typing.position === -1) typing.draft = reader.line;
  const step = way === 'up' ? 1 : -1;
  let at = typing.position + step;
  while (history.lines[at] !== undefined && !history.lines[at]?.startsWith(typing.draft)) at += step;
  const line = at < 0 ? typing.draft : history.lines[at];
  if (line === undefined || (at < 0 && typing.position === -1)) return;
  typing.position = Math.max(-1, at);
  setLine(line, keys);
}

/** A letter narrows the search; a key that means something else ends it, and does what it does. */
function takeSearchKey(text: string | undefined, name: string | undefined, keys: LineKeys): boolean {
  const { typing } = keys;
  const { search } = typing;
  if (search === undefined) return false;
  if (name === 'ctrl-r') find(search.query, typing.position + 1, keys);
  else if (name === 'backspace') find([...search.query].slice(0, -1).join(''), 0, keys);
  else if (name === 'escape' || name === 'ctrl-g' || name === 'ctrl-c') {
    typing.search = undefined;
    typing.position = -1;
    setLine(search.before, keys);
  } else if (text !== undefined && /^\P{Cc}+$/u.test(text)) find(search.query + text, 0, keys);
  else {
    typing.search = undefined;
    keys.redraw();
    return false;
  }
  return true;
}

function find(query: string, from: number, keys: LineKeys): void {
  const { typing, history } = keys;
  const wanted = query.toLowerCase();
  const at = history.lines.findIndex((line, index) => index >= from && line.toLowerCase().includes(wanted));
  const isFound = query === '' || at >= 0;
  typing.search = { query, isFound, before: typing.search?.before ?? '' };
  if (query === '' || !isFound) {
    keys.redraw();
    return;
  }
  typing.position = at;
  setLine(history.lines[at] ?? '', keys);
}

/** The part after the cursor becomes the next line. */
function breakLine(keys: LineKeys): true {
  const { typing, reader } = keys;
  const { line, cursor } = reader;
  if (line === '' && typing.earlier.length === 0) return true;
  typing.earlier = [...typing.earlier, line.slice(0, cursor)];
  setLine(line.slice(cursor), keys);
  reader.write(null, { ctrl: true, name: 'a' });
  return true;
}

/** As in a shell: a backslash at the end says that the line goes on. */
function continueLine(keys: LineKeys): true {
  keys.reader.write(null, { name: 'backspace' });
  return breakLine(keys);
}

function joinLines(keys: LineKeys): true {
  const { typing, reader } = keys;
  const rest = reader.line;
  const last = typing.earlier.at(-1) ?? '';
  typing.earlier = typing.earlier.slice(0, -1);
  setLine(last + rest, keys);
  for (const _character of rest) reader.write(null, { name: 'left' });
  return true;
}

/** Completes the word before the cursor as far as it is certain, or shows what may follow. */
async function completeLine(keys: LineKeys): Promise<void> {
  const { reader, typing } = keys;
  const { line, cursor } = reader;
  const before = line.slice(0, cursor);
  const { word, options } = await keys.complete(typing.earlier.length === 0 ? before : ` ${before}`);
  // It was typed on meanwhile.
  if (reader.line !== line || reader.cursor !== cursor) return;
  const rest = commonBeginning(options).slice(word.length);
  if (rest !== '') reader.write(rest);
  else if (options.length > 1) keys.list(options);
}

function commonBeginning([first = '', ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}

/** Puts a text in the place of the line, with the cursor at its end. */
function setLine(text: string, { reader, redraw }: LineKeys): void {
  clearLine(reader);
  if (text !== '') reader.write(text.replaceAll('\n', breakMark));
  redraw();
}

export function clearLine(reader: Interface): void {
  reader.write(null, { ctrl: true, name: 'e' });
  reader.write(null, { ctrl: true, name: 'u' });
}
