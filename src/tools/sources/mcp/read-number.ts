import type { JsonObject } from '../../../lib/json.ts';
import type { FieldReader } from './field-reader.ts';

/** Reads a number, as the field's schema wants it. */
export function readNumber({ type, minimum, maximum }: JsonObject): FieldReader {
  const isWhole = type === 'integer';
  const least = typeof minimum === 'number' ? minimum : Number.NEGATIVE_INFINITY;
  const most = typeof maximum === 'number' ? maximum : Number.POSITIVE_INFINITY;
  const hint = `${isWhole ? 'a whole number' : 'a number'}${boundsWords(least, most)}`;
  return {
    hint,
    read(answer) {
      const said = answer.trim();
      const value = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(said) ? Number(said) : Number.NaN;
      const fits = Number.isFinite(value) && value >= least && value <= most && (!isWhole || Number.isInteger(value));
      return fits ? { valid: true, value } : { valid: false, why: `Write ${hint}, in digits.` };
    },
  };
}

function boundsWords(least: number, most: number): string {
  if (Number.isFinite(least)) return Number.isFinite(most) ? ` from ${least} to ${most}` : ` from ${least} on`;
  return Number.isFinite(most) ? ` up to ${most}` : '';
}
