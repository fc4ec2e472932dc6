import type { Parse } from '../../src/lib/markdown-parser.ts';
import { isUnfit } from '../../src/lib/unfit-markdown.ts';
import { setText } from './blocks.ts';
import { settleEntities } from './entities.ts';
import { type Entity, plain, type Rich, trimmed } from './rich.ts';

/** The text as it is shown, and its formatting. The text is never empty. */
export function renderMarkdown(markdown: string, parse: Parse): { readonly text: string; readonly entities: Entity[] } {
  const rich = setMarkdown(markdown, parse);
  return { text: rich.text, entities: settleEntities(rich) };
}

/** The length of the text that `renderMarkdown` makes of it, in UTF-16 units: what Telegram counts. */
export function measureMarkdown(markdown: string, parse: Parse): number {
  return setMarkdown(markdown, parse).text.length;
}

/** What is sent in place of a text that shows nothing, since Telegram refuses that. */
const placeholder = plain('…');

function setMarkdown(markdown: string, parse: Parse): Rich {
  const source = markdown.toWellFormed();
  const isTyped = isPlain(source) || isUnfit(source);
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
