import { language, languageTag } from './language.ts';

/** A number as it is written: "12,345". Read it while you draw. */
export function count(of: number): string {
  return new Intl.NumberFormat(languageTag(language.value)).format(of);
}
