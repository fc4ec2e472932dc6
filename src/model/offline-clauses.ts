import { type PhraseCall, readErrand } from './offline-errands.ts';
import { after, blankQuotes, readQuoted, trimEndOf, unquote, withoutCourtesy, withoutStop } from './phrase-text.ts';

/** One sentence that was understood. */
export interface Clause extends PhraseCall {
  /** What it takes for its own when no quotes bound it: a command goes on until "then", a text for a file to the end. */
  readonly reach?: 'until-then' | 'to-the-end';
}

/** Reads one sentence as the call of a tool. */
export function readClause(text: string): Clause | undefined {
  // A comma or semicolon before "then" belongs to neither side.
  const clause = withoutCourtesy(trimEndOf(text.trim(), ',; \t\n'));
  return (
    readErrand(clause) ??
    readEcho(clause) ??
    readCommand(clause) ??
    readReplace(clause) ??
    readCreate(clause) ??
    readWrite(clause) ??
    readList(clause) ??
    readRead(clause)
  );
}

function readEcho(clause: string): Clause | undefined {
  const words = after(clause, /^(?:echo|repeat|say)\s/i);
  if (words === undefined) return undefined;
  const message = unquote(words);
  return { name: 'echo', arguments: { message }, ...(message === words ? { reach: 'until-then' } : {}) };
}

function readCommand(clause: string): Clause | undefined {
  const words = after(clause, /^(?:(?:run|execute|exec)\s(?:the\s)?(?:(?:shell )?command\b:?)?|\$\s)/i);
  if (words === undefined || words === '') return undefined;
  const command = unquote(words);
  if (command.trim() === '' || pointsElsewhere.test(words.slice(0, 10))) return undefined;
  if (command !== words) return { name: 'shell', arguments: { command } };
  // A backtick without its partner: nobody can tell where the command was meant to end.
  if (words.split('`').length % 2 === 0) return undefined;
  return { name: 'shell', arguments: { command: withoutFullStop(words) }, reach: 'until-then' };
}

/** "Run it": what was said before is not read. */
const pointsElsewhere = /^(?:it|this|that|them|these|those)[.!?]*$/i;

/** `date.` ends a sentence; `ls .` and `cd ..` do not. */
function withoutFullStop(command: string): string {
  return /[\w"')`][.!]$/.test(command.slice(-2)) ? command.slice(0, -1) : command;
}

function readReplace(clause: string): Clause | undefined {
  const words = after(clause, /^(?:replace|change|substitute)\s/i);
  if (words === undefined) return undefined;
  const blank = blankQuotes(words);
  const middle = / (?:with|by|to) /i.exec(blank);
  const end = Math.max(blank.lastIndexOf(' in '), blank.lastIndexOf(' in the file '));
  if (middle === null || end < middle.index + middle[0].length) return undefined;

  const path = readPath(words.slice(end + ' in '.length));
  const old_text = unquote(words.slice(0, middle.index));
  const new_text = unquote(words.slice(middle.index + middle[0].length, end));
  return path === undefined ? undefined : { name: 'edit_file', arguments: { path, old_text, new_text } };
}

/** `create a file X with Y`, `make an empty file X` */
function readCreate(clause: string): Clause | undefined {
  const words = after(
    clause,
    /^(?:create|make|add|write)\s(?:an?\s|the\s)?(?:new\s|empty\s)?(?:text\s)?file\b(?: (?:called|named))?/i,
  );
  if (words === undefined) return undefined;
  const { head, tail } = splitHead(words);
  const path = readPath(head);
  if (path === undefined) return undefined;
  if (tail === '') return { name: 'write_file', arguments: { path, content: '' } };

  const content = after(
    tail,
    /^(?:(?:with|containing|that (?:says|contains|reads)|saying)\b(?: the)?(?: (?:text|contents?|words?)\b)?:?|:)/i,
  );
  return content === undefined ? undefined : toWrite(path, content);
}

/** `write X: Y`, `write Y to X` */
function readWrite(clause: string): Clause | undefined {
  const words = after(clause, /^(?:write|save|put|store)\s/i);
  if (words === undefined) return undefined;
  const { head, tail } = splitHead(words);
  const named = head.endsWith(':') ? head.slice(0, -1) : tail.startsWith(':') ? head : undefined;
  const first = named === undefined ? undefined : readPath(named);
  if (first !== undefined) return toWrite(first, tail.startsWith(':') ? tail.slice(1) : tail);

  const blank = blankQuotes(words).toLowerCase();
  const places = [' to ', ' into ', ' in '].map((word) => ({ word, at: blank.lastIndexOf(word) }));
  const place = places.reduce((best, other) => (other.at > best.at ? other : best));
  if (place.at < 0) return undefined;
  const path = readPath(words.slice(place.at + place.word.length));
  return path === undefined
    ? undefined
    : { name: 'write_file', arguments: { path, content: unquote(words.slice(0, place.at)) } };
}

/** Where the contents are announced and do not follow, nothing is written: an empty file is asked for by that word. */
function toWrite(path: string, content: string): Clause | undefined {
  if (content.trim() === '') return undefined;
  const text = unquote(content);
  const isQuoted = text !== content.trim();
  return { name: 'write_file', arguments: { path, content: text }, ...(isQuoted ? {} : { reach: 'to-the-end' }) };
}

function readList(clause: string): Clause | undefined {
  const folder =
    after(clause, /^(?:ls|dir)(?=\s|[.!?]|$)/i) ??
    after(
      clause,
      /^(?:list|show|display|print)\s(?:me\s)?(?:all\s)?(?:of\s)?(?:the\s|my\s|your\s)?(?:files|contents|folder|directory|workspace)\b/i,
    ) ??
    after(clause, /^(?:what|which) (?:files|things) (?:are|do (?:you|we|i) have)\b(?: there)?/i) ??
    after(clause, /^what(?:'s| is) (?=(?:there|here|in|inside)\b)(?:there\b)?/i) ??
    after(clause, /^list(?=\s|[.!?]|$)/i);
  if (folder === undefined) return undefined;
  const path = readFolder(folder);
  // "What is in notes.txt" and "show the contents of notes.txt" ask for the text of it.
  if (path === undefined || (!/^(?:list|ls|dir)\b/i.test(clause) && /\.\w{1,5}$/.test(path.slice(-7))))
    return undefined;
  return { name: 'list_dir', arguments: { path } };
}

function readFolder(text: string): string | undefined {
  let rest = withoutStop(after(text.trim(), /^(?:in|of|inside|under|from|at)\b/i) ?? text);
  if (rest.startsWith('-')) return '.';
  rest = after(rest, /^(?:the|my|your|this)\s/i) ?? rest;
  rest = after(rest, /^(?:folder|directory)\s/i) ?? rest;
  if (
    /^(?:|here|there|files?|everything|(?:current |working )?(?:folder|directory)|workspace)$/i.test(rest.slice(0, 30))
  )
    return '.';
  const bare = / (?:folder|directory)$/i.exec(rest.slice(-10));
  return readPath(bare === null ? rest : rest.slice(0, -bare[0].length));
}

function readRead(clause: string): Clause | undefined {
  const sure = after(clause, /^(?:read|cat)\s(?:me\s)?/i);
  const asked = after(clause, /^(?:what(?:'s| is) in(?:side)?|what does)\s/i);
  const vague = after(clause, /^(?:show|open|view|display|print|get)\s(?:me\s)?/i);
  const rest = sure ?? asked ?? vague;
  if (rest === undefined) return undefined;

  const named = after(rest, /^(?:the\s)?(?:contents? of\s)?(?:the\s)?file\b(?: (?:called|named))?/i);
  const bare = named ?? after(rest, /^(?:the\s)?contents? of\s(?:the\s)?/i) ?? after(rest, /^the\s/i) ?? rest;
  const path = readPath(after(clause, /^what does\s/i) === undefined ? bare : withoutSay(bare));
  if (path === undefined) return undefined;
  // "Show me love" is no request for a file; "read love" is.
  const isFile = sure !== undefined || named !== undefined || path !== bare.trim() || /[./]/.test(path);
  return isFile ? { name: 'read_file', arguments: { path } } : undefined;
}

function withoutSay(text: string): string {
  const end = / (?:say|contain)s?\??$/i.exec(text.slice(-10));
  return end === null ? text : text.slice(0, -end[0].length);
}

/** One path: quoted, or one word. */
function readPath(text: string): string | undefined {
  const rest = text.trim();
  const named = after(rest, /^(?:the )?file (?:called |named )?/i) ?? rest;
  const quoted = unquote(named);
  if (quoted !== named) return quoted === '' ? undefined : quoted;
  const path = withoutStop(named);
  return path === '' || /\s/.test(path) ? undefined : path;
}

/** The first word, or what is quoted at the beginning with its quotes, and what follows. */
function splitHead(text: string): { readonly head: string; readonly tail: string } {
  const trimmed = text.trim();
  const quoted = readQuoted(trimmed);
  const length = quoted === undefined ? trimmed.search(/\s/) : trimmed.length - quoted.rest.length;
  if (length < 0) return { head: trimmed, tail: '' };
  return { head: trimmed.slice(0, length), tail: trimmed.slice(length).trim() };
}
