import { callTag } from './tags.ts';

/** Recognises the beginning of a call, which comes character by character: its tag, and behind that the beginning of JSON. */
export class CallOpening {
  #held = '';

  /** What may become a call, or not. */
  get held(): string {
    return this.#held;
  }

  /** The JSON as far as it is held. */
  get json(): string {
    return this.#held.slice(callTag.begin.length).trimStart();
  }

  /** `open`: the character goes on with the JSON · `none`: there is no call. In both cases it is not held. */
  take(character: string): 'held' | 'open' | 'none' {
    if (!this.#mayHold(character)) return /^["}]/.test(character) && this.json.startsWith('{') ? 'open' : 'none';
    this.#held += character;
    return 'held';
  }

  #mayHold(character: string): boolean {
    const { length } = this.#held;
    if (length < callTag.begin.length) return character === callTag.begin.charAt(length);
    if (length >= callTag.begin.length + mostBlanks) return false;
    return /\s/.test(character) || (character === '{' && this.json === '');
  }
}

/** How much space may stand behind the tag and the brace, in characters. */
const mostBlanks = 64;
