/* Edits the text of a config: what it does not set, its comments and its layout included, stays as it is. */

import { applyEdits, type Edit, findNodeAtLocation, getNodeValue, type Node, parseTree } from 'jsonc-parser';
import type { KeyPath } from '../config/config-error.ts';
import { syntax } from '../config/source.ts';
import { canonicalJson, type JsonValue } from '../lib/json.ts';
import { printed } from './printed.ts';

/** A key of the config, and what it is to be. */
export interface ConfigEdit {
  readonly path: KeyPath;
  /** Undefined: the key is taken out. */
  readonly value: JsonValue | undefined;
  /** Words above it, if it is new. */
  readonly comment?: string | undefined;
}

/** Undefined if the text has no value that could be edited: only comments, or nothing. */
export function withEdits(text: string, edits: readonly ConfigEdit[]): string | undefined {
  if (parseTree(text, [], syntax) === undefined) return undefined;
  const layout = layoutOf(text);
  return edits.reduce((edited, edit) => withEdit(edited, edit, layout), text);
}

/** Words as a remark on a line of its own. They may hold the name of a file, and that anything. */
export function remark(words: string): string {
  return `// ${printed(words).replaceAll('\n', ' ')}`;
}

function layoutOf(text: string): Layout {
  return {
    eol: /\r\n/.test(text) ? '\r\n' : '\n',
    indent: /^(\t+| +)"/m.exec(text)?.[1] ?? '  ',
  };
}

interface Layout {
  readonly eol: string;
  /** Of one level. */
  readonly indent: string;
}

function withEdit(text: string, { path, value, comment }: ConfigEdit, layout: Layout): string {
  const tree = parseTree(text, [], syntax);
  if (tree === undefined) return text;
  if (value === undefined) return without(text, tree, path);
  const present = findNodeAtLocation(tree, [...path]);
  if (present !== undefined) {
    if (canonicalJson(getNodeValue(present)) === canonicalJson(value)) return text;
    const content = pretty(value, path.length, layout);
    return applyEdits(text, [{ offset: present.offset, length: present.length, content }]);
  }
  const depth = path.findLastIndex((_, at) => findNodeAtLocation(tree, path.slice(0, at)) !== undefined);
  const parent = findNodeAtLocation(tree, path.slice(0, depth)) ?? tree;
  const [key = '', ...rest] = path.slice(depth);
  const built = rest.reduceRight<JsonValue>((inner, name) => ({ [String(name)]: inner }), value);
  return applyEdits(text, [
    ...insertion(text, parent, { key: String(key), value: built, level: depth + 1, comment }, layout),
  ]);
}

/** Its lines go as a whole, with the remark behind it; those of its neighbours stay. */
function without(text: string, tree: Node, path: KeyPath): string {
  const property = findNodeAtLocation(tree, [...path])?.parent;
  const siblings = property?.parent?.children ?? [];
  if (property === undefined) return text;
  const { offset, length } = property;
  const comma = commaBehind(text, offset + length);
  const end = comma === undefined ? offset + length : comma + 1;
  const lineStart = text.lastIndexOf('\n', offset) + 1;
  const [restOfLine] = /^[^\S\n]*(?:\/\/[^\n]*|\/\*[^\n]*?\*\/[^\S\n]*)?\n/.exec(text.slice(end)) ?? [];
  const isAlone = restOfLine !== undefined && text.slice(lineStart, offset).trim() === '';
  const start = isAlone ? lineStart : offset;
  const spaces = isAlone ? restOfLine.length : (/^[^\S\n]*/.exec(text.slice(end))?.[0].length ?? 0);
  const removed = { offset: start, length: end - start + spaces, content: '' };
  const before = siblings[siblings.indexOf(property) - 1];
  const left =
    comma !== undefined || before === undefined ? undefined : commaBehind(text, before.offset + before.length);
  return applyEdits(text, [...(left === undefined ? [] : [{ offset: left, length: 1, content: '' }]), removed]);
}

function commaBehind(text: string, offset: number): number | undefined {
  const [skipped] = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*(?=,)/.exec(text.slice(offset)) ?? [];
  return skipped === undefined ? undefined : offset + skipped.length;
}

interface Inserted {
  readonly key: string;
  readonly value: JsonValue;
  /** How deep the key stands: 1 for a key of the whole. */
  readonly level: number;
  readonly comment: string | undefined;
}

/** As the last key of an object; behind what stands on the line of the one before. */
function insertion(
  text: string,
  parent: Node,
  { key, value, level, comment }: Inserted,
  layout: Layout,
): readonly Edit[] {
  const { eol, indent } = layout;
  const above = comment === undefined ? '' : `${eol}${indent.repeat(level)}${remark(comment)}`;
  const line = `${above}${eol}${indent.repeat(level)}${JSON.stringify(key)}: ${pretty(value, level, layout)}`;
  const last = parent.children?.at(-1);
  if (last === undefined) {
    const isEmpty = /^\s*\}/.test(text.slice(parent.offset + 1));
    const end = isEmpty ? `${eol}${indent.repeat(level - 1)}` : '';
    const length = isEmpty ? parent.length - 2 : 0;
    return [{ offset: parent.offset + 1, length, content: `${line}${end}` }];
  }
  const offset = last.offset + last.length;
  const [restOfLine, comma = ''] =
    /^([^\S\n]*,)?[^\S\n]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)?[^\S\r\n]*(?=\r?\n)/.exec(text.slice(offset)) ?? [];
  // The whole object stands on one line.
  if (restOfLine === undefined) return [{ offset, length: 0, content: `, ${JSON.stringify(key)}: ${oneLine(value)}` }];
  return [
    ...(comma === '' ? [{ offset, length: 0, content: ',' }] : []),
    { offset: offset + restOfLine.length, length: 0, content: `${line}${comma === '' ? '' : ','}` },
  ];
}

function pretty(value: JsonValue, level: number, { eol, indent }: Layout): string {
  return JSON.stringify(value, undefined, indent).replaceAll('\n', `${eol}${indent.repeat(level)}`);
}

function oneLine(value: JsonValue): string {
  return JSON.stringify(value, undefined, 1).replaceAll(/\n */g, ' ');
}
