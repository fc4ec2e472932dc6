const escapeCharacter = '\u001b';
const bell = '\u0007';
/** Two spellings each, of seven and of eight bits. */
const control = `(?:${escapeCharacter}\\[|\u009b)[0-?]*[ -/]*[@-~]`;
/** It carries a text, such as a title. A text without an end is not looked for far: it stays, and does no harm. */
const string = `(?:${escapeCharacter}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])\\P{Cc}{0,500}(?:${bell}|${escapeCharacter}\\\\|\u009c)`;
const other = `${escapeCharacter}[ -/]*[0-~]`;
const sequences = new RegExp(`${control}|${string}|${other}`, 'gu');
/** Everything else that a terminal obeys instead of showing it, but line ends and tabs. */
const controls = /[^\P{Cc}\n\t]/gu;
/** They make text read in another order than it is written in: `exe.txt` for `txt.exe`. */
const reordering = /[\u202a-\u202e\u2066-\u2069]/gu;
/** A whole sequence at the start, but a string: that ends with a control character. */
const whole = /^.\[?[ -?]*[@-Z\\^-~]/su;
const longestSequence = 256;

/** Line ends that most terminals do not know, and some programs obey. */
const lineEnds = /[\u2028\u2029]/gu;

/** Takes out what would move the cursor, colour, clear, retitle or reorder: nobody can forge the screen with the rest. */
export function stripControls(text: string): string {
  return text.replace(sequences, '').replace(controls, '').replace(reordering, '').replace(lineEnds, '\n');
}

/** The same for a text that comes in pieces: a sequence or a character that is cut between two is put together. */
export class StreamStripper {
  #held = '';

  /** What can be shown by now. */
  push(piece: string): string {
    const text = this.#held + piece;
    const end = endOfWhole(text);
    this.#held = text.slice(end);
    return stripControls(text.slice(0, end));
  }

  /** What was held back. */
  flush(): string {
    const text = this.#held;
    this.#held = '';
    return stripControls(text);
  }
}

function endOfWhole(text: string): number {
  const start = text.lastIndexOf(escapeCharacter);
  const tail = start < 0 ? '' : text.slice(start, start + longestSequence);
  if (start >= 0 && tail.length < longestSequence && !whole.test(tail)) return start;
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}
