/*
 * Where untrusted content came from. A source is stored, and compared with others, as its English words; a reader gets it
 * in their language. Both come from one catalogue, so that no source is stored that cannot be said.
 */

import type { Language } from '../lib/words.ts';
import { taintSourceWords } from './words.ts';

export type TaintSource = keyof typeof taintSourceWords.en;

/** The source as it is stored. `name`: what the words of its kind name, if they do. */
export function taintSource(kind: TaintSource, name = ''): string {
  return said(kind, name, 'en');
}

/** What was kept from before, and had come from these sources. */
export function keptFrom(kind: 'memories' | 'plans', sources: readonly string[]): string {
  return taintSource(kind, sources.join(', '));
}

/** A file with content from these sources. */
export function fileFrom(path: string, sources: readonly string[]): string {
  return `${path} (${sources.join(', ')})`;
}

/** The source for a reader, as plain text. What is no source of ours, such as a host, stays as it is. */
export function sourceIn(language: Language, source: string): string {
  // What is stored is English.
  if (language === 'en') return source;
  const { kind, name } = readAs(source) ?? {};
  if (kind !== undefined) return said(kind, isList(kind) ? listIn(language, name ?? '') : (name ?? ''), language);
  const { path, within } = fileIn(source) ?? {};
  if (path === undefined || within === undefined) return source;
  return inBrackets[language](sourceIn(language, path), listIn(language, within));
}

/** The path and the sources of a file: see `fileFrom`. */
export function fileIn(source: string): { readonly path: string; readonly within: string } | undefined {
  const [, path, within] = /^(.+?) \((.*)\)$/s.exec(source) ?? [];
  return path === undefined || within === undefined ? undefined : { path, within };
}

/** `a, b (c, d)` as `a` and `b (c, d)`. */
export function partsOf(list: string): readonly string[] {
  const parts = [''];
  let depth = 0;
  for (const piece of list.split(/(?=[()])|(, )/)) {
    if (piece === undefined) continue;
    if (piece.startsWith('(')) depth += 1;
    if (piece.startsWith(')')) depth -= 1;
    if (piece === ', ' && depth === 0) parts.push('');
    else parts.push((parts.pop() ?? '') + piece);
  }
  return parts;
}

function said(kind: TaintSource, name: string, language: Language): string {
  const words = taintSourceWords[language][kind];
  return typeof words === 'string' ? words : words({ name });
}

/** Whether the words of the kind name other sources. */
function isList(kind: TaintSource): boolean {
  return kind === 'memories' || kind === 'plans';
}

const separators: Readonly<Record<Language, string>> = { en: ', ', zh: '、' };

const inBrackets: Readonly<Record<Language, (path: string, within: string) => string>> = {
  en: (path, within) => `${path} (${within})`,
  zh: (path, within) => `${path}（${within}）`,
};

function listIn(language: Language, list: string): string {
  return partsOf(list)
    .map((source) => sourceIn(language, source))
    .join(separators[language]);
}

interface ReadSource {
  readonly kind: TaintSource;
  readonly name: string;
}

/** The kind of a stored source, and whom or what it names. Words without a name come first: a name could be the same. */
function readAs(source: string): ReadSource | undefined {
  const named =
    kinds.find((kind) => taintSourceWords.en[kind] === source) ?? kinds.find((kind) => nameIn(source, kind) !== '');
  return named && { kind: named, name: nameIn(source, named) };
}

const kinds: readonly TaintSource[] = Object.keys(taintSourceWords.en).filter(isKind);

function isKind(key: string): key is TaintSource {
  return key in taintSourceWords.en;
}

/** What the source names if it is of this kind; else nothing. */
function nameIn(source: string, kind: TaintSource): string {
  const [before = '', after] = taintSource(kind, mark).split(mark);
  const isOfKind = after !== undefined && source.startsWith(before) && source.endsWith(after);
  return isOfKind ? source.slice(before.length, source.length - after.length) : '';
}

/** Stands for a name. */
const mark = '\0';
