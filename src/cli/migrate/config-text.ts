import { isDeepStrictEqual } from 'node:util';
import { applyEdits, findNodeAtLocation, modify, parse, parseTree } from 'jsonc-parser';
import { type JsonValue, valueAt } from '../../lib/json.ts';
import { printed } from '../printed.ts';

const syntax = { allowTrailingComma: true, allowEmptyContent: true } as const;
const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' } as const;

/** A key and its value, with a line of words before it. */
export interface ConfigEdit {
  readonly path: readonly string[];
  readonly value: JsonValue;
  readonly comment?: string | undefined;
}

/** Whether the text sets a key: to the same, or to something else. What is empty is not set. */
export function stateIn(text: string, { path, value }: Pick<ConfigEdit, 'path' | 'value'>): 'free' | 'same' | 'other' {
  const config: JsonValue = parse(text, [], syntax) ?? {};
  const present = valueAt(config, path);
  if (isDeepStrictEqual(present, value)) return 'same';
  // An empty object under a name is an entry with its defaults.
  const isEmpty =
    present === undefined || present === null || present === '' || (Array.isArray(present) && present.length === 0);
  return isEmpty ? 'free' : 'other';
}

/** The text of a config with these keys added. All that stands in it stays, comments too. */
export function withSettings(text: string, edits: readonly ConfigEdit[], head: string): string {
  const isNew = parseTree(text, [], syntax)?.type !== 'object';
  const begun = isNew ? `${text.trimEnd()}${text.trim() === '' ? '' : '\n'}${commentOf(head, '')}{}\n` : text;
  const written = edits.reduce((before, edit) => withSetting(before, edit), begun);
  return written.endsWith('\n') ? written : `${written}\n`;
}

function withSetting(text: string, { path, value, comment }: ConfigEdit): string {
  const written = applyEdits(text, modify(text, [...path], value, { formattingOptions }));
  if (comment === undefined) return written;
  const tree = parseTree(written, [], syntax);
  const at = tree === undefined ? undefined : findNodeAtLocation(tree, [...path])?.parent?.offset;
  if (at === undefined) return written;
  const start = written.lastIndexOf('\n', at - 1) + 1;
  const indent = written.slice(start, at);
  // In an object on one line, a comment would hide the rest.
  if (indent.trim() !== '') return written;
  return `${written.slice(0, start)}${commentOf(comment, indent)}${written.slice(start)}`;
}

/** Words may hold the name of a file, and that anything. */
function commentOf(words: string, indent: string): string {
  return `${indent}// ${printed(words).replaceAll('\n', ' ')}\n`;
}
