import { type Fence, type MarkdownLine, readLines } from './markdown-lines.ts';

/** A markdown text that is to be cut, with its lines. Offsets are UTF-16 units. */
export interface Source {
  readonly text: string;
  readonly lines: readonly MarkdownLine[];
}

/** What a part carries over from the text before it. */
export interface Frame {
  /** Opens the fence again that was open where the part begins. */
  readonly opening: string;
  /** The open fence is not opened again: its content is shown as text, because the limit leaves no room. */
  readonly plain: boolean;
  /** The columns of indentation that the part's lines lose, because the list around them stays behind. */
  readonly indent: number;
}

/** Reads a text for cutting. */
export function sourceOf(text: string): Source {
  return { text, lines: readLines(text) };
}

/** The number of the line that holds the offset. Behind the end of the text: the number of lines. */
export function lineIndexAt({ lines }: Source, offset: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((lines[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The fence that is open where the offset stands. */
function fenceAt(source: Source, offset: number): Fence | undefined {
  return source.lines[lineIndexAt(source, offset)]?.fence;
}

/** The ways to begin a part there, the best first. The last one leaves the most room. */
export function framesAt(source: Source, offset: number, maxLength: number): readonly Frame[] {
  const line = source.lines[lineIndexAt(source, offset)];
  if (line === undefined) return [];
  const indent = offset === line.start ? line.indent : line.textIndent;
  const rest = offset === line.start ? '' : line.textPrefix.slice(indent);
  const nothing = { opening: '', plain: true, indent };
  if (line.fence === undefined) return [{ opening: rest, plain: false, indent }, nothing];
  const { prefix, marker, info } = line.fence;
  const bare = { opening: `${(prefix + marker).slice(indent)}\n${rest}`, plain: false, indent };
  const full = { opening: `${(prefix + marker + info).slice(indent)}\n${rest}`, plain: false, indent };
  // An info string of any length would else leave no room, in each part again.
  return full.opening.length * 4 <= maxLength ? [full, bare, nothing] : [bare, nothing];
}

/** The part of the source between two offsets, as a text that stands alone. */
export function renderPart(source: Source, from: number, to: number, frame: Frame): string {
  const { body, indent } = cutBody(source, from, to, frame.indent);
  const fence = to === source.text.length ? undefined : fenceAt(source, to);
  if (fence === undefined) return frame.opening + body.trimEnd();
  if (frame.plain && fence === fenceAt(source, from)) return body.trimEnd();
  const closing = (fence.prefix + fence.marker).slice(indent);
  return `${frame.opening}${body}${body.endsWith('\n') ? '' : '\n'}${closing}`;
}

/** Whether there is anything to read between the offsets but blank lines and fence markers. */
export function hasContent(source: Source, from: number, to: number): boolean {
  for (let index = lineIndexAt(source, from); index < source.lines.length; index += 1) {
    const line = source.lines[index];
    if (line === undefined || line.start >= to) return false;
    // An opening marker is repeated later, unless nothing follows it. A list's number in front of it is not.
    const text = source.text.slice(Math.max(from, line.start), Math.min(to, line.end));
    const repeated = line.role === 'opens-fence' && line.end < source.text.length && /^[\s>]*[`~]/.test(text);
    const isMarker = (repeated || line.role === 'closes-fence') && line.start >= from && line.end <= to;
    if (!isMarker && text.trim() !== '') return true;
  }
  return false;
}

/** Takes the indentation of the lists away that stay behind; less of it behind a line that has left some of them. */
function cutBody(source: Source, from: number, to: number, columns: number): { body: string; indent: number } {
  let body = '';
  let indent = columns;
  for (let index = lineIndexAt(source, from); indent > 0; index += 1) {
    const line = source.lines[index];
    if (line === undefined || line.start >= to) return { body, indent };
    const start = Math.max(from, line.start);
    if (line.start > from) indent = Math.min(indent, line.indent);
    const text = source.text.slice(start, Math.min(to, line.end));
    body += line.start < from ? text : unindent(text, indent);
    if (indent === 0) return { body: body + source.text.slice(line.end, to), indent };
  }
  return { body: source.text.slice(from, to), indent };
}

function unindent(line: string, columns: number): string {
  let start = 0;
  while (start < columns && (line[start] === ' ' || line[start] === '\t')) start += 1;
  return line.slice(start);
}
