import { language, languageTag } from './language.ts';

/** A number as it is written: "12,345". Read it while you draw. */
export function count(of: number): string {
  return new Intl.NumberFormat(languageTag(language.value)).format(of);
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** A size in bytes, for people: "3.4 MB". A kilobyte has 1024 of them, as everywhere in Keyturn. Read it while you draw. */
export function sizeText(bytes: number): string {
  const step = Math.min(byteUnits.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const unit = byteUnits[step] ?? 'byte';
  const format = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(languageTag(language.value), format).format(bytes / 1024 ** step);
}
