/* Edits the text of a config: what it does not set, its comments included, stays as it is. */

import { applyEdits, modify } from 'jsonc-parser';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { Language } from '../../lib/words.ts';
import { setupWords } from './words.ts';

/** A value of the config that is set. */
export interface ConfigEdit {
  readonly path: readonly string[];
  readonly value: JsonValue;
}

/** The text with these values. Without a text, a new one with comments in this language. */
export function editedConfig(text: string | undefined, edits: readonly ConfigEdit[], language: Language): string {
  if (text === undefined || text.trim() === '') return newConfig(edits, language);
  const eol = /\r\n/.test(text) ? '\r\n' : '\n';
  const indent = /^(\t| +)"/m.exec(text)?.[1] ?? '  ';
  const formattingOptions = { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol };
  return edits.reduce(
    (edited, { path, value }) => applyEdits(edited, modify(edited, [...path], value, { formattingOptions })),
    text,
  );
}

function newConfig(edits: readonly ConfigEdit[], language: Language): string {
  const { comments } = setupWords[language];
  const known: Readonly<Record<string, string>> = comments.keys;
  const value = edits.reduce<JsonValue>((built, edit) => withValue(built, edit.path, edit.value), {});
  const entries = Object.entries(isJsonObject(value) ? value : {}).map(([key, part]) => {
    const comment = known[key];
    const lines = `${JSON.stringify(key)}: ${JSON.stringify(part, undefined, 2)}`.replaceAll('\n', '\n  ');
    return `${comment === undefined ? '' : `  // ${comment}\n`}  ${lines}`;
  });
  const head = comments.head.map((line) => `// ${line}`);
  return [...head, '{', entries.join(',\n'), '}', ''].join('\n');
}

function withValue(whole: JsonValue, [key, ...rest]: readonly string[], value: JsonValue): JsonValue {
  if (key === undefined) return value;
  const object: JsonObject = isJsonObject(whole) ? whole : {};
  return { ...object, [key]: withValue(object[key] ?? {}, rest, value) };
}
