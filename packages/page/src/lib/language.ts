import { signal } from '@preact/signals';
import type { Catalogue, Language } from './catalogue.ts';
import { stored } from './storage.ts';

export { type Catalogue, catalogue, counted, type Language } from './catalogue.ts';

/** What this browser had last. */
export const languageItem = 'keyturn.language';

/** In which the page speaks: the person's, as the daemon knows it; before that, what this browser had last, or speaks itself. */
export const language = signal<Language>(readLanguage(stored(languageItem) ?? navigator.language));

/** The sentences in the language of now. Read it while you draw, so that a change draws again. */
export function say<Words>(words: Catalogue<Words>): Words {
  return words[language.value];
}

/** The language that a tag names: Chinese for `zh-TW`, English for all that is not Chinese. */
export function readLanguage(tag: string): Language {
  return tag.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

/** As browsers and `Intl` name it. */
export function languageTag(of: Language): string {
  return of === 'zh' ? 'zh-CN' : 'en';
}
