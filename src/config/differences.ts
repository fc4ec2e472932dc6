/* How two configs differ. Secrets are only marked, with a checksum: a secret that changed is seen, and never shown. */

import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue, own } from '../lib/json.ts';
import { type KeyPath, spellPath } from './config-error.ts';
import { withoutSecrets } from './last-good.ts';

/** A key that has another value now. */
export interface Difference {
  readonly path: KeyPath;
  /** As messages spell it: `approval.policy`. */
  readonly key: string;
  /** Undefined: it was not there. */
  readonly old: JsonValue | undefined;
  /** Undefined: it is not there any longer. */
  readonly now: JsonValue | undefined;
}

/** A config with marks in the place of what may be secret. */
export function marked(config: object): JsonValue {
  const value: JsonValue = JSON.parse(withoutSecrets(JSON.stringify(config)) ?? '{}');
  return value;
}

/** Key by key, in the order of `now`, then what is only in `old`. A list counts as one value. */
export function differencesOf(
  old: JsonValue | undefined,
  now: JsonValue | undefined,
  path: KeyPath = [],
): readonly Difference[] {
  const [before, after] = [membersOf(old), membersOf(now)];
  // An empty object is a value of its own.
  const isWithin = before !== undefined && after !== undefined && (hasKeys(before) || hasKeys(after));
  if (isWithin) {
    const keys = [...new Set([...Object.keys(after), ...Object.keys(before)])];
    return keys.flatMap((key) => differencesOf(own(before, key), own(after, key), [...path, key]));
  }
  return isDeepStrictEqual(old, now) ? [] : [{ path, key: spellPath(path), old, now }];
}

/** What is not there has no members. Undefined for other values. */
function membersOf(value: JsonValue | undefined): JsonObject | undefined {
  if (value === undefined) return {};
  return isJsonObject(value) ? value : undefined;
}

function hasKeys(object: JsonObject): boolean {
  return Object.keys(object).length > 0;
}

/** The values of an object that are no objects, each with its place. */
export function leavesOf(value: JsonValue, path: KeyPath = []): readonly (readonly [KeyPath, JsonValue])[] {
  if (!isJsonObject(value) || !hasKeys(value)) return path.length === 0 ? [] : [[path, value]];
  return Object.entries(value).flatMap(([key, part]) => leavesOf(part, [...path, key]));
}

/** Whether a new value of the key holds only from the next start on. */
export function isOfNextStart(key: string): boolean {
  return key === 'data_dir' || key === 'tools.stop_secs';
}
