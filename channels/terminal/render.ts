import { type Style, stripControls } from './output.ts';

/** A longer line is shown as it is written: the search for pairs of marks takes time by the square of its length. */
const longestLine = 2000;

/**
 * Markdown as a terminal shows it: bold, headings, code and fences are set off, all else stays as it is written. A style that
 * renders nothing keeps the marks, without the backslashes that keep others from being marks. What would steer the terminal is
 * taken out first, so that the only escape sequences left are the style's own.
 */
export function renderMarkdown(markdown: string, style: Style): string {
  const text = stripControls(markdown).trimEnd();
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})([^`]*)$/.exec(line);
    const begins = fence === undefined && mark?.[1] !== undefined;
    const ends = fence !== undefined && mark?.[1]?.startsWith(fence) && mark[2]?.trim() === '';
    if (begins) fence = mark[1];
    else if (ends) fence = undefined;
    else if (fence === undefined) lines.push(renderLine(line, style));
    else lines.push(style.rendersMarkdown ? style.dim(`  ${line}`) : line);
    if ((begins || ends) && !style.rendersMarkdown) lines.push(line);
  }
  return lines.join('\n');
}

/** The first line that says something, rendered. */
export function renderFirstLine(markdown: string, style: Style): string {
  const line = markdown.split('\n').find((candidate) => candidate.trim() !== '');
  return renderMarkdown(line ?? '', style);
}

function renderLine(line: string, style: Style): string {
  if (!style.rendersMarkdown) return withoutEscapes(line);
  if (line.length > longestLine) return line;
  const heading = /^ {0,3}#{1,6} +(.*?)(?: +#+)? *$/.exec(line)?.[1];
  return heading === undefined ? renderInline(line, style) : style.bold(unmark(heading));
}

function renderInline(line: string, style: Style): string {
  // Code comes first in the alternatives: what stands in it is no markup. An escaped mark is no mark.
  const marks = /\\([!-/:-@[-`{-~])|(?<!`)(`+)(?!`)(.+?)(?<!`)\2(?!`)|(\*\*|__)(?=\S)((?:(?!\4).)+)(?<=\S)\4/g;
  return line.replace(marks, (_whole, escaped, ticks, code, _stars, strong) => {
    if (escaped !== undefined) return escaped;
    return ticks === undefined ? style.bold(unmark(strong)) : style.code(trimCode(code));
  });
}

/** Without the backslashes before marks, but in code. */
export function withoutEscapes(line: string): string {
  return line.replace(/(`+)[^`]*\1|\\([!-/:-@[-`{-~])/g, (whole, _ticks, escaped) => escaped ?? whole);
}

/** A heading or a strong text is bold as a whole: the marks in it are taken away. */
function unmark(text: string): string {
  return text.replace(/\\([!-/:-@[-`{-~])|\*\*|`/g, (_whole, escaped) => escaped ?? '');
}

/** One space at each end only keeps a backtick apart from the marks. */
function trimCode(code: string): string {
  return /^ .*\S.* $/.test(code) ? code.slice(1, -1) : code;
}
