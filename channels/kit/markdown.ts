import { isUnfit, type Parse } from '../../src/lib/markdown-parser.ts';
import type { MarkdownBlock } from '../../src/lib/markdown-tree.ts';

/** Replaces empty texts, which platforms refuse. */
export const placeholder = '…';

export function showsSomething(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/** Characters, and starts and ends of lines, that may have a meaning in CommonMark or on a platform. */
const meaning = /[\\`*_~[\]<>&#|\t\r\0\ufeff]|^ | $|^\s*(?:[-+=]|\d{1,9}[.)])|\n\s*\n\s*\n/m;

/** Not parsed if nothing in it has a meaning, or if that would take too long. */
export function readMarkdown(markdown: string, parse: Parse): readonly MarkdownBlock[] {
  const text = markdown.toWellFormed();
  return meaning.test(text) && !isUnfit(text) ? parse(text) : [{ type: 'html', value: text }];
}
