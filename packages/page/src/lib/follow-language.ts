import { effect } from '@preact/signals';
import { language, languageItem, languageTag } from './language.ts';
import { store } from './storage.ts';

/** Tells the browser, and readers of the screen, which language this is, and keeps it. Called once. */
export function followLanguage(): void {
  effect(() => {
    document.documentElement.lang = languageTag(language.value);
    store(languageItem, language.value);
  });
}
