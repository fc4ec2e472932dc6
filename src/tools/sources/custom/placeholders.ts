/** A `{{name}}` in a text, from `start` up to `end`. */
export interface Placeholder {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** All placeholders of the text, in order. `{{ name }}` is one, too; `{{.Name}}` is not. */
export function placeholdersIn(text: string): readonly Placeholder[] {
  return Array.from(text.matchAll(pattern), (match) => {
    const [written, name = ''] = match;
    return { name, start: match.index, end: match.index + written.length };
  });
}

const pattern = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_-]*)[ \t]*\}\}/g;

/** Replaces each placeholder with a character of its own, unknown to shells and repeated to the same length. */
export function masked(text: string): string {
  let index = 0;
  return text.replace(pattern, ({ length }) => String.fromCharCode(firstMark + index++).repeat(length));
}

/** The indices of the placeholders in a piece of the masked text. */
export function marksIn(text: string): readonly number[] {
  const marks = Array.from(text.matchAll(anyMark), ([mark]) => mark.charCodeAt(0) - firstMark);
  return [...new Set(marks)];
}

/** Whether a text contains mask characters. */
export function holdsMarks(text: string): boolean {
  return text.search(anyMark) !== -1;
}

/** The limit of one text. */
export const mostPlaceholders = 1000;

/** The start of Unicode's private use area. */
const firstMark = 0xe000;
const anyMark = /[\ue000-\uf8ff]/g;
