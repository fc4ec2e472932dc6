import { isJsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';

/** The most lines of a changelog that are shown. */
const mostLines = 60;

/** What a newer text has and an older one has not, under its headings. Undefined if that is nothing. */
export function addedLines(before: string, after: string): string | undefined {
  const old = new Set(before.split('\n'));
  const kept: string[] = [];
  let headings: string[] = [];
  for (const line of after.split('\n')) {
    const [marks] = /^#+(?= )/.exec(line) ?? [];
    if (marks !== undefined) headings = [...headings.filter((one) => !one.startsWith(marks)), line];
    else if (line.trim() !== '' && !old.has(line)) {
      kept.push(...headings, line);
      headings = [];
    }
  }
  if (kept.length === 0) return undefined;
  const shown = kept.slice(0, mostLines);
  return [...shown, ...(kept.length > mostLines ? ['…'] : [])].join('\n');
}

/** The keys of a config that one schema knows, and the other one not, as `channels.telegram.old`. */
export function goneKeys(
  config: JsonValue,
  schemas: { readonly from: string; readonly to: string },
): readonly string[] {
  const [from, to] = [schemas.from, schemas.to].map((text) => parseJson(text));
  if (!isJsonObject(from) || !isJsonObject(to)) return [];
  return pathsIn(config)
    .filter((path) => knows(from, path) && !knows(to, path))
    .map((path) => path.join('.'));
}

function pathsIn(value: JsonValue): readonly (readonly string[])[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, below]) => [[key], ...pathsIn(below).map((path) => [key, ...path])]);
}

function knows(schema: JsonValue | undefined, [key, ...below]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (!isJsonObject(schema)) return false;
  const { properties, additionalProperties, oneOf = [], anyOf = [], allOf = [] } = schema;
  const alternatives = [oneOf, anyOf, allOf].flat();
  if (alternatives.some((one) => knows(one, [key, ...below]))) return true;
  if (isJsonObject(properties) && Object.hasOwn(properties, key)) return knows(properties[key], below);
  return isJsonObject(additionalProperties) && knows(additionalProperties, below);
}
