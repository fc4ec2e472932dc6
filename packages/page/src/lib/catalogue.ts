/* The sentences of the page. What only says them needs no browser. */

export type Language = 'en' | 'zh';

/** The sentences of a folder, in each language. */
export type Catalogue<Words> = Readonly<Record<Language, Words>>;

/** English says which sentences there are and what goes into them; Chinese must have the same. */
export function catalogue<Words extends object>(words: {
  readonly en: Words;
  readonly zh: NoInfer<Words>;
}): Catalogue<Words> {
  return words;
}
