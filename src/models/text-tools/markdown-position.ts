import { beginningOfText, readLine } from '../../lib/split/markdown-lines.ts';

/**
 * Tracks whether a call may begin at the end of a streamed text: at the start of a line, outside fences, inline code,
 * quotes, list markers and indented code. Where Markdown is ambiguous, it may not. Reads each character a bounded
 * number of times.
 */
export function markdownPosition() {
  let reading = beginningOfText;
  let line = '';
  /** The length of the backtick run that opened inline code in the paragraph; 0 if none is open. */
  let openCode = 0;
  /** After a line that may be a fence or not: from there on it is unknown what is code. */
  let isDoubtful = false;

  function mayBegin(): boolean {
    return line.length < 4 && /^ *$/.test(line) && reading.fence === undefined && openCode === 0 && !isDoubtful;
  }

  function take(text: string): void {
    for (const piece of text.split(/(?<=\n)/)) {
      line += piece;
      if (piece.endsWith('\n')) endLine();
    }
  }

  function endLine(): void {
    const { next } = readLine(line, reading);
    const isCode = next.fence !== undefined || (reading.fence !== undefined && next.last === 'closes-fence');
    isDoubtful ||= !isCode && likeFence.test(line);
    openCode = isCode || next.last === 'blank' ? 0 : codeOpenBehind(line, openCode);
    reading = next;
    line = '';
  }

  /** A call has ended: the text after it counts as the start of a line. */
  function takeCall(): void {
    line = '';
  }

  return { mayBegin, take, takeCall };
}

/** Indented too far for a fence, but perhaps meant as one. */
const likeFence = /^\s*(?:(?:[-*+]|\d+[.)])\s+)*(?:`{3,}[^`]*|~{3,}.*)$/s;

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
