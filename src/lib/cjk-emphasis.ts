import { readLines } from './split/markdown-lines.ts';

/**
 * CommonMark takes no stars for marks that stand between Chinese punctuation and Chinese words, since no space tells
 * words apart. Puts a hair space beside them, which makes them marks for readers that keep to it.
 */
export function spaceEmphasis(markdown: string): string {
  if (!cjk.test(markdown) || !/[*~]/.test(markdown)) return markdown;
  return readLines(markdown)
    .map(({ start, end, fence, kind }) => {
      const line = markdown.slice(start, end);
      return fence !== undefined || kind === 'opens-fence' ? line : spaceAround(line);
    })
    .join('');
}

const cjk = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]|[\ud840-\ud88d]/;

/** Code and escapes, which stay; or marks with the words between, which are italic in part where they are bold. */
const emphasis =
  /(`+)[^`\n]+\1|\\.|(?<![*~])(?:(\*\*)(?=[^\s*~])((?:[^*~\n]|\*(?!\*))*[^\s~])\*\*|(\*|\*\*\*|~~)(?=[^\s*~])([^*~\n]*[^\s*~])\4)(?![*~])/g;
const hairSpace = '\u200a';

function spaceAround(line: string): string {
  return line.replace(emphasis, (whole: string, ...found: readonly unknown[]) => {
    const words = [found[2], found[4]].find((one) => typeof one === 'string');
    const at = found[5];
    if (typeof words !== 'string' || typeof at !== 'number') return whole;
    const [before, after] = [lastOf(line.slice(0, at)), firstOf(line.slice(at + whole.length))];
    return lacksSpace(before, firstOf(words)) + whole + lacksSpace(after, lastOf(words));
  });
}

function firstOf(text: string): string {
  return /^./su.exec(text)?.[0] ?? '';
}

function lastOf(text: string): string {
  return /.$/su.exec(text.slice(-2))?.[0] ?? '';
}

/** A space, where CommonMark needs one between a mark inside of which punctuation stands, and the word outside. */
function lacksSpace(outside: string, inside: string): string {
  const isWord = outside !== '' && !/[\s\p{P}\p{S}]/u.test(outside);
  return isWord && /[\p{P}\p{S}]/u.test(inside) && (cjk.test(outside) || cjk.test(inside)) ? hairSpace : '';
}
