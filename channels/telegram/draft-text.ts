import type { Rich } from './rich.ts';

const longestDraft = 4096;
/** What stands behind the marks of a code block is the name of its language. */
const longestOpening = 40;

/** A text that grows, and as much of its end as a draft can show. */
export class DraftText {
  readonly #render: (markdown: string) => Rich;
  #source = '';
  /** Where the shown part begins. It moves in leaps, so that what is shown mostly only grows. */
  #start = 0;
  /** The beginning of the code block in which the shown part begins. */
  #opening = '';

  constructor(render: (markdown: string) => Rich) {
    this.#render = render;
  }

  add(delta: string): void {
    this.#source += delta;
  }

  /** What to show now: all of it, or its end, at most 4096 characters. */
  frame(): Rich {
    for (;;) {
      const frame = this.#render(this.#opening + this.#source.slice(this.#start));
      if (frame.text.length <= longestDraft || this.#start === this.#source.length) return frame;
      this.#leap();
    }
  }

  /** The first half of the shown part goes, if possible up to the end of a line. */
  #leap(): void {
    const middle = this.#start + Math.ceil((this.#source.length - this.#start) / 2);
    const line = this.#source.indexOf('\n', middle) + 1;
    this.#start = line === 0 || line === this.#source.length ? middle : line;
    this.#opening = openingAt(this.#source.slice(0, this.#start));
  }
}

const fenceLine = /^ {0,3}(`{3,}|~{3,})(.*)$/gm;

/** The line that has opened the code block in which the text ends; empty if it ends in none. */
function openingAt(text: string): string {
  let open: { readonly marks: string; readonly language: string } | undefined;
  for (const [, marks = '', rest = ''] of text.matchAll(fenceLine)) {
    if (open === undefined) {
      if (!marks.startsWith('`') || !rest.includes('`')) open = { marks, language: rest };
    } else if (marks.startsWith(open.marks) && rest.trim() === '') {
      open = undefined;
    }
  }
  return open === undefined ? '' : `${open.marks}${open.language.slice(0, longestOpening)}\n`;
}
