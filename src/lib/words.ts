/** The languages that people are spoken to in. */
export const languages = ['en', 'zh'] as const;

export type Language = (typeof languages)[number];

/** The sentences of a folder, in each language: `memoryWords[language].forgotten(count)`. */
export type Catalogue<Words> = Readonly<Record<Language, Words>>;

/** English says which sentences there are and what goes into them; every other language must have the same. */
export function catalogue<Words extends object>(words: {
  readonly en: Words;
  readonly zh: NoInfer<Words>;
}): Catalogue<Words> {
  return words;
}
