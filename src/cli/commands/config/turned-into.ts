import { parse } from 'jsonc-parser';
import { type Difference, differencesOf } from '../../../config/differences.ts';
import { syntax } from '../../../config/source.ts';
import type { JsonValue } from '../../../lib/json.ts';
import { withEdits } from '../../config-text.ts';
import { writtenValue } from './versions.ts';

/** The text of now with the values of the other: comments and order stay where a key stays. A text that is no JSON is replaced. */
export function turnedInto(text: string, whole: string): string {
  const wanted = valueIn(whole);
  const now = writtenValue(text) === undefined || text.trim() === '' ? undefined : valueIn(text);
  if (now === undefined) return whole;
  const edits = differencesOf(now, wanted).map(({ path, now: value }: Difference) => ({ path, value }));
  const edited = withEdits(text, edits) ?? whole;
  return differencesOf(valueIn(edited), wanted).length === 0 ? edited : whole;
}

function valueIn(text: string): JsonValue {
  const value: JsonValue | undefined = parse(text.replace(/^\uFEFF/, ''), [], syntax);
  return value ?? {};
}
