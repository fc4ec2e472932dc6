import type { Parse } from '../../../src/lib/markdown-parser.ts';
import { isUnfit } from '../../../src/lib/unfit-markdown.ts';
import { setText, setTyped } from './blocks.ts';

/** Discord refuses a message that shows nothing. */
const placeholder = '…';

/**
 * The text as Discord shows it as it was meant: Discord knows a part of CommonMark, and marks that CommonMark does not
 * know. Never empty.
 */
export function renderMarkdown(markdown: string, parse: Parse): string {
  const source = markdown.toWellFormed();
  const text = isPlain(source) ? source.trim() : setMarked(source, parse);
  return /[^\s\p{Cc}\p{Cf}]/u.test(text) ? text : placeholder;
}

/** The length of what `renderMarkdown` makes of it, in UTF-16 units: Discord counts characters, which are never more. */
export function measureMarkdown(markdown: string, parse: Parse): number {
  return renderMarkdown(markdown, parse).length;
}

function setMarked(source: string, parse: Parse): string {
  return isUnfit(source) ? setTyped(source) : setText(parse(source), source);
}

/** Characters that can mean something anywhere, to CommonMark or to Discord, and line beginnings and ends that can. */
const meaning = /[\\`*_~[\]<>&#|\t\r\0\ufeff]|^ | $|^\s*(?:[-+=]|\d{1,9}[.)])|\n\s*\n\s*\n/m;

/** Whether nothing would change. */
function isPlain(source: string): boolean {
  return !meaning.test(source);
}
