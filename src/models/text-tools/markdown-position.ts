import { beginningOfText, readLine } from '../../lib/split/markdown-lines.ts';

/** Where a streamed text has come to, for who asks whether a call may begin there. */
export interface MarkdownPosition {
  /** `line`: on a line of its own · `sentence`: behind a sentence, or words that lead to a call · `none`: no call begins here. */
  place(): 'line' | 'sentence' | 'none';
  /** Within an item of a list. */
  isNested(): boolean;
  /** What the text has said last, at most a paragraph. Empty: nothing yet. */
  lastWords(): string;
  take(text: string): void;
  /** A call has ended: the text after it counts as the start of a line. */
  takeCall(): void;
}

/**
 * Tracks whether a call may begin at the end of a streamed text: at the start of a line or behind a sentence, outside fences,
 * inline code, quotes with the lines that lazily continue them, list markers, tables, indented code, and elements of HTML that
 * show what they hold. Where Markdown is ambiguous, it may not. Reads each character a bounded number of times.
 */
export function markdownPosition(): MarkdownPosition {
  let reading = beginningOfText;
  let line = '';
  /** The length of the backtick run that opened inline code in the paragraph; 0 if none is open. */
  let openCode = 0;
  /** After a line that may be a fence or not: from there on it is unknown what is code. */
  let isDoubtful = false;
  /** The line before was a quote, or continued one without its sign. */
  let isQuoted = false;
  /** The line before ended in a quotation mark that opens. */
  let isCited = false;
  let elements: readonly string[] = [];
  let tail = '';

  function place(): 'line' | 'sentence' | 'none' {
    const isFree = reading.fence === undefined && !isDoubtful && !isQuoted && elements.length === 0;
    if (!isFree || line.length > longestLine) return 'none';
    if (line.length < 4 && /^ *$/.test(line)) return openCode === 0 && !isCited ? 'line' : 'none';
    if (!isProse.test(line) || !endsSentence.test(line)) return 'none';
    return codeOpenBehind(line, openCode) === 0 && elementsBehind(line, []).length === 0 ? 'sentence' : 'none';
  }

  function take(text: string): void {
    tail = text.length >= longestTail ? text.slice(-longestTail) : (tail + text).slice(-longestTail);
    for (const piece of text.split(/(?<=\n)/)) {
      line += piece;
      if (piece.endsWith('\n')) endLine();
    }
  }

  function endLine(): void {
    const { next } = readLine(line, reading);
    const isFence = next.fence !== undefined || (reading.fence !== undefined && next.last === 'closes-fence');
    isDoubtful ||= !isFence && likeFence.test(line);
    if (!isFence) elements = elementsBehind(line.replace(/(`+)[^`]{0,400}\1/g, ''), elements);
    const continues = isQuoted && next.last === 'text' && next.containers.length === 0;
    isQuoted = !isFence && next.last !== 'blank' && (next.containers.includes('quote') || continues);
    isCited = opensQuotation.test(line);
    openCode = isFence || next.last === 'blank' ? 0 : codeOpenBehind(line, openCode);
    reading = next;
    line = '';
  }

  function takeCall(): void {
    line = '';
    isCited = false;
  }

  function lastWords(): string {
    return (
      tail
        .trim()
        .split(/\n\s*\n/)
        .at(-1) ?? ''
    );
  }

  const isNested = (): boolean => line !== '' && reading.containers.length > 0;
  return { place, isNested, lastWords, take, takeCall };
}

const longestLine = 2000;
const longestTail = 400;

/** Indented too far for a fence, but perhaps meant as one. */
const likeFence = /^\s*(?:(?:[-*+]|\d+[.)])\s+)*(?:`{3,}[^`]*|~{3,}.*)$/s;

/** No quote, list, table, heading or indented code. */
const isProse = /^ {0,3}(?![\s>#|+]|[-*] |\d+[.)] |\[\^)[^|]*$/;
const endsSentence = /[.!?…。！？:：)）>\]}*_]\s{0,2}$/;
const opensQuotation = /(?:^|[\s:：(])["'“‘「『«„]\s*$/;

function codeOpenBehind(line: string, before: number): number {
  let open = before;
  const marks = /\\.|`+/gs;
  for (let mark = marks.exec(line); mark !== null; mark = marks.exec(line)) {
    const [{ length }] = mark;
    const isEscape = mark[0].startsWith('\\');
    // A backslash in code is literal.
    if (isEscape && open > 0) marks.lastIndex = mark.index + 1;
    else if (!isEscape && open === 0) open = length;
    else if (open === length) open = 0;
  }
  return open;
}

/** The elements that are open behind a line, of those that show their content as it is. */
function elementsBehind(line: string, before: readonly string[]): readonly string[] {
  const open = [...before];
  for (const [tag, slash, name = ''] of line.matchAll(quotingElement)) {
    const isComment = open.at(-1) === '<!--';
    if (tag === '-->') {
      if (isComment) open.pop();
    } else if (isComment || tag.endsWith('/>')) continue;
    else if (tag === '<!--') open.push(tag);
    else if (slash === '') open.push(name.toLowerCase());
    else {
      const at = open.lastIndexOf(name.toLowerCase());
      if (at !== -1) open.length = at;
    }
  }
  return open.slice(-deepest);
}

const deepest = 16;
const quotingElement =
  /<(\/?)(pre|code|samp|kbd|tt|xmp|listing|plaintext|textarea|script|style|template|blockquote|q|examples?|documents?|quote|file_content|tool_results?|tool_responses?|function_results?)\b[^<>]{0,200}>|<!--|-->/gi;
