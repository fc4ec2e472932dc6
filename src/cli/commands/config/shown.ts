import { type Difference, isOfNextStart } from '../../../config/differences.ts';
import { isMark } from '../../../config/left-out.ts';
import { isJsonObject, type JsonValue } from '../../../lib/json.ts';
import { textWidth } from '../../../lib/text-width.ts';
import type { Language } from '../../../lib/words.ts';
import type { Redactor } from '../../../tools/guard/redact/redact.ts';
import { columns } from '../../columns.ts';
import { configCommandWords } from './words.ts';

/** How values are shown. */
export interface ValueReader {
  readonly language: Language;
  /** Takes out what the environment and the config hold of secrets. */
  readonly redact: Redactor;
}

/** In columns of a terminal. */
const longestValue = 60;

/** A line per key: `approval.policy  always_require → require_for_dangerous`. */
export function differenceLines(differences: readonly Difference[], reader: ValueReader): readonly string[] {
  const say = configCommandWords[reader.language];
  return columns(
    differences.map(({ key, old, now }) => {
      const late = isOfNextStart(key) ? ` ${say.atNextStart}` : '';
      if (isMark(old) && isMark(now)) return [key, say.otherSecret + late];
      return [key, `${shownValue(old, reader)} → ${shownValue(now, reader)}${late}`];
    }),
  );
}

/** A value in words, as long as a line has room for it. */
function shownValue(value: JsonValue | undefined, { language, redact }: ValueReader): string {
  const say = configCommandWords[language];
  if (value === undefined) return say.notThere;
  if (isMark(value)) return say.aSecret;
  const text = redact(typeof value === 'string' && value !== '' ? value : JSON.stringify(hidden(value, redact)));
  return cut(text.replace(/\s+/g, ' '), longestValue);
}

/** For programs. What may be secret is `[secret]`. */
export function differencesForPrograms(differences: readonly Difference[], redact: Redactor): object {
  return differences.map(({ key, old, now }) => ({
    key,
    old: old === undefined ? null : hidden(old, redact),
    new: now === undefined ? null : hidden(now, redact),
    at_next_start: isOfNextStart(key),
  }));
}

/** A value without marks and without secrets. */
function hidden(value: JsonValue, redact: Redactor): JsonValue {
  if (typeof value === 'string') return isMark(value) ? '[secret]' : redact(value);
  if (Array.isArray(value)) return value.map((part) => hidden(part, redact));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, hidden(part, redact)]));
}

/** The first keys that differ, and how many more do. */
export function keysInShort(differences: readonly Difference[], language: Language): string {
  const keys = differences.slice(0, 3).map(({ key }) => key);
  return configCommandWords[language].someKeys({ keys, more: differences.length - keys.length });
}

function cut(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const points = [...text];
  while (textWidth(points.join('')) > width - 1) points.pop();
  return `${points.join('')}…`;
}
