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
  return new Position();
}

class Position implements MarkdownPosition {
  #reading = beginningOfText;
  #line = '';
  /** The length of the backtick run that opened inline code in the paragraph; 0 if none is open. */
  #openCode = 0;
  /** After a line that may be a fence or not: from there on it is unknown what is code. */
  #isDoubtful = false;
  /** The line before was a quote, or continued one without its sign. */
  #isQuoted = false;
  /** The line before ended in a quotation mark that opens. */
  #isCited = false;
  #elements: readonly string[] = [];
  #tail = '';

  isNested(): boolean {
    return this.#line !== '' && this.#reading.containers.length > 0;
  }

  place(): 'line' | 'sentence' | 'none' {
    const isFree =
      this.#reading.fence === undefined && !this.#isDoubtful && !this.#isQuoted && this.#elements.length === 0;
    if (!isFree || this.#line.length > longestLine) return 'none';
    if (this.#line.length < 4 && /^ *$/.test(this.#line))
      return this.#openCode === 0 && !this.#isCited ? 'line' : 'none';
    if (!isProse.test(this.#line) || !endsSentence.test(this.#line)) return 'none';
    return codeOpenBehind(this.#line, this.#openCode) === 0 && elementsBehind(this.#line, []).length === 0
      ? 'sentence'
      : 'none';
  }

  take(text: string): void {
    this.#tail = text.length >= longestTail ? text.slice(-longestTail) : (this.#tail + text).slice(-longestTail);
    for (const piece of text.split(/(?<=\n)/)) {
      this.#line += piece;
      if (piece.endsWith('\n')) this.#endLine();
    }
  }

  #endLine(): void {
    const { next } = readLine(this.#line, this.#reading);
    const isFence = next.fence !== undefined || (this.#reading.fence !== undefined && next.last === 'closes-fence');
    this.#isDoubtful ||= !isFence && likeFence.test(this.#line);
    if (!isFence) this.#elements = elementsBehind(this.#line.replace(/(`+)[^`]{0,400}\1/g, ''), this.#elements);
    const continues = this.#isQuoted && next.last === 'text' && next.containers.length === 0;
    this.#isQuoted = !isFence && next.last !== 'blank' && (next.containers.includes('quote') || continues);
    this.#isCited = opensQuotation.test(this.#line);
    this.#openCode = isFence || next.last === 'blank' ? 0 : codeOpenBehind(this.#line, this.#openCode);
    this.#reading = next;
    this.#line = '';
  }

  takeCall(): void {
    this.#line = '';
    this.#isCited = false;
  }

  lastWords(): string {
    return (
      this.#tail
        .trim()
        .split(/\n\s*\n/)
        .at(-1) ?? ''
    );
  }
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
