import { indentedJson } from '../../lib/indented-json.ts';

/** What says most of the arguments of a call, on one line. */
export function shortArguments(values: Readonly<Record<string, unknown>>): string {
  const texts = Object.values(values).flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [],
  );
  const line = texts.join(' · ').replaceAll(/\s+/g, ' ').trim();
  return Array.from(line.slice(0, 400)).slice(0, 120).join('');
}

/** A value as it is read: texts as they are, all else as JSON. */
export function readable(value: unknown): string {
  return typeof value === 'string' ? value : indentedJson(value);
}
