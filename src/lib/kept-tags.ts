import type { Token } from 'markdown-it';

/*
 * Tags that have no Markdown, and are kept until the tree is built: underlined words, and instants. They are written as
 * nobody writes them, so that a tag of which a text speaks is not taken for one.
 */

export const keptUnderline = { opening: '<u >', closing: '</u >' } as const;
export const timeEnd = '</time >';

/** Of an instant that a `<time>` names in UTC, to the second or better; undefined for others. */
export function timeBeginning(datetime: string): string | undefined {
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/.test(datetime);
  const at = isInstant ? Date.parse(datetime) : Number.NaN;
  return at > 0 && at < latest ? `<time at:${at} >` : undefined;
}

/** Platforms take no later instant: seconds in 32 bits. */
const latest = 2 ** 31 * 1000;

const kept = /^<(\/?)(u|time at:\d+|time) >$/;

/** The instant of the beginning of a kept `<time>`; undefined for other tags. */
export function instantOf({ content }: Token): number | undefined {
  const [, at] = /^<time at:(\d+) >$/.exec(content) ?? [];
  return at === undefined ? undefined : Number(at);
}

/** The tokens of a paragraph, with the kept tags as pairs around what stands between. One without its partner says nothing. */
export function tagsPaired(tokens: readonly Token[]): readonly Token[] {
  const open: Token[][] = [[]];
  for (const token of tokens) {
    const [, end, tag = ''] = token.type === 'html_inline' ? (kept.exec(token.content) ?? []) : [];
    if (end === undefined) {
      if (token.nesting === 1) open.push([]);
      if (token.nesting === -1) open.pop();
    } else {
      token.info = token.content;
      token.tag = tag.slice(0, 4).trim();
      const around = open.at(-1) ?? [];
      if (end === '') around.push(token);
      else pair(around, token);
    }
  }
  return tokens.filter(({ type, info, nesting }) => type !== 'html_inline' || info === '' || nesting !== 0);
}

/** What opened after its partner stays open, and is dropped. */
function pair(around: Token[], end: Token): void {
  const at = around.findLastIndex(({ tag }) => tag === end.tag);
  const partner = around[at];
  if (partner === undefined) return;
  around.length = at;
  partner.nesting = 1;
  end.nesting = -1;
}
