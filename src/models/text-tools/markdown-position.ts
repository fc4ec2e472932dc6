import { beginningOfText, readLine } from '../../lib/split/markdown-lines.ts';

/**
 * Knows of a text that comes piece by piece whether a call may begin where it ends: at the beginning of a line, outside of
 * fences, inline code, quotations, list markers and code that is indented. Where Markdown leaves it in doubt, none may. Looks
 * at each character a bounded number of times.
 */
export function markdownPosition() {
  let reading = beginningOfText;
  let line = '';
  /** The length of the backticks that have opened inline code in the paragraph; 0 if none is open. */
  let openCode = 0;
  /** A fence was seen that may be one or not: nobody knows what is code from there on. */
  let isDoubtful = false;

  /** Whether a call may begin here. */
  function mayBegin(): boolean {
    return line.length < 4 && /^ *$/.test(line) && reading.fence === undefined && openCode === 0 && !isDoubtful;
  }

  /** The text goes on so. */
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

  /** A call stood here, and has ended: what follows stands as on a line of its own. */
  function takeCall(): void {
    line = '';
  }

  return { mayBegin, take, takeCall };
}

/** What stands too far in for a fence, and was perhaps meant as one. */
const likeFence = /^\s*(?:(?:[-*+]|\d+[.)])\s+)*(?:`{3,}[^`]*|~{3,}.*)$/s;

function codeOpenBehind(line: string, before: number): number {
  let open = before;
  const marks = /\\.|`+/gs;
  for (let mark = marks.exec(line); mark !== null; mark = marks.exec(line)) {
    const [{ length }] = mark;
    const isEscape = mark[0].startsWith('\\');
    // In code a backslash means itself.
    if (isEscape && open > 0) marks.lastIndex = mark.index + 1;
    else if (!isEscape && open === 0) open = length;
    else if (open === length) open = 0;
  }
  return open;
}
