/* Edits the text of a config: what it does not set, its comments and its layout included, stays as it is. */

import { applyEdits, type Edit, findNodeAtLocation, getNodeValue, type Node, parseTree } from 'jsonc-parser';
import { syntax } from '../../config/source.ts';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { Language } from '../../lib/words.ts';
import { setupWords } from './words.ts';

/** A value of the config that is set. */
export interface ConfigEdit {
  readonly path: readonly string[];
  readonly value: JsonValue;
}

/** The text with these values. Without a value in it, a new one with comments in this language. */
export function editedConfig(text: string | undefined, edits: readonly ConfigEdit[], language: Language): string {
  if (text === undefined || parseTree(text, [], syntax) === undefined) return newConfig(text ?? '', edits, language);
  const layout: Layout = {
    eol: /\r\n/.test(text) ? '\r\n' : '\n',
    indent: /^(\t+| +)"/m.exec(text)?.[1] ?? '  ',
  };
  return edits.reduce((edited, { path, value }) => withEdit(edited, path, value, layout), text);
}

interface Layout {
  readonly eol: string;
  /** Of one level. */
  readonly indent: string;
}

function withEdit(text: string, path: readonly string[], value: JsonValue, layout: Layout): string {
  const tree = parseTree(text, [], syntax);
  if (tree === undefined) return text;
  const present = findNodeAtLocation(tree, [...path]);
  if (present !== undefined) {
    if (canonicalJson(getNodeValue(present)) === canonicalJson(value)) return text;
    const content = pretty(value, path.length, layout);
    return applyEdits(text, [{ offset: present.offset, length: present.length, content }]);
  }
  const depth = path.findLastIndex((_, at) => findNodeAtLocation(tree, path.slice(0, at)) !== undefined);
  const parent = findNodeAtLocation(tree, path.slice(0, depth)) ?? tree;
  const [key = '', ...rest] = path.slice(depth);
  const built = rest.reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), value);
  return applyEdits(text, [...insertion(text, parent, { key, value: built, level: depth + 1 }, layout)]);
}

interface Inserted {
  readonly key: string;
  readonly value: JsonValue;
  /** How deep the key stands: 1 for a key of the whole. */
  readonly level: number;
}

/** As the last key of an object; behind what stands on the line of the one before. */
function insertion(text: string, parent: Node, { key, value, level }: Inserted, layout: Layout): readonly Edit[] {
  const { eol, indent } = layout;
  const line = `${eol}${indent.repeat(level)}${JSON.stringify(key)}: ${pretty(value, level, layout)}`;
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

/** `before`: comments alone, which stay. */
function newConfig(before: string, edits: readonly ConfigEdit[], language: Language): string {
  const { comments } = setupWords[language];
  const known: Readonly<Record<string, string>> = comments.keys;
  const value = edits.reduce<JsonValue>((built, edit) => withValue(built, edit.path, edit.value), {});
  const entries = Object.entries(isJsonObject(value) ? value : {}).map(([key, part]) => {
    const comment = known[key];
    const lines = `${JSON.stringify(key)}: ${JSON.stringify(part, undefined, 2)}`.replaceAll('\n', '\n  ');
    return `${comment === undefined ? '' : `  // ${comment}\n`}  ${lines}`;
  });
  const head = comments.head.map((line) => `// ${line}`);
  const kept = before.trim() === '' ? [] : [before.trimEnd()];
  return [...kept, ...head, '{', entries.join(',\n'), '}', ''].join('\n');
}

function withValue(whole: JsonValue, [key, ...rest]: readonly string[], value: JsonValue): JsonValue {
  if (key === undefined) return value;
  const object: JsonObject = isJsonObject(whole) ? whole : {};
  return { ...object, [key]: withValue(object[key] ?? {}, rest, value) };
}
