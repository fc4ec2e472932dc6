import { isUnfit, type Parse } from '../../src/lib/markdown-parser.ts';
import type { MarkdownNode } from '../../src/lib/markdown-tree.ts';

/** What is sent in place of a text that shows nothing, since platforms refuse that. */
export const placeholder = '…';

export function showsSomething(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/** Characters that can mean something anywhere, to CommonMark or a platform, and line beginnings and ends that can. */
const meaning = /[\\`*_~[\]<>&#|\t\r\0\ufeff]|^ | $|^\s*(?:[-+=]|\d{1,9}[.)])|\n\s*\n\s*\n/m;

/** What a text in markdown is: `plain` without anything that has a meaning, or to be shown as it was `typed`, or parsed. */
export type ReadMarkdown =
  | { readonly type: 'plain' | 'typed'; readonly text: string }
  | { readonly type: 'parsed'; readonly nodes: readonly MarkdownNode[] };

export function readMarkdown(markdown: string, parse: Parse): ReadMarkdown {
  const text = markdown.toWellFormed();
  if (!meaning.test(text)) return { type: 'plain', text };
  return isUnfit(text) ? { type: 'typed', text } : { type: 'parsed', nodes: parse(text) };
}

/** A block of code without empty lines around it. */
export function trimCode(code: string): string {
  return code.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}

/** The name of a language as platforms take it, where it is one. */
export function languageName(language: string): string | undefined {
  return /^[\w+.#-]{1,32}$/.test(language) ? language : undefined;
}

export interface OpenFence {
  readonly marks: string;
  /** What stands behind the marks: mostly the name of a language. */
  readonly info: string;
}

const fenceLine = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** What is open after the line, if that was open before it. */
export function fenceAfter(open: OpenFence | undefined, line: string): OpenFence | undefined {
  const [, marks = '', info = ''] = fenceLine.exec(line) ?? [];
  if (marks === '') return open;
  if (open === undefined) return marks.startsWith('`') && info.includes('`') ? undefined : { marks, info };
  return marks.startsWith(open.marks) && info.trim() === '' ? undefined : open;
}

export function openFenceIn(text: string): OpenFence | undefined {
  let open: OpenFence | undefined;
  for (const line of text.split('\n')) open = fenceAfter(open, line);
  return open;
}
