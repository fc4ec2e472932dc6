import { hash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { reveal } from '../../lib/plain-text.ts';

/** No model accepts longer names. */
export const longestToolName = 64;
/** The length of the hash at the end of a name, in hex digits. */
const markLength = 8;

/** A unique name: it ends with a hash of what it stands for. */
export function markedName(plain: string, stands: string): string {
  const mark = hash('sha256', stands).slice(0, markLength);
  return `${plain.slice(0, longestToolName - markLength - 1)}_${mark}`;
}

/** The keywords of a schema that a model reads as words rather than as values. */
const worded: readonly string[] = ['title', 'description'];

/** A copy of a schema, with the hidden characters in its words revealed. */
export function revealedSchema(schema: JsonObject): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(schema), (key, part: JsonValue) =>
    typeof part === 'string' && worded.includes(key) ? reveal(part) : part,
  );
  return isJsonObject(copy) ? copy : {};
}
