/*
 * Where a bare address ends in a text without spaces. Chinese, Japanese and Korean are written right behind an address:
 * 请看https://example.com/a这里。 An address may hold such characters too: https://zh.wikipedia.org/wiki/中国
 */

const letter =
  /[\u2e80-\u2fff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u30ff\u3100-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9f]/;

const punctuation =
  /[\u2014\u2018-\u201d\u2026\u3001-\u3004\u3008-\u3020\u302a-\u3030\u3036-\u303f\ufe10-\ufe6f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/;

/** Whether the character is one of these languages. */
export function isEastAsian(character: string): boolean {
  return letter.test(character) || punctuation.test(character);
}

/** Put behind an address, it ends there on every platform, and hardly shows. */
export const afterAddress = '\u200a';

/**
 * How many characters of it are the address: up to punctuation of these languages, and up to letters of theirs that follow
 * Latin ones. Behind a mark that separates parts of an address, they belong to it; behind the slash after the host they do
 * not. `found`: an address up to the next white space.
 */
export function addressEnd(found: string): number {
  const start = /^(?:https?:\/\/)?/i.exec(found)?.[0].length ?? 0;
  const hostEnd = start + (/^[^/?#]*/.exec(found.slice(start))?.[0].length ?? 0);
  for (let at = start; at < found.length; at += 1) {
    const character = found.charAt(at);
    if (punctuation.test(character)) return withoutMarks(found, at);
    const before = found.charAt(at - 1);
    if (!letter.test(character) || letter.test(before)) continue;
    const mayFollow =
      at <= hostEnd ? at === start || /[.-]/.test(before) : at > hostEnd + 1 && /[/=&?#_+%-]/.test(before);
    if (!mayFollow && !(before === '?' || before === '#')) return withoutMarks(found, at);
  }
  return found.length;
}

/** Without the ends of emphasis, which belong to the text around. */
function withoutMarks(found: string, end: number): number {
  let at = end;
  while (at > 0 && '*_~'.includes(found.charAt(at - 1))) at -= 1;
  return at;
}
