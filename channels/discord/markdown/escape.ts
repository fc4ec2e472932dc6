const marks = /\\|`|\*|_|~{2,}|\|{2,}/g;
/** What begins a mention, an emoji, a time, a link, or a tag. */
const opening = /<(?=[@#:/!?A-Za-z])/g;
/** What makes something of a line because it stands at its beginning, here or in CommonMark. */
const lineBeginning =
  /^([ \t]*)(?:(#{1,6}(?=\s|$)|-#(?=\s)|>|[-+*](?=\s|$)|-+[ \t]*$|=+[ \t]*$)|(\d+)([.)](?=\s|$)))/gm;

/**
 * The text as Discord shows it just so: nothing in it becomes bold, hidden, a name, a picture or a time. It may be a part of
 * a line.
 */
export function escapeInline(text: string): string {
  return text.replace(marks, escapeMark).replace(opening, String.raw`\<`);
}

/** The same for lines that nothing else makes something of, after `escapeInline`. */
export function escapeBeginnings(lines: string): string {
  return lines.replace(lineBeginning, (_, space: string, marker?: string, number = '', dot = '') =>
    marker === undefined ? `${space}${number}\\${dot}` : `${space}\\${marker}`,
  );
}

function escapeMark(mark: string, at: number, text: string): string {
  const around = text.slice(Math.max(0, at - 1), at + 2);
  // A star between spaces means nothing, and neither does an underscore within a word.
  if (/^(?:\s\*\s|[A-Za-z0-9]_[A-Za-z0-9])$/.test(around)) return mark;
  return mark.replace(/./g, String.raw`\$&`);
}

/** Code in a line. Discord takes three backticks for a block wherever they stand. */
export function codeSpan(code: string): string {
  const apart = separated(code, 2);
  const hasSingle = /(?<!`)`(?!`)/.test(apart);
  const hasDouble = /(?<!`)``(?!`)/.test(apart);
  const content = hasSingle && hasDouble ? separated(apart, 1) : apart;
  const fence = /(?<!`)`(?!`)/.test(content) ? '``' : '`';
  const padding = content.startsWith('`') || content.endsWith('`') ? ' ' : '';
  return `${fence}${padding}${content}${padding}${fence}`;
}

/** A block of code. Three backticks in it would end it, and a language of more than one word would be a line of it. */
export function codeBlock(code: string, language = ''): string {
  const text = separated(code.replace(/^(?:[ \t]*\n)+/, '').trimEnd(), 2);
  if (text === '') return '';
  const info = /^[\w+.#-]{1,32}$/.test(language) ? language : '';
  return `\`\`\`${info}\n${text}\n\`\`\``;
}

/** The text in which no more backticks than that stand together: what comes between is not seen. */
function separated(text: string, most: number): string {
  return text.replace(/`+/g, (run) => (run.length <= most ? run : [...run].join('\u200b')));
}
