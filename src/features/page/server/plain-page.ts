import { ownFolder } from '../../../lib/own-version.ts';
import type { Language } from '../../../lib/words.ts';
import { serverWords } from './words.ts';

/** A page without code or styles, for when there is no other. */
export function plainPage(why: 'failed' | 'unbuilt', language: Language): string {
  const words = serverWords[language];
  const text = why === 'failed' ? words.buildFailed({ folder: ownFolder() }) : words.notBuilt({ folder: ownFolder() });
  return `<!doctype html>\n<html lang="${language}"><head><meta charset="utf-8"><title>Keyturn</title></head><body><p>${escaped(text)}</p></body></html>\n`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
