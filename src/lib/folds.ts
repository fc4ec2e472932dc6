/*
 * Two things that Keyturn's own messages have, and Markdown has not. A folded block is a quotation that begins with
 * `[!details]-` and a title, as some editors write it. An instant is a `<time>` of HTML, whose words stand wherever the
 * platform has no such element.
 */

/** The first line of a folded block, without the marks of the quotation. Its group is the title. */
export const foldMark = /^\[!details\]- ?(.*)$/;

/** A block that is shown closed, under this title: a line of markdown. Stands alone, between blank lines. */
export function folded(title: string, markdown: string): string {
  return [`[!details]- ${title}`, ...markdown.split('\n')].map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
}

/** A text with its folded blocks apart. Only blocks at the top of the text count, and none within code. */
export interface Unfolded {
  /** Without them. */
  readonly shown: string;
  /** Their contents, with their titles in bold; undefined if there are none. */
  readonly details: string | undefined;
}

export function unfold(markdown: string): Unfolded {
  const shown: string[] = [];
  const details: string[] = [];
  let fence: string | undefined;
  let isFolded = false;
  for (const line of markdown.split('\n')) {
    const title = fence === undefined && line.startsWith('> ') ? foldMark.exec(line.slice(2))?.[1] : undefined;
    isFolded = title !== undefined || (isFolded && line.startsWith('>'));
    if (title !== undefined) details.push(...(details.length > 0 ? [''] : []), `**${title}**`, '');
    else if (isFolded) details.push(line.replace(/^> ?/, ''));
    else {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      if (fence === undefined) fence = mark;
      else if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
      shown.push(line);
    }
  }
  if (details.length === 0) return { shown: markdown, details: undefined };
  return {
    shown: shown
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    details: details.join('\n').trim(),
  };
}

/** An instant (ms since 1970) that each reader sees in their own zone. `words`: the same for readers without it. */
export function timeElement(at: number, words: string): string {
  return `<time datetime="${new Date(at).toISOString()}">${words}</time>`;
}
