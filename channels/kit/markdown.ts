import { isUnfit, type Parse } from '../../src/lib/markdown-parser.ts';
import type { MarkdownNode } from '../../src/lib/markdown-tree.ts';

/** Replaces empty texts, which platforms refuse. */
export const placeholder = '…';

export function showsSomething(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/** Characters, and starts and ends of lines, that may have a meaning in CommonMark or on a platform. */
const meaning = /[\\`*_~[\]<>&#|\t\r\0\ufeff]|^ | $|^\s*(?:[-+=]|\d{1,9}[.)])|\n\s*\n\s*\n/m;

/** `plain`: nothing has a meaning. `typed`: show literally. `parsed`: a tree. */
export type ReadMarkdown =
  | { readonly type: 'plain' | 'typed'; readonly text: string }
  | { readonly type: 'parsed'; readonly nodes: readonly MarkdownNode[] };

export function readMarkdown(markdown: string, parse: Parse): ReadMarkdown {
  const text = markdown.toWellFormed();
  if (!meaning.test(text)) return { type: 'plain', text };
  return isUnfit(text) ? { type: 'typed', text } : { type: 'parsed', nodes: parse(text) };
}

/** Code without leading blank lines and trailing white space. */
export function trimCode(code: string): string {
  return code.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}

/** Undefined unless platforms accept it as a language's name. */
export function languageName(language: string): string | undefined {
  return /^[\w+.#-]{1,32}$/.test(language) ? language : undefined;
}
