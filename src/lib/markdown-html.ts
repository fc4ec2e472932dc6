import { keptUnderline, timeBeginning, timeEnd } from './kept-tags.ts';
import type { InlinePart } from './markdown-inline.ts';

/** Where the words stand. */
interface Surroundings {
  /** In a list or a quote, whose paragraph a blank line would end. */
  readonly isNested: boolean;
  /** In a table, whose row any line break would end. */
  readonly isTable: boolean;
  /** Underlined words and instants stay, for the tree: see `kept-tags.ts`. */
  readonly keepsTags: boolean;
}

/**
 * HTML in a paragraph as the Markdown that means the same: `<b>`, `<br>`, `<details>`, `<sub>`, links, lists,
 * headings. Other tags stay as typed, and so do those that are only mentioned: a pair without its partner, and a block
 * in the middle of a line.
 */
export function markdownOfHtml(parts: readonly InlinePart[], where: Surroundings): readonly InlinePart[] {
  if (!parts.some(({ type }) => type === 'tag')) return parts;
  const tags = parts.map((part) => (part.type === 'tag' ? tagOf(part.text) : undefined));
  const partners = partnersOf(tags);
  const sides = sidesIn(parts);
  const result = parts.map((part, at): InlinePart => {
    const tag = tags[at];
    if (tag === undefined) return part.type === 'tag' ? { type: 'kept', text: '' } : part;
    const text = markOf(tag, { ...where, ...sides(at), hasPartner: partners.has(at) });
    return text === undefined ? { type: 'prose', text: part.text } : { type: 'kept', text };
  });
  for (const [opening, closing] of partners) {
    const name = opening < closing ? tags[opening]?.name : undefined;
    if (name === 'summary' || /^h[1-6]$/.test(name ?? '')) dropBold(result, tags, opening, closing);
    if (name !== undefined) mendPair(result, tags[opening], opening, closing);
  }
  return result;
}

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  /** Its attributes, as typed. */
  readonly attributes: string;
}

/** Undefined for a comment. */
function tagOf(text: string): Tag | undefined {
  const [, end, name = '', attributes = ''] = /^<(\/?)([a-z][a-z0-9]*)(.*?)\/?>$/is.exec(text) ?? [];
  return name === '' ? undefined : { name: name.toLowerCase(), isEnd: end === '/', attributes };
}

/** The index of each tag that has a partner, with the partner's. */
function partnersOf(tags: readonly (Tag | undefined)[]): ReadonlyMap<number, number> {
  const partners = new Map<number, number>();
  const open = new Map<string, number[]>();
  for (const [at, tag] of tags.entries()) {
    if (tag === undefined) continue;
    const same = open.get(tag.name) ?? [];
    open.set(tag.name, same);
    if (!tag.isEnd) same.push(at);
    else {
      const opening = same.pop();
      if (opening !== undefined) partners.set(opening, at).set(at, opening);
    }
  }
  return partners;
}

interface Place extends Surroundings {
  readonly hasPartner: boolean;
  /** Whether words stand before it, and behind it, in its line. */
  readonly before: boolean;
  readonly after: boolean;
}

/** No marker of a list, with what is before it, is longer. */
const longestMarker = 64;

function sidesIn(parts: readonly InlinePart[]): (at: number) => Pick<Place, 'before' | 'after'> {
  const befores = wordsBeside(parts).map((words) => endsWithWords(words.slice(-longestMarker)));
  const afters = wordsBeside([...parts].reverse())
    .map((words) => /^[^\S\n]{0,64}\S/.test(words))
    .reverse();
  return (at) => ({ before: befores[at] ?? false, after: afters[at] ?? false });
}

/** For each part, the nearest one before it that is no tag. */
function wordsBeside(parts: readonly InlinePart[]): readonly string[] {
  let last = '';
  return parts.map(({ type, text }) => {
    const before = last;
    if (type !== 'tag') last = text;
    return before;
  });
}

/** Whether its last line has words, which a marker of a list or a quote is not. */
function endsWithWords(text: string): boolean {
  const line = text.slice(text.lastIndexOf('\n') + 1).trim();
  return line !== '' && !/^(?:[>\s]|[-+*](?=\s|$)|\d{1,9}[.)](?=\s|$))+$/.test(line);
}

/** Marks around the words of a pair. */
const pairs: Readonly<Record<string, string>> = {
  b: '**',
  strong: '**',
  i: '*',
  em: '*',
  cite: '*',
  s: '~~',
  del: '~~',
  strike: '~~',
  kbd: '`',
  code: '`',
  samp: '`',
  tt: '`',
  q: '"',
};

/** Only their words are shown. */
const bare = /^(?:u|ins|span|font|small|big|mark|abbr|label|su[bp]|time|var|dfn|bdi|ruby|rb|rp)$/;

const blocks = /^(?:details|section|article|div|p|center|[uo]l|figure|figcaption|header|footer|main|aside|picture)$/;

/** The Markdown for a tag; undefined if it stays. */
function markOf(tag: Tag, place: Place): string | undefined {
  const { name, isEnd, attributes } = tag;
  if (name === 'br' || name === 'wbr') return name === 'wbr' ? '' : lineBreak(place);
  if (name === 'img') return isEnd ? undefined : pictureOf(attributes);
  if (name === 'a') return place.hasPartner ? '' : undefined;
  // How Chinese or Japanese words are read stands in brackets behind them.
  if (name === 'rt') return place.hasPartner ? (isEnd ? ')' : '(') : undefined;
  if (place.keepsTags && place.hasPartner && isKept.test(name)) return keptTag(tag);
  if (bare.test(name) || pairs[name] !== undefined) return place.hasPartner ? (pairs[name] ?? '') : undefined;
  if (place.isTable || place.isNested) return isBlock(name) && isSet(place) ? spaceFor(tag, place) : undefined;
  return isSet(place) ? blockOf(tag, place) : undefined;
}

const isKept = /^(?:u|ins|time)$/;

function keptTag({ name, isEnd, attributes }: Tag): string {
  if (name === 'time') return isEnd ? timeEnd : (timeBeginning(attributeOf(attributes, 'datetime')) ?? '');
  return isEnd ? keptUnderline.closing : keptUnderline.opening;
}

/** Whether a block is meant, and not spoken of. */
function isSet({ hasPartner, before, after }: Place): boolean {
  return hasPartner || !before || !after;
}

function isBlock(name: string): boolean {
  return blocks.test(name) || /^(?:li|summary|hr|h[1-6]|blockquote)$/.test(name);
}

/** In a list or a table, a block is only separated from the words beside it. */
function spaceFor({ name }: Tag, { isTable, before, after }: Place): string {
  if (!before || !after) return '';
  return isTable ? (name === 'li' ? ' · ' : ' ') : '\n';
}

function lineBreak({ isTable, after, before }: Place): string {
  if (isTable) return before && after ? ' ' : '';
  return after && before ? '\n' : '';
}

function blockOf({ name, isEnd }: Tag, { before }: Place): string | undefined {
  const gap = before ? '\n\n' : '';
  if (blocks.test(name)) return gap;
  if (name === 'summary') return isEnd ? '**\n\n' : `${gap}**`;
  if (name === 'hr') return '\n\n---\n\n';
  if (name === 'li') return isEnd ? '' : `${before ? '\n' : ''}- `;
  if (name === 'blockquote') return isEnd ? '\n\n' : `${gap}> `;
  const [, depth] = /^h([1-6])$/.exec(name) ?? [];
  if (depth === undefined) return undefined;
  return isEnd ? '\n\n' : `${gap}${'#'.repeat(Number(depth))} `;
}

function attributeOf(attributes: string, name: string): string {
  const [, double, single, plain] =
    new RegExp(String.raw`(?:^|\s)${name}\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`, 'i').exec(attributes) ?? [];
  return (double ?? single ?? plain ?? '').trim();
}

function pictureOf(attributes: string): string | undefined {
  const source = attributeOf(attributes, 'src');
  return source === '' ? undefined : linkTo(`!${bracketed(attributeOf(attributes, 'alt'))}`, source);
}

function bracketed(words: string): string {
  return `[${words.replace(/[[\]]/g, '')}]`;
}

function linkTo(words: string, address: string): string {
  const safe = address.replace(/[\s()<>]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `${words}(${safe})`;
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'", nbsp: ' ' };

/** Code in HTML names what would be a tag; code in Markdown does not. */
function decoded(code: string): string {
  return code.replace(/&(lt|gt|amp|quot|#39|nbsp);/g, (whole, name) => entities[name] ?? whole);
}

/** A title is bold as a whole. */
function dropBold(parts: InlinePart[], tags: readonly (Tag | undefined)[], opening: number, closing: number): void {
  for (let at = opening + 1; at < closing; at += 1) {
    if (/^(?:b|strong)$/.test(tags[at]?.name ?? '') && parts[at]?.type === 'kept')
      parts[at] = { type: 'kept', text: '' };
  }
}

/** What depends on the words between the tags of a pair. */
function mendPair(parts: InlinePart[], tag: Tag | undefined, opening: number, closing: number): void {
  if (tag === undefined || parts[opening]?.type !== 'kept') return;
  const { name, attributes } = tag;
  if (pairs[name] === undefined && !/^(?:a|rp|su[bp])$/.test(name)) return;
  const isEmpty = isBlankBetween(parts, opening, closing);
  const set = (at: number, text: string) => (parts[at] = { type: 'kept', text });
  const address = name === 'a' ? attributeOf(attributes, 'href') : '';
  if (isEmpty && (pairs[name] !== undefined || address !== '')) {
    set(opening, '');
    set(closing, '');
  } else if (address !== '') {
    set(opening, '[');
    set(closing, linkTo(']', address));
  } else if (pairs[name] === '`') {
    const ticks = wordsBetween(parts, opening, closing).includes('`') ? '``' : '`';
    set(opening, ticks);
    set(closing, ticks);
    for (let at = opening + 1; at < closing; at += 1) set(at, decoded(parts[at]?.text ?? ''));
  } else if (name === 'rp') {
    // Brackets for readers that know no readings.
    for (let at = opening + 1; at < closing; at += 1) set(at, '');
  } else if ((name === 'sub' || name === 'sup') && closing === opening + 2) {
    const words = wordsBetween(parts, opening, closing);
    set(opening + 1, name === 'sub' ? lowered(words) : raised(words));
  } else if (pairs[name] !== undefined) tighten(parts, opening, closing);
}

function wordsBetween(parts: readonly InlinePart[], opening: number, closing: number): string {
  return parts
    .slice(opening + 1, closing)
    .map(({ text }) => text)
    .join('');
}

/** Stops at the first words: tags may be nested deep. */
function isBlankBetween(parts: readonly InlinePart[], opening: number, closing: number): boolean {
  for (let at = opening + 1; at < closing; at += 1) if ((parts[at]?.text ?? '').trim() !== '') return false;
  return true;
}

/** Moves the white space at the ends of emphasis out of it, where marks have no meaning beside it. */
function tighten(parts: InlinePart[], opening: number, closing: number): void {
  const [first, last] = [parts[opening + 1], parts[closing - 1]];
  const start = /^\s+/.exec(first?.text ?? '')?.[0] ?? '';
  if (first !== undefined && start !== '') {
    parts[opening] = { type: 'kept', text: start + (parts[opening]?.text ?? '') };
    parts[opening + 1] = { ...first, text: first.text.slice(start.length) };
  }
  const end = /\s+$/.exec(parts[closing - 1]?.text ?? '')?.[0] ?? '';
  if (last === undefined || end === '') return;
  parts[closing] = { type: 'kept', text: (parts[closing]?.text ?? '') + end };
  parts[closing - 1] = { type: last.type, text: (parts[closing - 1]?.text ?? '').slice(0, -end.length) };
}

const plainSigns = '0123456789+-=()';
const low = [...'₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎'];
const high = [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾'];

/** Below the line, where characters for it exist. */
function lowered(words: string): string {
  return inSigns(words, low) ?? words;
}

/** Above the line. What has no such characters is a power, if it is no ordinal such as `th`. */
function raised(words: string): string {
  if (words === 'n') return 'ⁿ';
  if (/^(?:st|nd|rd|th|tm|e|er|re|ème|o|a)$/i.test(words)) return words;
  return inSigns(words, high) ?? (words.length === 1 || isBracketed(words) ? `^${words}` : `^(${words})`);
}

function isBracketed(words: string): boolean {
  return /^[([（［【〔].*[)\]）］】〕]$/.test(words);
}

function inSigns(words: string, signs: readonly string[]): string | undefined {
  const shown = [...words.replaceAll('−', '-')].map((character) => signs[plainSigns.indexOf(character)]);
  return shown.includes(undefined) ? undefined : shown.join('');
}
