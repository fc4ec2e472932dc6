import { createRequire } from 'node:module';
import type { MarkdownIt, StateBlock, StateInline, Token } from 'markdown-it';
import { type MarkdownNode, treeOf } from './markdown-tree.ts';

/** Parses CommonMark with what GFM adds to it. */
export type Parse = (markdown: string) => readonly MarkdownNode[];

/** A parser that loads when it is first used: it takes some 40 ms and 4 MB, and plain text has no need of it. */
export function lazyParser(): Parse {
  let parse: Parse | undefined;
  return (markdown) => {
    parse ??= loadParser();
    return parse(markdown);
  };
}

/** At once, since a text has to be measured at once. */
function loadParser(): Parse {
  const load = createRequire(import.meta.url);
  const Parser: typeof import('markdown-it').default = load('markdown-it');
  const parser = new Parser({ html: true });
  // The channels decide what may be a link.
  parser.validateLink = () => true;
  parser.normalizeLink = (url) => url;
  parser.block.ruler.before('table', 'deep', readDeepBlocks);
  parser.block.ruler.before('reference', 'footnote', readFootnote, { alt: ['paragraph', 'reference', 'blockquote'] });
  parser.inline.ruler.before('link', 'footnote', readFootnoteMark);
  parser.inline.ruler.at('text', readText);
  parser.inline.ruler.before('text', 'address', readAddress);
  keepAllCells(parser);
  return (markdown) => treeOf(parser.parse(markdown, {}), markdown);
}

/** Nesting that no person writes. The parser itself leaves out what is nested deeper than 100. */
const deepestBlocks = 90;

function readDeepBlocks(state: StateBlock, startLine: number, endLine: number): boolean {
  if (state.level < deepestBlocks) return false;
  let line = startLine + 1;
  while (line < endLine && (state.isEmpty(line) || (state.sCount[line] ?? 0) >= state.blkIndent)) line += 1;
  const token = state.push('html_block', '', 0);
  token.content = state.getLines(startLine, line, state.blkIndent, false);
  token.map = [startLine, line];
  state.line = line;
  return true;
}

/** `[^a]: A note`, with lines that belong to it four columns further in. */
function readFootnote(state: StateBlock, startLine: number, endLine: number, isTrial: boolean): boolean {
  const { bMarks, tShift, sCount, blkIndent, parentType } = state;
  const [begin = 0, shift = 0, column = 0] = [bMarks[startLine], tShift[startLine], sCount[startLine]];
  if (column - blkIndent >= 4) return false;
  const line = state.src.slice(begin + shift, state.eMarks[startLine]);
  const [mark, label] = /^\[\^([^\]\s[]{1,100})\]:[ \t]*/.exec(line) ?? [];
  if (mark === undefined || label === undefined) return false;
  if (isTrial) return true;

  const opening = state.push('footnote_open', '', 1);
  opening.info = label;
  opening.map = [startLine, startLine + 1];
  notesOf(state.env).add(state.md.utils.normalizeReference(label));
  bMarks[startLine] = begin + shift + mark.length;
  tShift[startLine] = 0;
  state.blkIndent = blkIndent + 4;
  sCount[startLine] = state.blkIndent;
  state.parentType = 'footnote';
  state.md.block.tokenize(state, startLine, endLine);
  bMarks[startLine] = begin;
  tShift[startLine] = shift;
  sCount[startLine] = column;
  state.blkIndent = blkIndent;
  state.parentType = parentType;
  state.push('footnote_close', '', -1);
  return true;
}

/** The footnotes that the text has. */
function notesOf(env: StateBlock['env']): Set<unknown> {
  const { notes } = env;
  if (notes instanceof Set) return notes;
  const none = new Set();
  env.notes = none;
  return none;
}

const noteMark = /\[\^([^\]\s[]{1,100})\]/y;

function readFootnoteMark(state: StateInline, isTrial: boolean): boolean {
  noteMark.lastIndex = state.pos;
  const [mark, label] = noteMark.exec(state.src) ?? [];
  if (mark === undefined || label === undefined) return false;
  if (!notesOf(state.env).has(state.md.utils.normalizeReference(label))) return false;
  if (!isTrial) state.pending += `[${label}]`;
  state.pos += mark.length;
  return true;
}

const plain = /(?:(?!(?<![a-z])https?:|(?<![^\s(*_~[\]])www\.)[^\n!&*<[\\\]_`~])+/iy;

/** Text up to what may mean something, or an address. */
function readText(state: StateInline, isTrial: boolean): boolean {
  plain.lastIndex = state.pos;
  const [words] = plain.exec(state.src.slice(0, state.posMax)) ?? [];
  if (words === undefined) return false;
  if (!isTrial) state.pending += words;
  state.pos += words.length;
  return true;
}

const address = /(?:(?<![a-z])https?:\/\/|(?<![^\s(*_~[\]])www\.)(?=[^\s!-/:-@[-`{-~])(?:[^\s<[\]]|\[[^\s<[\]]*\])+/iy;

/** An address with nothing around it: no mark in it means anything. A mail's cannot hold one, and is text. */
function readAddress(state: StateInline, isTrial: boolean): boolean {
  if (state.linkLevel > 0) return false;
  address.lastIndex = state.pos;
  const [found] = address.exec(state.src) ?? [];
  if (found === undefined) return false;
  const url = withoutPunctuation(found);
  state.pos += url.length;
  if (isTrial) return true;
  state.push('link_open', 'a', 1).attrSet('href', /^www/i.test(url) ? `http://${url}` : url);
  state.push('text', '', 0).content = url;
  state.push('link_close', 'a', -1);
  return true;
}

/** Without what belongs to the sentence around it. */
function withoutPunctuation(found: string): string {
  let open = found.split('(').length - found.split(')').length;
  let end = found.length;
  for (; end > 0; end -= 1) {
    const last = found.charAt(end - 1);
    if (last === ')' ? open >= 0 : !'?!.,:;*_~\'"'.includes(last)) break;
    if (last === ')') open += 1;
  }
  return found.slice(0, end);
}

/** The parser leaves out the cells of a row that go beyond the head; nothing of what was written may be missing. */
function keepAllCells(parser: MarkdownIt): void {
  const { ruler } = parser.block;
  const readTable = ruler.__rules__.find(({ name }) => name === 'table')?.fn;
  if (readTable === undefined) return;
  const read: typeof readTable = (state, startLine, endLine, isTrial) => {
    const before = state.tokens.length;
    if (!readTable(state, startLine, endLine, isTrial)) return false;
    if (isTrial) return true;
    let cells = 0;
    let line = startLine;
    const made = state.tokens.splice(before);
    for (const token of made) {
      if (token.type === 'tr_open') [cells, line] = [0, token.map?.[0] ?? startLine];
      if (token.type === 'td_open') cells += 1;
      if (token.type === 'tr_close' && cells > 0)
        for (const beyond of cellsBeyond(state, line, cells)) state.tokens.push(beyond);
      state.tokens.push(token);
    }
    return true;
  };
  ruler.at('table', read, { alt: ['paragraph', 'reference'] });
}

function cellsBeyond(state: StateBlock, line: number, count: number): Token[] {
  const begin = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  const row = state.src.slice(begin, state.eMarks[line]).trim();
  const cells = row.replace(/^\||(?<!\\)\|$/g, '').split(/(?<!\\)\|/);
  return cells.slice(count).flatMap((cell) => {
    const words = new state.Token('inline', '', 0);
    words.content = cell.trim().replaceAll('\\|', '|');
    words.children = [];
    return [new state.Token('td_open', 'td', 1), words, new state.Token('td_close', 'td', -1)];
  });
}

/** No message is that long, and no person nests that deep. */
const longestParsed = 12_288;
const deepNesting = /^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){40}/m;

/**
 * Measured: what stays below it is parsed in some 200 ms, whatever it is. 12 000 characters of the densest lists
 * and links that people write stay below it, too.
 */
const mostWork = 4_000_000;

/**
 * Whether the parser would hold everything else up. With what people write it is quick, but there are texts for which it
 * takes time that grows with the square of their length. They are to be shown as they were typed.
 */
export function isUnfit(source: string): boolean {
  if (source.length > longestParsed || deepNesting.test(source)) return true;
  return inlineWork(source) + blockWork(source) > mostWork;
}

/** An underscore within a word ends nothing. */
const emphasisMarks = /\*+|~+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}_])/gu;
const closingBrackets = /\]/g;
const lightMarks = /[[>|!\r\n\t_]/g;
const heavyMarks = /[\\`<&@:]|www\./gi;

/** An empty line, or one with which a list item begins. */
const paragraphEnd = /\n(?:[ \t\r]*\n| {0,3}[-+*] +(?=\S))/;

/** From whatever may end an emphasis or a link, and less so from others, the parser looks back in the paragraph. */
function inlineWork(source: string): number {
  let work = 0;
  for (const paragraph of source.split(paragraphEnd)) {
    const ends = weigh(paragraph, emphasisMarks) + 2 * weigh(paragraph, closingBrackets);
    const light = weigh(paragraph, lightMarks);
    const heavy = weigh(paragraph, heavyMarks);
    work += ends * (ends + light + 4 * heavy) + (light + 2 * heavy) ** 2 / 4;
  }
  return work;
}

/** A short run of marks is used up at once; a long one is taken apart step by step. */
function weigh(text: string, marks: RegExp): number {
  let weight = 0;
  for (const [run] of text.matchAll(marks)) weight += run.length <= 3 ? 1 : run.length;
  return weight;
}

const lineBeginnings = /^(?:[ \t]*(?:>|[-=]+(?=\s|$)|[+*](?=\s|$)|\d{1,9}[.)](?=\s|$)))+/gm;

/** With every line, and more so with every quote, list item and underline, the parser goes through what came before. */
function blockWork(source: string): number {
  const lines = source.split(/\r\n?|\n/).length;
  let markers = 0;
  for (const [beginning] of source.matchAll(lineBeginnings)) markers += beginning.match(/[>+*.)]|[-=]+/g)?.length ?? 0;
  return lines * lines + 10 * markers * markers;
}
