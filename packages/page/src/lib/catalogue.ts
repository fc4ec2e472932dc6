/* The sentences of the page. What only says them needs no browser. */

export type Language = 'en' | 'zh';

/** The sentences of a folder, in each language. */
export type Catalogue<Words> = Readonly<Record<Language, Words>>;

/** A number, as it is written, with its English noun: "1 call", "1,200 calls". */
export function counted(count: number | string, one: string, many = `${one}s`): string {
  return `${count} ${String(count) === '1' ? one : many}`;
}

/** English says which sentences there are and what goes into them; Chinese must have the same. */
export function catalogue<Words extends object>(words: {
  readonly en: Words;
  readonly zh: NoInfer<Words>;
}): Catalogue<Words> {
  return words;
}
