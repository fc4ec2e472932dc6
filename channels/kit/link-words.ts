import { oneLine } from '../../src/lib/plain-text.ts';

/** In characters. Longer ones are cut in the middle. */
const longestAddress = 4_096;

/**
 * A link for readers who see no link: `words (address)`. Only the words if they are the address themselves. Begins with
 * the words.
 */
export function linkWords(words: string, address: string): string {
  if (isAddress(words, address)) return words;
  return `${words} (${oneLine(address.trim(), longestAddress)})`;
}

/** A button that opens an address: `[button: Read more (https://example.com/)]`. */
export function buttonWords(label: string, address: string): string {
  return `[button: ${linkWords(oneLine(label, 200), address).trim()}]`;
}

/** Whether the words are the address as people write it: perhaps without its scheme, or without its last slash. */
function isAddress(words: string, address: string): boolean {
  const target = URL.parse(address.trim());
  if (words === address.trim()) return true;
  if (target === null || words === '' || /\s/.test(words)) return false;
  const scheme = /^[a-z][a-z0-9+.-]*:(?:\/\/)?/i.exec(address.trim())?.[0] ?? '';
  return [words, `${scheme}${words}`].some((written) => {
    const url = URL.parse(written);
    return url !== null && [url.href, `${url.href}/`].includes(target.href);
  });
}
