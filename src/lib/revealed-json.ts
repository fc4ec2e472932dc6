import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { reveal } from './plain-text.ts';

/** The object with hidden characters shown, as every card does: a person approves only what they can read. */
export function revealed(args: JsonObject): JsonObject {
  const shown: unknown = JSON.parse(JSON.stringify(args), (_key, part: JsonValue) => {
    if (typeof part === 'string') return reveal(part);
    if (!isJsonObject(part)) return part;
    const members = new Map<string, JsonValue>();
    for (const [key, value] of Object.entries(part)) {
      let name = reveal(key);
      // Keys that look alike once revealed stay apart.
      while (members.has(name)) name += "'";
      members.set(name, value);
    }
    return Object.fromEntries(members);
  });
  return isJsonObject(shown) ? shown : {};
}
