import fc from 'fast-check';
import { isJsonObject, type JsonValue } from '../../src/lib/json.ts';
import { anyText } from '../support/any-text.ts';

type Path = readonly (string | number)[];

/** Copies of a sound payload, each with one of its parts taken away or replaced by anything. Always the same ones. */
export function mutations(sound: JsonValue, count: number): readonly (JsonValue | undefined)[] {
  const paths = pathsIn(sound);
  const choice = fc.record({ at: fc.nat(), value: fc.option(anything, { nil: undefined }) });
  return fc
    .sample(choice, { numRuns: count, seed: 7 })
    .map(({ at, value }) => replaced(sound, paths[at % paths.length] ?? [], value));
}

const anything: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(null, '', 0, -1, 1e308, [], {}, true, [null], { id: null }),
  anyText(),
  fc.integer(),
);

function pathsIn(value: JsonValue, path: Path = []): readonly Path[] {
  return [path, ...partsOf(value).flatMap(([key, part]) => pathsIn(part, [...path, key]))];
}

function partsOf(value: JsonValue): readonly (readonly [string | number, JsonValue])[] {
  if (isJsonObject(value)) return Object.entries(value);
  return Array.isArray(value) ? [...value.entries()] : [];
}

function replaced(value: JsonValue, [key, ...rest]: Path, other: JsonValue | undefined): JsonValue | undefined {
  if (key === undefined) return other;
  const parts = partsOf(value).flatMap(([name, part]): readonly (readonly [string | number, JsonValue])[] => {
    const now = name === key ? replaced(part, rest, other) : part;
    return now === undefined ? [] : [[name, now]];
  });
  return isJsonObject(value) ? Object.fromEntries(parts) : parts.map(([, part]) => part);
}
