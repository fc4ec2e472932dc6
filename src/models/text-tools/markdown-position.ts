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
export function markdownPosition() {
  const spans = codeSpans();
  let fence: Fence | undefined;
  /** Where the contents of the open list items begin, in columns. */
  const items: number[] = [];
  /** A fence was seen that may be one or not: nobody knows what is code from there on. */
  let isDoubtful = false;
  let wasReturn = false;

  let stage: Stage = 'margin';
  let column = 0;
  /** No list marker was read on this line. */
  let isBare = true;
  /** Behind the list marker whose content is still to come. */
  let marker: number | undefined;
  let run = { character: '', length: 0, column: 0, isDeep: false };
  let info = { isBlank: true, hasBacktick: false };

  /** Whether a call may begin here. */
  function mayBegin(): boolean {
    if (stage !== 'margin' || !isBare || column > deepestMargin) return false;
    return fence === undefined && !isDoubtful && !spans.isOpen();
  }

  /** The text goes on so. */
  function take(text: string): void {
    for (let at = 0; at < text.length; at += 1) takeOne(text.charAt(at));
  }

  function takeOne(character: string): void {
    const isSecond = character === '\n' && wasReturn;
    wasReturn = character === '\r';
    if (isSecond) return;
    if (fence === undefined) spans.take(character);
    if (character === '\n' || character === '\r') endLine();
    else takeInLine(character);
  }

  function takeInLine(character: string): void {
    switch (stage) {
      case 'margin':
        takeMargin(character);
        return;
      case 'bullet':
        takeMarker(character);
        return;
      case 'number':
        if (character === '.' || character === ')') stage = 'bullet';
        else if (!isDigit(character)) stage = 'body';
        break;
      case 'fence':
        takeFence(character);
        break;
      case 'body':
        break;
    }
    column += 1;
  }

  function takeMargin(character: string): void {
    if (isBlank(character)) {
      column += character === '\t' ? 4 - (column % 4) : 1;
      return;
    }
    settleItems(character);
    const isDeep = column - base() > deepestMargin;
    if ((character === '`' || character === '~') && (fence === undefined || isBare)) {
      run = { character, length: 1, column, isDeep };
      info = { isBlank: true, hasBacktick: false };
      stage = 'fence';
    } else if (fence === undefined && !isDeep && /[-*+]/.test(character)) stage = 'bullet';
    else if (fence === undefined && !isDeep && isDigit(character)) stage = 'number';
    else stage = 'body';
    column += 1;
  }

  function base(): number {
    return items.at(-1) ?? 0;
  }

  /** The first character of a line, or behind a list marker: which items go on, and where a new one begins. */
  function settleItems(character: string): void {
    if (marker !== undefined) {
      const width = column - marker;
      items.push(width > 4 ? marker + 1 : column);
      marker = undefined;
    } else if (isBare) {
      // What stands further left has left the item, and with it the fence in it.
      if (fence !== undefined && column < fence.base) {
        fence = undefined;
        spans.take(character);
      }
      while (fence === undefined && column < base()) items.pop();
    }
  }

  function takeMarker(character: string): void {
    if (!isBlank(character)) {
      stage = 'body';
      return;
    }
    isBare = false;
    marker = column;
    stage = 'margin';
    takeMargin(character);
  }

  function takeFence(character: string): void {
    // Nothing but the fence's own characters has come since it began.
    const isRun = column === run.column + run.length;
    if (character === run.character && info.isBlank && isRun) run.length += 1;
    else {
      info.hasBacktick ||= character === '`';
      info.isBlank &&= isBlank(character);
    }
  }

  function endLine(): void {
    if (stage === 'fence' && run.length >= shortestFence) endFenceLine();
    if (stage === 'margin' && isBare) spans.reset();
    beginLine();
  }

  function endFenceLine(): void {
    const { character, length, isDeep } = run;
    if (fence === undefined) {
      if (character === '`' && info.hasBacktick) return;
      if (isDeep) isDoubtful = true;
      fence = { character, length, base: base() };
      spans.reset();
      return;
    }
    if (character !== fence.character || length < fence.length || !info.isBlank) return;
    if (run.column - fence.base > deepestMargin) isDoubtful = true;
    fence = undefined;
  }

  function beginLine(): void {
    stage = 'margin';
    column = 0;
    isBare = true;
    marker = undefined;
  }

  return {
    mayBegin,
    take,
    /** A call stood here, and has ended: what follows stands as on a line of its own. */
    takeCall: beginLine,
  };
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
function codeSpans() {
  /** The length of the backticks that opened it; 0 if none is open. */
  let open = 0;
  /** The backticks that were read just now. */
  let run = 0;
  let isEscaped = false;

  function take(character: string): void {
    if (character === '`') {
      if (run > 0 || !isEscaped) run += 1;
      isEscaped = false;
      return;
    }
    if (run > 0) {
      if (open === 0) open = run;
      else if (open === run) open = 0;
      run = 0;
    }
    // In code a backslash means itself.
    isEscaped = open === 0 && character === '\\' && !isEscaped;
  }

  /** The paragraph has ended. What is open in it never was code. */
  function reset(): void {
    open = 0;
    run = 0;
    isEscaped = false;
  }

  return { isOpen: () => open > 0, take, reset };
}
