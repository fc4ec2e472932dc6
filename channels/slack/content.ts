import type { Button, OutboundMessage } from '../../src/contract.ts';
import { toCommonMark } from '../../src/lib/model-markdown.ts';
import { shortened } from '../../src/lib/plain-text.ts';
import { beginningOfText, readLine, readLines } from '../../src/lib/split/markdown-lines.ts';
import { onRefusal } from '../kit/request-failure.ts';

/** Slack's limit for a `markdown` block, in characters. All blocks of a message together hold 1,200 more. */
export const longestMarkdown = 12_000;

const mostButtonsInRow = 25;
const longestLabel = 75;

export type Block = Readonly<Record<string, unknown>>;

export interface Content {
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** The markdown as it is sent, in CommonMark: mentions are neutralised, and tables fit Slack's limits. */
export function shownMarkdown(markdown: string): string {
  return neutral(fitTables(spaceEmphasis(toCommonMark(markdown.toWellFormed()))));
}

const cjk = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]|[\ud840-\ud88d]/;

/**
 * Slack reads CommonMark, where stars between Chinese punctuation and Chinese words are no marks, since no space tells
 * words apart. A hair space beside them makes them marks.
 */
function spaceEmphasis(markdown: string): string {
  if (!cjk.test(markdown) || !/[*~]/.test(markdown)) return markdown;
  return readLines(markdown)
    .map(({ start, end, fence, kind }) => {
      const line = markdown.slice(start, end);
      return fence !== undefined || kind === 'opens-fence' ? line : spaceAround(line);
    })
    .join('');
}

/** Code and escapes, which stay; or marks with the words between, which are italic in part where they are bold. */
const emphasis =
  /(`+)[^`\n]+\1|\\.|(?<![*~])(?:(\*\*)(?=[^\s*~])((?:[^*~\n]|\*(?!\*))*[^\s~])\*\*|(\*|\*\*\*|~~)(?=[^\s*~])([^*~\n]*[^\s*~])\4)(?![*~])/g;
const hairSpace = '\u200a';

function spaceAround(line: string): string {
  return line.replace(emphasis, (whole: string, ...found: readonly unknown[]) => {
    const words = [found[2], found[4]].find((one) => typeof one === 'string');
    const at = found[5];
    if (typeof words !== 'string' || typeof at !== 'number') return whole;
    const [before, after] = [lastOf(line.slice(0, at)), firstOf(line.slice(at + whole.length))];
    return lacksSpace(before, firstOf(words)) + whole + lacksSpace(after, lastOf(words));
  });
}

function firstOf(text: string): string {
  return /^./su.exec(text)?.[0] ?? '';
}

function lastOf(text: string): string {
  return /.$/su.exec(text.slice(-2))?.[0] ?? '';
}

/** A space, where CommonMark needs one between a mark inside of which punctuation stands, and the word outside. */
function lacksSpace(outside: string, inside: string): string {
  const isWord = outside !== '' && !/[\s\p{P}\p{S}]/u.test(outside);
  return isWord && /[\p{P}\p{S}]/u.test(inside) && (cjk.test(outside) || cjk.test(inside)) ? hairSpace : '';
}

export function measureMarkdown(markdown: string): number {
  return shownMarkdown(markdown).length;
}

export function contentOf({ markdown, buttons = [] }: OutboundMessage): Content {
  const shown = shownMarkdown(markdown);
  const text = shown.trim() === '' ? '…' : shown;
  return { text: notificationText(text), blocks: [{ type: 'markdown', text }, ...rowsOf(buttons)] };
}

/** The content without formatting, for markdown that Slack refuses. */
function plainContentOf({ markdown, buttons = [] }: OutboundMessage): Content {
  const shown = neutral(markdown.toWellFormed());
  const sections = piecesOf(shown.trim() === '' ? '…' : shown).map((text) => ({
    type: 'section',
    text: { type: 'plain_text', text, emoji: false },
  }));
  return { text: notificationText(shown), blocks: [...sections, ...rowsOf(buttons)] };
}

/** Requests with the message's content, and again without formatting if Slack refuses it. */
export function orPlain<Result>(
  message: OutboundMessage,
  request: (content: Content) => Promise<Result>,
): Promise<Result> {
  const plainly = () => request(plainContentOf(message));
  return request(contentOf(message)).catch(onRefusal(/^invalid_blocks/, plainly));
}

/** Split at line ends where possible. Never within a character; some count twice. */
function piecesOf(text: string): readonly string[] {
  const pieces = text.match(/.{1,1400}(?:\n|$)|.{1,1400}/gsu) ?? [];
  return pieces.filter((piece) => piece.trim() !== '');
}

function rowsOf(rows: readonly (readonly Button[])[]): readonly Block[] {
  const blocks: Block[] = [];
  let order = 0;
  for (const row of rows) {
    const elements = row.map((button) => elementOf(button, order++));
    for (let begin = 0; begin < elements.length; begin += mostButtonsInRow)
      blocks.push({ type: 'actions', elements: elements.slice(begin, begin + mostButtonsInRow) });
  }
  return blocks;
}

/** The value holds the action; the id only distinguishes the buttons of one message, and those that open a form. */
function elementOf({ actionId, label, style, asks }: Button, order: number): Block {
  return {
    type: 'button',
    action_id: `${asks === undefined ? 'press' : 'ask'}:${order}`,
    text: { type: 'plain_text', text: shortened(label, longestLabel) },
    value: asks === undefined ? actionId : JSON.stringify({ id: actionId, asks }),
    style: style === 'plain' ? undefined : style,
  };
}

/** Limits of a Slack table. Larger ones are shown as code. */
const most = { rows: 100, columns: 20, characters: 10_000 } as const;

const delimiterRow = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/;

/** Adapts tables to Slack: empty cells get a space, and oversized tables become code. */
function fitTables(markdown: string): string {
  // Every table has bars, and dashes below its head.
  if (!markdown.includes('|') || !markdown.includes('-')) return markdown;
  const lines = markdown.split('\n');
  const fitted: string[] = [];
  let reading = beginningOfText;
  for (let begin = 0, end = 0; begin < lines.length; begin = Math.max(end, begin + 1)) {
    const line = lines[begin] ?? '';
    reading = readLine(`${line}\n`, reading).next;
    end = reading.fence === undefined ? tableEnd(lines, begin) : begin;
    fitted.push(...(end === begin ? [line] : fitTable(lines.slice(begin, end))));
  }
  return fitted.join('\n');
}

/** The index after the table that starts at this line; `begin` if none does. */
function tableEnd(lines: readonly string[], begin: number): number {
  const [head = '', delimiters = ''] = lines.slice(begin, begin + 2);
  if (!head.includes('|') || !delimiterRow.test(delimiters.trim())) return begin;
  if (cellsIn(head).length !== cellsIn(delimiters).length) return begin;
  let end = begin + 2;
  while ((lines[end] ?? '').includes('|')) end += 1;
  return end;
}

function fitTable(rows: readonly string[]): readonly string[] {
  const characters = rows.reduce((sum, row) => sum + row.length, 0);
  const columns = Math.max(...rows.map((row) => cellsIn(row).length));
  if (rows.length - 1 > most.rows || columns > most.columns || characters > most.characters)
    return ['```', ...rows, '```'];
  return rows.map((row, index) => (index === 1 ? row : filled(row, cellsIn(rows[0] ?? '').length)));
}

function cellsIn(row: string): readonly string[] {
  const cells = row.trim().split(/(?<!\\)\|/);
  return cells.slice(cells[0] === '' ? 1 : 0, cells.at(-1) === '' ? -1 : undefined);
}

/** Adds missing cells, and fills empty ones with a space. */
function filled(row: string, columns: number): string {
  const missing = columns - cellsIn(row).length;
  const closed = missing <= 0 || row.trimEnd().endsWith('|') ? row : `${row} |`;
  return (closed + '|'.repeat(Math.max(0, missing))).replace(/(?<!\\)\|[ \t]*(?=\|)/g, '| ');
}

/** Escapes a text for mrkdwn, without mentions or links. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Limit of `chat.update` with a margin, in bytes. */
const mostBytes = 3_000;

/** The text for notifications and screen readers, without formatting. At most 3,000 bytes. */
function notificationText(markdown: string): string {
  const plain = markdown
    .replace(/^ {0,3}(?:`{3,}|~{3,}).*$/gm, '')
    .replace(/^ {0,3}(?:#{1,6}|>)[ \t]+/gm, '')
    .replace(/!?\[([^[\]\n]*)\]\([^)\s]*\)/g, '$1')
    .replace(/\*\*|__|~~|`/g, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  const escaped = escapeText(plain === '' ? '…' : plain);
  if (Buffer.byteLength(escaped) <= mostBytes) return escaped;
  // An escaped or non-ASCII character takes up to five bytes.
  return escapeText(shortened(plain, mostBytes / 5));
}

/** Word joiner: invisible, and prevents a line break. */
const joiner = '\u2060';

/** A `<` in any of markdown's spellings. */
const opening = '(?:<|&lt;?|&#0*60;?|&#x0*3c;?)';
/** The character after `<` in a mention, in any spelling. */
const sign = '(?:[!@#]|&(?:excl|commat|num);|&#0*(?:33|64|35);?|&#x0*(?:21|40|23);?)';
const suspect = new RegExp(String.raw`(${opening})(\\*)(?=${sign})`, 'gi');

/** What Slack reads as a mention of people or channels, or a date. */
const mention = /^(?:!(?:channel|here|everyone|group|subteam\^|date\^)|@[UWB][A-Z0-9]{2}|#[CGD][A-Z0-9]{2})/i;
/** Enough characters to recognise a mention in its longest spelling. */
const longestHead = 120;

/** A URL, or a call such as `@here` outside an e-mail address. */
const addressOrCall = /https?:\/\/[^\s<>]+|(?<![\w@/.+-])@(?=(?:channel|here|everyone)(?![\w-]|\.\w))/gi;

/**
 * Neutralises mentions: `<!channel>`, `<@U0123ABCD>`, `@here` and the like look the same, with an invisible character
 * inside. Idempotent.
 */
export function neutral(text: string): string {
  // Most texts need none of this.
  const isSuspect = /[<&]/.test(text);
  const marked = isSuspect ? text.replace(suspect, neutralMark) : text;
  if (!marked.includes('@')) return marked;
  return marked.replace(addressOrCall, (found) => (found === '@' ? found + joiner : found));
}

function neutralMark(whole: string, bracket: string, slashes: string, at: number, text: string): string {
  const head = text.slice(at + whole.length, at + whole.length + longestHead);
  return mention.test(plainSpelling(head)) ? `${bracket}${joiner}${slashes}` : whole;
}

const named: Readonly<Record<string, string>> = {
  excl: '!',
  commat: '@',
  num: '#',
  hat: '^',
  lt: '<',
  zwnj: '',
};

function plainSpelling(text: string): string {
  return text
    .replace(/&#x([0-9a-f]{1,6});?/gi, (_, digits: string) => characterOf(Number.parseInt(digits, 16)))
    .replace(/&#(\d{1,7});?/g, (_, digits: string) => characterOf(Number(digits)))
    .replace(/&(\w+);/g, (whole, name: string) => named[name] ?? whole)
    .replaceAll('\\', '');
}

function characterOf(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
