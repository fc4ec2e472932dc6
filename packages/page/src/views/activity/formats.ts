import { language, languageTag } from '../../lib/language.ts';

/** A great number in short: "12K". */
export function shortCount(value: number): string {
  const format = { notation: 'compact', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(languageTag(language.value), format).format(value);
}

/** Millionths of a currency. */
export function money(cost: number, currency: string): string {
  const format = { style: 'currency', currency, maximumFractionDigits: cost > 0 && cost < 1_000_000 ? 4 : 2 } as const;
  return new Intl.NumberFormat(languageTag(language.value), format).format(cost / 1_000_000);
}
