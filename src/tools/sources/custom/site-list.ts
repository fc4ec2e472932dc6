import type { Placeholder } from './placeholders.ts';
import { refusals } from './refusals.ts';

/**
 * Where a placeholder stands: alone where any number of words may be · in or as one word · in double or single quotes · in
 * the text of a here-document, which a line with the delimiter ends.
 */
export type Site =
  | { readonly type: 'words' | 'word' | 'double' | 'single' }
  | { readonly type: 'here'; readonly delimiter: string };

/** A part of a text: what stands from `pos` up to `end`. */
export interface Range {
  readonly pos: number;
  readonly end: number;
}

/** The sites of the placeholders of a masked text, by their places in the list. What is said first of one holds. */
export class SiteList {
  readonly sites = new Map<number, Site>();
  readonly refused = new Map<number, string>();
  readonly #text: string;
  readonly #placeholders: readonly Placeholder[];

  constructor(text: string, placeholders: readonly Placeholder[]) {
    this.#text = text;
    this.#placeholders = placeholders;
  }

  has(range: Range): boolean {
    return this.#within(range).length > 0;
  }

  /** Whether the range is nothing but one placeholder. */
  isOne(range: Range): boolean {
    const { pos, end } = range;
    return this.#within(range).some((index) => {
      const placeholder = this.#placeholders[index];
      return placeholder?.start === pos && placeholder.end === end;
    });
  }

  /** Where a backslash or a dollar before it would make something else of it, it is refused. */
  place(range: Range, site: Site): void {
    for (const index of this.#within(range)) {
      const before = this.#text.slice(0, this.#placeholders[index]?.start);
      if (isOdd(/\\*$/.exec(before))) this.#refuseOne(index, refusals.backslash);
      else if (before.endsWith('$') && !isOdd(/\\*(?=\$$)/.exec(before))) this.#refuseOne(index, refusals.dollar);
      else this.#put(index, site);
    }
  }

  /** The same where a backslash and a dollar are characters like others. */
  placeAsIs(range: Range, site: Site): void {
    for (const index of this.#within(range)) this.#put(index, site);
  }

  refuse(range: Range, reason: string): void {
    for (const index of this.#within(range)) this.#refuseOne(index, reason);
  }

  #put(index: number, site: Site): void {
    if (!this.refused.has(index) && !this.sites.has(index)) this.sites.set(index, site);
  }

  #refuseOne(index: number, reason: string): void {
    if (!this.sites.has(index) && !this.refused.has(index)) this.refused.set(index, reason);
  }

  #within({ pos, end }: Range): readonly number[] {
    return this.#placeholders.flatMap((placeholder, index) =>
      placeholder.start >= pos && placeholder.end <= end ? [index] : [],
    );
  }
}

function isOdd(match: RegExpExecArray | null): boolean {
  return (match?.[0].length ?? 0) % 2 === 1;
}
