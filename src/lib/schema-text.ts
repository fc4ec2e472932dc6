import { type Language, languages, type Words } from './words.ts';

/** Stands between the languages of a text. It is in no text of ours; what we quote of others has it escaped. */
const between = '\0';

/**
 * Words in every language as the one string that a schema takes for an error: `error: schemaText(words)`. A schema is made
 * before anybody knows who reads what is wrong; `schemaTextIn` takes the string apart again.
 */
export function schemaText(words: Words): string {
  return typeof words === 'string' ? words : languages.map((language) => words(language)).join(between);
}

/** The error of a schema in one language. A plain text, as others write it, is the same in each. */
export function schemaTextIn(language: Language, text: string): string {
  const parts = text.split(between);
  return parts.length === languages.length ? (parts[languages.indexOf(language)] ?? text) : text;
}
