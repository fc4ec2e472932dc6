import { hash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { reveal } from '../../lib/plain-text.ts';

/** Names longer than that are taken by no model. */
export const longestToolName = 64;
/** Of the mark at the end of a name, in hexadecimal digits. */
const markLength = 8;

/** A name that no other has: with a mark at its end that is made of what it stands for. */
export function markedName(plain: string, stands: string): string {
  const mark = hash('sha256', stands).slice(0, markLength);
  return `${plain.slice(0, longestToolName - markLength - 1)}_${mark}`;
}

/** What a model reads of a schema as words rather than as values. */
const worded: readonly string[] = ['title', 'description'];

/** A copy of a schema. Of its words, hidden characters are shown. */
export function revealedSchema(schema: JsonObject): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(schema), (key, part: JsonValue) =>
    typeof part === 'string' && worded.includes(key) ? reveal(part) : part,
  );
  return isJsonObject(copy) ? copy : {};
}
