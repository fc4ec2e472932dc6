/* The text of a config that a set-up makes, or adds to. */

import type { KeyPath } from '../../config/config-error.ts';
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../lib/json.ts';
import type { Language } from '../../lib/words.ts';
import { type ConfigEdit, withEdits } from '../config-text.ts';
import { setupWords } from './words.ts';

/** The text with these values. Without a value in it, a new one with comments in this language. */
export function editedConfig(text: string | undefined, edits: readonly ConfigEdit[], language: Language): string {
  const edited = text === undefined ? undefined : withEdits(text, edits);
  return edited ?? newConfig(text ?? '', edits, language);
}

/** `before`: comments alone, which stay. */
function newConfig(before: string, edits: readonly ConfigEdit[], language: Language): string {
  const { comments } = setupWords[language];
  const known: Readonly<Record<string, string>> = comments.keys;
  const value = edits.reduce<JsonValue>((built, edit) => withValue(built, edit.path, edit.value ?? null), {});
  const entries = Object.entries(isJsonObject(value) ? value : {}).map(([key, part]) => {
    const comment = known[key];
    const lines = `${JSON.stringify(key)}: ${JSON.stringify(part, undefined, 2)}`.replaceAll('\n', '\n  ');
    return `${comment === undefined ? '' : `  // ${comment}\n`}  ${lines}`;
  });
  const head = comments.head.map((line) => `// ${line}`);
  const kept = before.trim() === '' ? [] : [before.trimEnd()];
  return [...kept, ...head, '{', entries.join(',\n'), '}', ''].join('\n');
}

function withValue(whole: JsonValue, [key, ...rest]: KeyPath, value: JsonValue): JsonValue {
  if (key === undefined) return value;
  const object: JsonObject = isJsonObject(whole) ? whole : {};
  return { ...object, [key]: withValue(own(object, String(key)) ?? {}, rest, value) };
}
