import type { Redactor } from './redact.ts';

/** So much of the earlier text is looked at again: the length of the longest private key. */
const context = 4096;
/** A longer word is shown as it grows. */
const longestWord = 2048;

export type RedactedStream = ReturnType<typeof createRedactedStream>;

/**
 * A text that is shown while it grows, without its secrets. What may be the beginning of one waits for what follows:
 * that of one of the known `secrets`, or an unfinished word with digits or signs in it, as tokens have them.
 */
export function createRedactedStream(redact: Redactor, secrets: readonly string[], show: (delta: string) => void) {
  /** What was shown of late, as it came, and what waits behind it. */
  let text = '';
  let shown = 0;

  /** How much of the end is the beginning of a known secret. */
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
    // What is shown already cannot be taken back: where a secret turns out to reach into it, only what follows is new.
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
    /** The text is whole: shows what has waited. */
    end: () => showUpTo(text.length),
  };
}

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return one.slice(0, length);
}
