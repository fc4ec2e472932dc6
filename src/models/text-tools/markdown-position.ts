interface Fence {
  readonly character: string;
  readonly length: number;
  /** Where the list item begins that it stands in, in columns. */
  readonly base: number;
}

/** What was read of a line: nothing but its margin and list markers · a marker that may follow · a fence · anything else. */
type Stage = 'margin' | 'number' | 'bullet' | 'fence' | 'body';

/**
 * Knows of a text that comes piece by piece whether a call may begin where it ends: at the beginning of a line, outside of
 * fences, inline code, quotations, list markers and code that is indented. Where Markdown leaves it in doubt, none may. Looks
 * at each character once.
 */
export class MarkdownPosition {
  readonly #spans = new CodeSpans();
  #fence: Fence | undefined;
  /** Where the contents of the open list items begin, in columns. */
  #items: number[] = [];
  /** A fence was seen that may be one or not: nobody knows what is code from there on. */
  #isDoubtful = false;
  #wasReturn = false;

  #stage: Stage = 'margin';
  #column = 0;
  /** No list marker was read on this line. */
  #isBare = true;
  /** Behind the list marker whose content is still to come. */
  #marker: number | undefined;
  #run = { character: '', length: 0, column: 0, isDeep: false };
  #info = { isBlank: true, hasBacktick: false };

  /** Whether a call may begin here. */
  get mayBegin(): boolean {
    if (this.#stage !== 'margin' || !this.#isBare || this.#column > deepestMargin) return false;
    return this.#fence === undefined && !this.#isDoubtful && !this.#spans.isOpen;
  }

  /** The text goes on so. */
  take(text: string): void {
    for (let at = 0; at < text.length; at += 1) this.#takeOne(text.charAt(at));
  }

  /** A call stood here, and has ended: what follows stands as on a line of its own. */
  takeCall(): void {
    this.#beginLine();
  }

  #takeOne(character: string): void {
    const isSecond = character === '\n' && this.#wasReturn;
    this.#wasReturn = character === '\r';
    if (isSecond) return;
    if (this.#fence === undefined) this.#spans.take(character);
    if (character === '\n' || character === '\r') this.#endLine();
    else this.#takeInLine(character);
  }

  #takeInLine(character: string): void {
    switch (this.#stage) {
      case 'margin':
        this.#takeMargin(character);
        return;
      case 'bullet':
        this.#takeMarker(character);
        return;
      case 'number':
        if (character === '.' || character === ')') this.#stage = 'bullet';
        else if (!isDigit(character)) this.#stage = 'body';
        break;
      case 'fence':
        this.#takeFence(character);
        break;
      case 'body':
        break;
    }
    this.#column += 1;
  }

  #takeMargin(character: string): void {
    if (isBlank(character)) {
      this.#column += character === '\t' ? 4 - (this.#column % 4) : 1;
      return;
    }
    this.#settleItems(character);
    const isDeep = this.#column - this.#base > deepestMargin;
    if ((character === '`' || character === '~') && (this.#fence === undefined || this.#isBare)) {
      this.#run = { character, length: 1, column: this.#column, isDeep };
      this.#info = { isBlank: true, hasBacktick: false };
      this.#stage = 'fence';
    } else if (this.#fence === undefined && !isDeep && /[-*+]/.test(character)) this.#stage = 'bullet';
    else if (this.#fence === undefined && !isDeep && isDigit(character)) this.#stage = 'number';
    else this.#stage = 'body';
    this.#column += 1;
  }

  get #base(): number {
    return this.#items.at(-1) ?? 0;
  }

  /** The first character of a line, or behind a list marker: which items go on, and where a new one begins. */
  #settleItems(character: string): void {
    if (this.#marker !== undefined) {
      const width = this.#column - this.#marker;
      this.#items.push(width > 4 ? this.#marker + 1 : this.#column);
      this.#marker = undefined;
    } else if (this.#isBare) {
      // What stands further left has left the item, and with it the fence in it.
      if (this.#fence !== undefined && this.#column < this.#fence.base) {
        this.#fence = undefined;
        this.#spans.take(character);
      }
      while (this.#fence === undefined && this.#column < this.#base) this.#items.pop();
    }
  }

  #takeMarker(character: string): void {
    if (!isBlank(character)) {
      this.#stage = 'body';
      return;
    }
    this.#isBare = false;
    this.#marker = this.#column;
    this.#stage = 'margin';
    this.#takeMargin(character);
  }

  #takeFence(character: string): void {
    if (character === this.#run.character && this.#info.isBlank && this.#isRun) this.#run.length += 1;
    else {
      this.#info.hasBacktick ||= character === '`';
      this.#info.isBlank &&= isBlank(character);
    }
  }

  /** Whether nothing but the fence's own characters has come since it began. */
  get #isRun(): boolean {
    return this.#column === this.#run.column + this.#run.length;
  }

  #endLine(): void {
    if (this.#stage === 'fence' && this.#run.length >= shortestFence) this.#endFenceLine();
    if (this.#stage === 'margin' && this.#isBare) this.#spans.reset();
    this.#beginLine();
  }

  #endFenceLine(): void {
    const { character, length, column, isDeep } = this.#run;
    if (this.#fence === undefined) {
      if (character === '`' && this.#info.hasBacktick) return;
      if (isDeep) this.#isDoubtful = true;
      this.#fence = { character, length, base: this.#base };
      this.#spans.reset();
      return;
    }
    const { base, ...open } = this.#fence;
    if (character !== open.character || length < open.length || !this.#info.isBlank) return;
    if (column - base > deepestMargin) this.#isDoubtful = true;
    this.#fence = undefined;
  }

  #beginLine(): void {
    this.#stage = 'margin';
    this.#column = 0;
    this.#isBare = true;
    this.#marker = undefined;
  }
}

/** In columns: what stands further in is code. */
const deepestMargin = 3;
const shortestFence = 3;

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t';
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

/** Whether inline code is open in a paragraph that comes character by character: it may go over several lines. */
class CodeSpans {
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
