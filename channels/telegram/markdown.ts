import type { Root } from 'mdast';
import { setText } from './blocks.ts';
import { settleEntities } from './entities.ts';
import { type Entity, plain, type Rich, trimmed } from './rich.ts';

/** Parses CommonMark with GFM. */
export type Parse = (markdown: string) => Root;

/** Loads the parser. It takes a while, so nobody who has no need of it loads it. */
export async function loadParser(): Promise<Parse> {
  const [{ fromMarkdown }, { gfm }, { gfmFromMarkdown }] = await Promise.all([
    import('mdast-util-from-markdown'),
    import('micromark-extension-gfm'),
    import('mdast-util-gfm'),
  ]);
  const options = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };
  return (markdown) => fromMarkdown(markdown, options);
}

/** The text as it is shown, and its formatting. The text is never empty. Without a parser it is shown as it was typed. */
export function renderMarkdown(
  markdown: string,
  parse: Parse | undefined,
): { readonly text: string; readonly entities: Entity[] } {
  const rich = setMarkdown(markdown, parse);
  return { text: rich.text, entities: settleEntities(rich) };
}

/** The length of the text that `renderMarkdown` makes of it, in UTF-16 units: what Telegram counts. */
export function measureMarkdown(markdown: string, parse: Parse | undefined): number {
  return setMarkdown(markdown, parse).text.length;
}

/** What is sent in place of a text that shows nothing, since Telegram refuses that. */
const placeholder = plain('…');

function setMarkdown(markdown: string, parse: Parse | undefined): Rich {
  const source = markdown.toWellFormed();
  const isTyped = parse === undefined || isPlain(source) || isUnfit(source);
  const rich = isTyped ? trimmed(plain(source)) : setParsed(source, parse);
  return /[^\s\p{Cc}\p{Cf}]/u.test(rich.text) ? rich : placeholder;
}

/** Telegram takes some 9 500 bytes of formatting; the addresses are what grows. */
const mostAddressUnits = 6000;
const mostLinks = 60;

/** Where too many addresses are hidden, all are written out, so that they count, and a long text is split. */
function setParsed(source: string, parse: Parse): Rich {
  const root = parse(source);
  const rich = setText(root, source, 'hidden');
  const addresses = rich.entities.flatMap((entity) => (entity.type === 'text_link' ? [entity.url] : []));
  const isTooMuch = addresses.length > mostLinks || addresses.join('').length > mostAddressUnits;
  return isTooMuch ? setText(root, source, 'written') : rich;
}

/** Characters that can mean something anywhere, and line beginnings and ends that can. */
const meaning = /[\\`*_~[\]<>&#|\t\r\0\ufeff]|^ | $|^\s*(?:[-+=]|\d{1,9}[.)])|\n\s*\n\s*\n/m;

/** Whether the parser would only give the text back. */
function isPlain(source: string): boolean {
  return !meaning.test(source);
}

/** No message is that long, and no person nests that deep: parsing it would only hold everything else up. */
const longestParsed = 12_288;
const deepNesting = /^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){40}/m;

function isUnfit(source: string): boolean {
  return source.length > longestParsed || deepNesting.test(source);
}
