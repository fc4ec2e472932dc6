/** Whether inline code is open in a paragraph that comes character by character: it may go over several lines. */
export class CodeSpans {
  /** The length of the backticks that opened it; 0 if none is open. */
  #open = 0;
  /** The backticks that were read just now. */
  #run = 0;
  #isEscaped = false;

  get isOpen(): boolean {
    return this.#open > 0;
  }

  take(character: string): void {
    if (character === '`') {
      if (this.#run > 0 || !this.#isEscaped) this.#run += 1;
      this.#isEscaped = false;
      return;
    }
    if (this.#run > 0) {
      if (this.#open === 0) this.#open = this.#run;
      else if (this.#open === this.#run) this.#open = 0;
      this.#run = 0;
    }
    // In code a backslash means itself.
    this.#isEscaped = this.#open === 0 && character === '\\' && !this.#isEscaped;
  }

  /** The paragraph has ended. What is open in it never was code. */
  reset(): void {
    this.#open = 0;
    this.#run = 0;
    this.#isEscaped = false;
  }
}
