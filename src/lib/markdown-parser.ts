import { createRequire } from 'node:module';
import type { StateBlock, StateCore, StateInline, Token } from 'markdown-it';
import { foldMark, foldPieces } from './folds.ts';
import { type MarkdownBlock, treeOf, trimCode } from './markdown-tree.ts';
import { toCommonMark } from './model-markdown.ts';

/** Parses Markdown as models write it: CommonMark with the GFM extensions, HTML, emphasis beside Chinese punctuation. */
export type Parse = (markdown: string) => readonly MarkdownBlock[];

/** Loads the parser on first use: it takes about 40 ms and 4 MB, and plain text does not need it. */
export function lazyParser(): Parse {
  let parse: Parse | undefined;
  return (markdown) => {
    parse ??= loadParser();
    return parse(markdown);
  };
}

/** Characters, and starts and ends of lines, that may have a meaning in CommonMark or on a platform. */
const meaning =
  /[\\`*_~[\]<>&#|\t\r\0\ufeff]|https?:\/\/[!-~]{0,2000}[^\s!-~]|^ | $|^\s*(?:[-+=]|\d{1,9}[.)])|\n\s*\n\s*\n/m;

/** Not parsed if nothing in it has a meaning, or if that would take too long. */
export function readMarkdown(markdown: string, parse: Parse): readonly MarkdownBlock[] {
  const text = markdown.toWellFormed();
  if (!meaning.test(text)) return [{ type: 'html', value: text }];
  return isUnfit(text) ? readPieces(text, parse) : parse(text);
}

/** What is folded may be what takes too long: the rest is parsed all the same. */
function readPieces(text: string, parse: Parse): readonly MarkdownBlock[] {
  const pieces = foldPieces(text);
  if (pieces.length === 1 && pieces[0]?.title === undefined) return [codeIn(text) ?? { type: 'html', value: text }];
  return pieces.flatMap(({ title, text: words }) => {
    const children = words.trim() === '' ? [] : readMarkdown(words, parse);
    if (title === undefined) return children;
    const [name] = readMarkdown(title, parse);
    return [
      {
        type: 'details',
        title: name !== undefined && name.type === 'paragraph' ? name.children : [{ type: 'text', value: title }],
        children,
      },
    ];
  });
}

/** A text that is one block of code, which needs no parser. */
function codeIn(text: string): MarkdownBlock | undefined {
  const [, marker = '', info = '', value = ''] =
    /^(`{3,}|~{3,})([\w+.#-]{0,32})\n(.*)\n\1\s*$/s.exec(text.trim()) ?? [];
  if (marker === '' || value.split('\n').some((line) => line.trimStart().startsWith(marker))) return undefined;
  return { type: 'code', value: trimCode(value), language: info === '' ? undefined : info };
}

/** In place of a text that shows nothing, which platforms refuse. */
export const placeholder = '…';

export function showsSomething(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/** Synchronous, because texts are measured synchronously. */
function loadParser(): Parse {
  const load = createRequire(import.meta.url);
  const Parser: typeof import('markdown-it').default = load('markdown-it');
  const cjkFriendly: typeof import('markdown-it-cjk-friendly').default = load('markdown-it-cjk-friendly').default;
  const parser = new Parser({ html: true }).use(cjkFriendly);
  // Channels decide which links are allowed.
  parser.validateLink = () => true;
  parser.normalizeLink = (url) => url;
  parser.block.ruler.before('table', 'deep', readDeepBlocks);
  parser.block.ruler.before('reference', 'footnote', readFootnote, { alt: ['paragraph', 'reference', 'blockquote'] });
  parser.inline.ruler.before('link', 'footnote', readFootnoteMark);
  parser.inline.ruler.at('text', readText);
  parser.inline.ruler.before('text', 'address', readAddress);
  parser.inline.ruler.before('emphasis', 'spoiler', readSpoiler);
  parser.core.ruler.after('block', 'cells', keepAllCells);
  parser.core.ruler.after('block', 'folds', markFolds);
  return (markdown) => {
    const written = toCommonMark(markdown, { keepsTags: true });
    return treeOf(parser.parse(written, {}), written);
  };
}

/** No person nests deeper. The parser itself drops blocks nested deeper than 100. */
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

/** `[^a]: A note`, with continuation lines indented by four columns. */
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
  state.env[noteKey(state, label)] = true;
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

/** Under this, a footnote is known to be defined in the text. */
function noteKey({ md }: StateBlock | StateInline, label: string): string {
  return md.utils.normalizeReference(`^${label}`);
}

const noteMark = /\[\^([^\]\s[]{1,100})\]/y;

function readFootnoteMark(state: StateInline, isTrial: boolean): boolean {
  noteMark.lastIndex = state.pos;
  const [mark, label] = noteMark.exec(state.src) ?? [];
  if (mark === undefined || label === undefined) return false;
  if (state.env[noteKey(state, label)] !== true) return false;
  if (!isTrial) state.pending += `[${label}]`;
  state.pos += mark.length;
  return true;
}

const plain = /(?:(?!(?<![a-z])https?:|(?<![^\s(*_~[\]])www\.|(?<!\|)\|\|(?!\|))[^\n!&*<[\\\]_`~])+/iy;

/** Text up to the next possible mark or address. */
function readText(state: StateInline, isTrial: boolean): boolean {
  plain.lastIndex = state.pos;
  const [words] = plain.exec(state.src.slice(0, state.posMax)) ?? [];
  if (words === undefined) return false;
  if (!isTrial) state.pending += words;
  state.pos += words.length;
  return true;
}

const address =
  /(?:(?<![a-z])https?:\/\/|(?<![^\s(*_~[\]])www\.)(?=[^\s!-/:-@[-`{-~])(?:(?!(?:\*{1,3}|~~)[\u2e80-\uffef]|\|\|)[^\s<[\]]|\[[^\s<[\]]*\])+/iy;

/** A bare address; marks in it have no meaning. A mail address cannot contain one, and is text. */
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

/** Without the punctuation of the sentence around it. */
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

/** What begins a spoiler, if the words before the next two bars are such that somebody may want to hide them. */
const spoilerBeginning = /(?<![|\w)\]])\|\|(?=[^\s|])/y;
/** Words, numbers or emoji, but not the norm of a vector, `||x||`, nor the operands of a program. */
const worthHiding = /\p{L}{3}|[\u2e80-\uffef]|\p{Extended_Pictographic}|^[\d.,:%]+$/u;
const longestSpoiler = 4000;

/** `||hidden words||`, with marks and code in it. */
function readSpoiler(state: StateInline, isTrial: boolean): boolean {
  const { src, pos: begin, posMax } = state;
  spoilerBeginning.lastIndex = begin;
  if (!spoilerBeginning.test(src)) return false;
  const end = spoilerEnd(state, begin + 2);
  if (end === undefined || !worthHiding.test(src.slice(begin + 2, end))) return false;
  if (!isTrial) {
    state.posMax = end;
    state.pos = begin + 2;
    state.push('spoiler_open', 'span', 1);
    state.md.inline.tokenize(state);
    state.push('spoiler_close', 'span', -1);
  }
  state.pos = end + 2;
  state.posMax = posMax;
  return true;
}

/** Where the two bars are that end it. Bars in code and behind a backslash end nothing. */
function spoilerEnd(state: StateInline, from: number): number | undefined {
  const { src, pos, posMax } = state;
  const last = Math.min(posMax, from + longestSpoiler);
  let end: number | undefined;
  for (state.pos = from; state.pos < last && end === undefined; ) {
    if (src.startsWith('||', state.pos)) end = state.pos;
    else state.md.inline.skipToken(state);
  }
  state.pos = pos;
  const isEnd = end !== undefined && end > from && end + 2 <= posMax && /\S/.test(src.charAt(end - 1));
  return isEnd && !/[|\w^]/.test(src.charAt((end ?? 0) + 2)) ? end : undefined;
}

/** Makes a quotation at the top that begins with the title of a folded block one. */
function markFolds(state: StateCore): void {
  const { tokens } = state;
  const titles = new Set<Token>();
  for (const [at, token] of tokens.entries()) {
    const [paragraph, words, end] = [tokens[at + 1], tokens[at + 2], tokens[at + 3]];
    if (token.type !== 'blockquote_open' || token.level > 0 || paragraph?.type !== 'paragraph_open') continue;
    const title = words === undefined ? undefined : foldMark.exec(words.content)?.[1];
    if (words === undefined || end === undefined || title === undefined) continue;
    token.type = 'details_open';
    words.content = title;
    titles.add(paragraph).add(end);
  }
  if (titles.size > 0) state.tokens = tokens.filter((token) => !titles.has(token));
}

/** The parser drops cells beyond the columns of the head; this keeps them. */
function keepAllCells(state: StateCore): void {
  const lines = state.src.split('\n');
  let [cells, row] = [0, ''];
  state.tokens = state.tokens.flatMap((token) => {
    if (token.type === 'tr_open') [cells, row] = [0, lines[token.map?.[0] ?? 0] ?? ''];
    if (token.type === 'td_open') cells += 1;
    return token.type === 'tr_close' && cells > 0 ? [...cellsBeyond(state, row, cells), token] : [token];
  });
}

function cellsBeyond(state: StateCore, line: string, count: number): readonly Token[] {
  const row = line.replace(/^[ \t>]*/, '').trim();
  const cells = row.replace(/^\||(?<!\\)\|$/g, '').split(/(?<!\\)\|/);
  return cells.slice(count).flatMap((cell) => {
    const words = new state.Token('inline', '', 0);
    words.content = cell.trim().replaceAll('\\|', '|');
    words.children = [];
    return [new state.Token('td_open', 'td', 1), words, new state.Token('td_close', 'td', -1)];
  });
}

/** No message is longer, and no person nests deeper. */
const longestParsed = 12_288;
const deepNesting = /^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){40}/m;

/**
 * Measured: below this, any text is parsed in about 200 ms. 12,000 characters of the densest lists and links that
 * people write stay below it.
 */
const mostWork = 4_000_000;

/**
 * Whether parsing would block the process: some texts take time quadratic in their length, though what people write
 * does not. Such texts are shown as typed.
 */
export function isUnfit(source: string): boolean {
  if (source.length > longestParsed || deepNesting.test(source)) return true;
  return inlineWork(source) + blockWork(source) > mostWork;
}

/** An underscore within a word closes nothing. */
const emphasisMarks = /\*+|~+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}_])/gu;
const closingBrackets = /\]/g;
const lightMarks = /[[>|!\r\n\t_]/g;
const heavyMarks = /[\\`<&@:]|www\./gi;

/** A blank line, or the first line of a list item. */
const paragraphEnd = /\n(?:[ \t\r]*\n| {0,3}[-+*] +(?=\S))/;

/** At each mark that may close an emphasis or link, and less at others, the parser looks back in the paragraph. */
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

/** The parser consumes a short run of marks at once, and a long one step by step. */
function weigh(text: string, marks: RegExp): number {
  let weight = 0;
  for (const [run] of text.matchAll(marks)) weight += run.length <= 3 ? 1 : run.length;
  return weight;
}

const lineBeginnings = /^(?:[ \t]*(?:>|[-=]+(?=\s|$)|[+*](?=\s|$)|\d{1,9}[.)](?=\s|$)))+/gm;

/** For each line, and more for each quote, list item and underline, the parser rescans what came before. */
function blockWork(source: string): number {
  const lines = source.split(/\r\n?|\n/).length;
  let markers = 0;
  for (const [beginning] of source.matchAll(lineBeginnings)) markers += beginning.match(/[>+*.)]|[-=]+/g)?.length ?? 0;
  return lines * lines + 10 * markers * markers;
}
