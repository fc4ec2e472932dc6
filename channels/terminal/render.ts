import { type Style, stripControls } from './output.ts';

/** Longer lines are shown as source: matching marks takes quadratic time. */
const longestLine = 2000;

/**
 * Renders markdown for a terminal: bold, headings, code and fences are styled, the rest stays source. Without styles,
 * marks stay and escaping backslashes are removed. Terminal controls are removed first, so only the style's own
 * sequences remain.
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

/** Renders the first line that is not blank. */
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
  // Code is matched first, so its content is not markup. Escaped marks are no marks.
  const marks = /\\([!-/:-@[-`{-~])|(?<!`)(`+)(?!`)(.+?)(?<!`)\2(?!`)|(\*\*|__)(?=\S)((?:(?!\4).)+)(?<=\S)\4/g;
  return line.replace(marks, (_whole, escaped, ticks, code, _stars, strong) => {
    if (escaped !== undefined) return escaped;
    return ticks === undefined ? style.bold(unmark(strong)) : style.code(trimCode(code));
  });
}

/** Removes backslashes before marks, except in code. */
export function withoutEscapes(line: string): string {
  return line.replace(/(`+)[^`]*\1|\\([!-/:-@[-`{-~])/g, (whole, _ticks, escaped) => escaped ?? whole);
}

/** Removes nested marks: headings and bold text are bold as a whole. */
function unmark(text: string): string {
  return text.replace(/\\([!-/:-@[-`{-~])|\*\*|`/g, (_whole, escaped) => escaped ?? '');
}

/** One space at both ends only separates backticks from the marks. */
function trimCode(code: string): string {
  return /^ .*\S.* $/.test(code) ? code.slice(1, -1) : code;
}
