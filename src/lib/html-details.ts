import { folded } from './folds.ts';
import { readLines } from './split/markdown-lines.ts';

/** The `<details>` of a text as folded blocks, if they have a `<summary>`, begin a line outside lists and quotes, and end. */
export function detailsFolded(markdown: string): string {
  let text = '';
  let done = 0;
  for (const { opening, closing } of pairsIn(markdown)) {
    const inner = markdown.slice(opening.end, closing.start);
    const [summary, words = ''] = /^\s*<summary(?:\s[^<>]*)?>(.*?)<\/summary>/is.exec(inner) ?? [];
    const title = words
      .replace(/<\/?[a-z][^<>]*>/gi, '')
      .replace(/\s+/g, ' ')
      .trim();
    const content = inner
      .slice(summary?.length ?? 0)
      .replace(/^(?:[ \t]*\n)+/, '')
      .trimEnd();
    if (opening.start < done || title === '' || content === '') continue;
    const before = markdown.slice(done, opening.start).trimEnd();
    text += `${before}${before === '' ? '' : '\n\n'}${folded(title, content.trimStart() === content ? content : `\n${content}`)}`;
    const after = /^[ \t]*(?:\r?\n)*/.exec(markdown.slice(closing.end, closing.end + longestGap))?.[0] ?? '';
    done = closing.end + after.length;
    if (done < markdown.length) text += '\n\n';
  }
  return text + markdown.slice(done);
}

const longestGap = 64;

/** Where the first `<details>` begins that has no end yet; undefined if there is none. */
export function openDetailsAt(markdown: string): number | undefined {
  const open: Tag[] = [];
  for (const tag of tagsIn(markdown)) {
    if (!tag.isEnd) open.push(tag);
    else open.pop();
  }
  return open.find(({ beginsLine }) => beginsLine)?.start;
}

interface Tag {
  readonly start: number;
  readonly end: number;
  readonly isEnd: boolean;
  /** Outside lists and quotes. */
  readonly beginsLine: boolean;
}

/** The outermost pairs that begin a line, in order. */
function pairsIn(markdown: string): readonly { readonly opening: Tag; readonly closing: Tag }[] {
  const open: Tag[] = [];
  const pairs: { readonly opening: Tag; readonly closing: Tag }[] = [];
  for (const closing of tagsIn(markdown)) {
    const opening = closing.isEnd ? open.pop() : undefined;
    if (!closing.isEnd) open.push(closing);
    if (opening === undefined) continue;
    while ((pairs.at(-1)?.opening.start ?? -1) > opening.start) pairs.pop();
    pairs.push({ opening, closing });
  }
  return pairs.filter(({ opening }) => opening.beginsLine);
}

/** Outside code. */
function tagsIn(markdown: string): readonly Tag[] {
  if (!/<details/i.test(markdown)) return [];
  return readLines(markdown).flatMap(({ start, end, fence, kind, containers }) => {
    if (fence !== undefined || kind === 'opens-fence') return [];
    const line = markdown
      .slice(start, end)
      .replace(/(?<!`)(`+)(?!`)[^`]*(?<!`)\1(?!`)/g, (code) => ' '.repeat(code.length));
    return [...line.matchAll(/(?<!\\)<(\/?)details(?:\s[^<>]*)?>/gi)].map(({ 0: tag, 1: slash, index }) => ({
      start: start + index,
      end: start + index + tag.length,
      isEnd: slash !== '',
      beginsLine: containers.length === 0 && /^ {0,3}$/.test(line.slice(0, index)),
    }));
  });
}
