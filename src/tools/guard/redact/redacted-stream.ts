import type { Redactor } from './redact.ts';

/** So much of the earlier text is looked at again: the length of the longest private key. */
const context = 4096;
/** A longer word is shown as it grows. */
const longestWord = 2048;

export interface RedactedStreamOptions {
  readonly redact: Redactor;
  /** What is known to be secret. */
  readonly secrets: readonly string[];
  readonly show: (delta: string) => void;
}

/**
 * A text that is shown while it grows, without its secrets. What may be the beginning of one waits for what follows:
 * that of a known one, or an unfinished word with digits or signs in it, as tokens have them.
 */
export class RedactedStream {
  readonly #options: RedactedStreamOptions;
  /** What was shown of late, as it came, and what waits behind it. */
  #text = '';
  #shown = 0;

  constructor(options: RedactedStreamOptions) {
    this.#options = options;
  }

  push(delta: string): void {
    this.#text += delta;
    const [word = ''] = /[\x21-\x7e]*$/.exec(this.#text.slice(-longestWord)) ?? [];
    const isToken = /[\d_+/=~:@-]/.test(word) && word.length < longestWord;
    this.#showUpTo(this.#text.length - (isToken ? word.length : this.#beginningOfSecret()));
  }

  /** The text is whole: shows what has waited. */
  end(): void {
    this.#showUpTo(this.#text.length);
  }

  /** How much of the end is the beginning of a known secret. */
  #beginningOfSecret(): number {
    let length = 0;
    for (const secret of this.#options.secrets) {
      const most = Math.min(secret.length - 1, this.#text.length);
      for (let size = most; size > length; size--) if (this.#text.endsWith(secret.slice(0, size))) length = size;
    }
    return length;
  }

  #showUpTo(end: number): void {
    if (end <= this.#shown) return;
    const { redact, show } = this.#options;
    const before = redact(this.#text.slice(0, this.#shown));
    const after = redact(this.#text.slice(0, end));
    const from = Math.max(0, end - context);
    this.#text = this.#text.slice(from);
    this.#shown = end - from;
    // What is shown already cannot be taken back: where a secret turns out to reach into it, only what follows is new.
    const fresh = after.slice(commonStart(before, after).length);
    if (fresh !== '') show(fresh);
  }
}

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return one.slice(0, length);
}
