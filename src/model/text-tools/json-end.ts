/** What a character means for a JSON object: it goes on · it has ended with this one · this cannot be JSON. */
export type JsonProgress = 'more' | 'end' | 'broken';

/** Finds the end of a JSON object that comes character by character. Knows strings, so that anything may stand in them. */
export class JsonEnd {
  #depth = 0;
  #isString = false;
  #isEscaped = false;

  take(character: string): JsonProgress {
    if (this.#isString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === '\\') this.#isEscaped = true;
      else if (character === '"') this.#isString = false;
      return 'more';
    }
    switch (character) {
      case '"':
        this.#isString = true;
        return 'more';
      case '{':
      case '[':
        this.#depth += 1;
        return 'more';
      case '}':
      case ']':
        this.#depth -= 1;
        return this.#depth === 0 ? 'end' : 'more';
      default:
        return plain.test(character) ? 'more' : 'broken';
    }
  }
}

/** What may stand between strings and brackets: space, marks, numbers, and the letters of true, false and null. */
const plain = /[\s\d:,.+\-Eaeflnrstu]/;
