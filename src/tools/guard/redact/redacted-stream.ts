import type { Redactor } from './redact.ts';

/** How many characters of shown text are redacted again: the length of the longest private key. */
const context = 4096;
/** Longer words are shown as they grow. */
const longestWord = 2048;

export type RedactedStream = ReturnType<typeof createRedactedStream>;

/**
 * Shows a growing text without its secrets. Holds back what may begin one until more follows: the beginning of one of
 * `secrets`, or an unfinished word with digits or signs, which tokens have.
 */
export function createRedactedStream(redact: Redactor, secrets: readonly string[], show: (delta: string) => void) {
  /** The text shown last, unredacted, and the text held back after it. */
  let text = '';
  let shown = 0;

  /** How many characters at the end begin a known secret. */
  function beginningOfSecret(): number {
    let length = 0;
    for (const secret of secrets) {
      const most = Math.min(secret.length - 1, text.length);
      for (let size = most; size > length; size--) if (text.endsWith(secret.slice(0, size))) length = size;
    }
    return length;
  }

  function showUpTo(end: number): void {
    if (end <= shown) return;
    const before = redact(text.slice(0, shown));
    const after = redact(text.slice(0, end));
    const from = Math.max(0, end - context);
    text = text.slice(from);
    shown = end - from;
    // Shown text can't be taken back. If a secret turns out to reach into it, only the rest is shown.
    const fresh = after.slice(commonStart(before, after).length);
    if (fresh !== '') show(fresh);
  }

  return {
    push(delta: string): void {
      text += delta;
      const [word = ''] = /[\x21-\x7e]*$/.exec(text.slice(-longestWord)) ?? [];
      const isToken = /[\d_+/=~:@-]/.test(word) && word.length < longestWord;
      showUpTo(text.length - (isToken ? word.length : beginningOfSecret()));
    },
    /** The text is complete: shows what was held back. */
    end: () => showUpTo(text.length),
  };
}

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return one.slice(0, length);
}
