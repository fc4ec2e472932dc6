import { isDeepStrictEqual } from 'node:util';
import { parse, parseTree } from 'jsonc-parser';
import { syntax } from '../../config/source.ts';
import { type JsonValue, valueAt } from '../../lib/json.ts';
import { type ConfigEdit, remark, withEdits } from '../config-text.ts';

/** What is to be set, and found there. */
type Setting = Pick<ConfigEdit, 'value'> & { readonly path: readonly string[] };

/** Whether the text sets a key: to the same, or to something else. What is empty is not set. */
export function stateIn(text: string, { path, value }: Setting): 'free' | 'same' | 'other' {
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
  const begun = isNew ? `${text.trimEnd()}${text.trim() === '' ? '' : '\n'}${remark(head)}\n{}\n` : text;
  const written = withEdits(begun, edits) ?? begun;
  return written.endsWith('\n') ? written : `${written}\n`;
}
