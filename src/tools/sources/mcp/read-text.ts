import type { JsonObject } from '../../../lib/json.ts';
import { boundedPattern } from '../../bounded-pattern.ts';
import type { FieldReader } from './field-reader.ts';

interface Form {
  readonly hint: string;
  fits(text: string): boolean;
}

const forms: ReadonlyMap<string, Form> = new Map([
  ['email', { hint: 'an e-mail address', fits: (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(text) }],
  ['uri', { hint: 'a complete URL', fits: (text: string) => URL.canParse(text) }],
  ['date', { hint: 'a date as 2026-03-31', fits: isDate }],
  ['date-time', { hint: 'a date and time as 2026-03-31T09:00:00Z', fits: isDateTime }],
]);

/** Reads a text, as the field's schema wants it. */
export function readText({ format, minLength, maxLength, pattern }: JsonObject): FieldReader {
  const form = typeof format === 'string' ? forms.get(format) : undefined;
  const least = typeof minLength === 'number' ? minLength : 0;
  const most = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
  const shape = typeof pattern === 'string' ? patternOf(pattern) : undefined;
  return {
    hint: form?.hint ?? '',
    read(answer) {
      const value = answer.trim();
      const length = [...value].length;
      if (form !== undefined && !form.fits(value)) return { valid: false, why: `Write ${form.hint}.` };
      if (length < least) return { valid: false, why: `Write at least ${least} characters.` };
      if (length > most) return { valid: false, why: `Write at most ${most} characters: these are ${length}.` };
      const fits = shape?.test(value) ?? true;
      return fits ? { valid: true, value } : { valid: false, why: 'The server wants it in another form.' };
    },
  };
}

/** One that cannot be used is for the server to check. */
function patternOf(source: string): ReturnType<typeof boundedPattern> | undefined {
  try {
    return boundedPattern(source, 'u');
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

function isDate(text: string): boolean {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [day = ''] = text.split(/[Tt ]/);
  return isDate(day) && /^.{10}[Tt ]\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text));
}
