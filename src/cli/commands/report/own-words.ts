/*
 * What is ours: the words of Keyturn's own code, and the texts that stand in it. What is not here may be somebody's, so the
 * report does not have it.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { reservedChannels } from '../../../config/cross-checks.ts';
import { isJsonObject, type JsonObject, valueAt } from '../../../lib/json.ts';
import { ownFolder } from '../../../lib/own-version.ts';

export interface OwnWords {
  /** Whether some sentence or name of ours has the word. */
  hasWord(word: string): boolean;
  /** Whether it stands in the code as a text of its own. */
  hasText(text: string): boolean;
  /** The channels that are not of a plugin. */
  readonly channels: ReadonlySet<string>;
}

/** Reads the code. `schema` is of the config. */
export function readOwnWords(schema: JsonObject): OwnWords {
  const code = ownCode();
  const words = new Set<string>();
  for (const text of [code, ...Object.keys(constants.errno), ...Object.getOwnPropertyNames(globalThis)])
    for (const [word] of text.matchAll(/[a-z]+/gi)) words.add(word.toLowerCase());
  const channels = valueAt(schema, ['properties', 'channels', 'properties']);
  const texts = new Map<string, boolean>();
  return {
    hasWord: (word) => words.has(word.toLowerCase()),
    hasText(text) {
      const known = texts.get(text) ?? ["'", '"', '`'].some((quote) => code.includes(quote + text + quote));
      texts.set(text, known);
      return known;
    },
    channels: new Set([...reservedChannels, ...(isJsonObject(channels) ? Object.keys(channels) : [])]),
  };
}

/** As sources, or as the package has it. */
function ownCode(): string {
  const isSource = import.meta.url.endsWith('.ts');
  const root = isSource ? ownFolder() : join(ownFolder(), 'dist');
  const ending = isSource ? '.ts' : '.js';
  const files = ['src', 'channels'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(ending))
      .map((name) => join(root, folder, name)),
  );
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}
