/** So much of the end may be written a second time by a model that goes on, in characters. */
const longestRepeat = 500;
/** Fewer characters that are the same can be meant. */
const shortestRepeat = 12;
/** So many characters, the same as at the beginning, show that a text is begun anew. */
const newBeginning = 24;

/**
 * Joins a text that broke off with what the model writes when it is asked to go on. Models tend to repeat what they had
 * written last, or all of it: what may be a repetition is held back until it is clear, and left out if it was one.
 */
export class Seam {
  readonly #shown: string;
  readonly #end: string;
  #held = '';
  #startsLikeShown = true;
  #isOpen = false;
  #left = 0;

  constructor(shown: string) {
    this.#shown = shown;
    this.#end = shown.slice(-longestRepeat);
  }

  /** How many characters at the beginning of the continuation were a repetition. */
  get repeated(): number {
    return this.#left;
  }

  /** What is new of what was written. `anew`: the whole text is being written again, in other words. */
  take(delta: string): { readonly text: string } | 'anew' {
    if (this.#isOpen) return { text: delta };
    this.#startsLikeShown &&= this.#shown.startsWith(delta, this.#held.length);
    this.#held += delta;
    return this.#mayRepeat() ? { text: '' } : this.close();
  }

  /** What was held back, now that nothing or something else follows. */
  close(): { readonly text: string } | 'anew' {
    if (this.#isOpen) return { text: '' };
    this.#isOpen = true;
    this.#left = repetition(this.#shown, this.#held);
    if (this.#left === 0 && commonBeginning(this.#shown, this.#held) >= newBeginning) return 'anew';
    return { text: this.#held.slice(this.#left) };
  }

  #mayRepeat(): boolean {
    if (this.#startsLikeShown) return true;
    return this.#held.length <= longestRepeat && this.#end.includes(this.#held);
  }
}

/** How much of the beginning of the continuation is the end of what stands there already. */
function repetition(shown: string, written: string): number {
  if (shown.length >= shortestRepeat && written.startsWith(shown)) return shown.length;
  for (let length = Math.min(longestRepeat, shown.length, written.length); length >= shortestRepeat; length -= 1) {
    if (shown.endsWith(written.slice(0, length))) return length;
  }
  // A word that was cut is often written again as a whole.
  const cutWord = /[\p{L}\p{N}]{2,40}$/u.exec(shown.slice(-longestWord))?.[0] ?? '';
  return cutWord !== '' && written.startsWith(cutWord) && /^[\p{L}\p{N}]/u.test(written.slice(cutWord.length))
    ? cutWord.length
    : 0;
}

const longestWord = 40;

function commonBeginning(one: string, other: string): number {
  const most = Math.min(newBeginning, one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length += 1;
  return length;
}
