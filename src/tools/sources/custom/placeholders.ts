/** A `{{name}}` in a text: what stands from `start` up to `end`. */
export interface Placeholder {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** All placeholders of the text, in their order. `{{ name }}` is one, too; `{{.Name}}` is none. */
export function placeholdersIn(text: string): readonly Placeholder[] {
  return Array.from(text.matchAll(pattern), (match) => {
    const [written, name = ''] = match;
    return { name, start: match.index, end: match.index + written.length };
  });
}

const pattern = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_-]*)[ \t]*\}\}/g;

/** The text with each placeholder replaced by as many characters that no shell knows: one of its own for each. */
export function masked(text: string): string {
  let index = 0;
  return text.replace(pattern, ({ length }) => String.fromCharCode(firstMark + index++).repeat(length));
}

/** Which of the placeholders stand in a piece of the masked text, by their places in the list. */
export function marksIn(text: string): readonly number[] {
  const marks = Array.from(text.matchAll(anyMark), ([mark]) => mark.charCodeAt(0) - firstMark);
  return [...new Set(marks)];
}

/** Whether a text holds characters that stand for placeholders. */
export function holdsMarks(text: string): boolean {
  return text.search(anyMark) !== -1;
}

/** The most placeholders that one text may have. */
export const mostPlaceholders = 1000;

/** From here on Unicode leaves the characters for private use. */
const firstMark = 0xe000;
const anyMark = /[\ue000-\uf8ff]/g;
