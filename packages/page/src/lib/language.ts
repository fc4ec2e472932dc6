import { signal } from '@preact/signals';

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

/** In which the page speaks: the person's, as the daemon knows it; before that, the browser's. */
export const language = signal<Language>(navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en');

/** The sentences in the language of now. Read it while you draw, so that a change draws again. */
export function say<Words>(words: Catalogue<Words>): Words {
  return words[language.value];
}
