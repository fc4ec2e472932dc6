import type { Language } from '../../lib/words.ts';
import { inRows, type ListButton, leadingButton } from '../../words/command-buttons.ts';
import { commandWords } from './words.ts';

/** So many entries fill a phone's screen. */
const entriesOfPage = 10;

/** A page of a list, with the numbers of its entries. */
export interface Page<Entry> {
  readonly entries: readonly (readonly [number: number, entry: Entry])[];
  /** From 1. */
  readonly page: number;
  readonly pages: number;
}

/** The page with this number; the nearest one if there is none. `mostOnPage`: how many entries it has. */
export function pageOf<Entry>(all: readonly Entry[], wanted = 1, mostOnPage = entriesOfPage): Page<Entry> {
  const pages = Math.max(1, Math.ceil(all.length / mostOnPage));
  const page = Math.min(pages, Math.max(1, Math.floor(wanted)));
  const before = (page - 1) * mostOnPage;
  const entries = all.slice(before, before + mostOnPage).map((entry, index) => [before + index + 1, entry] as const);
  return { entries, page, pages };
}

/** A line of a list whose buttons name its number. */
export function numbered(number: number, line: string): string {
  return `${number}. ${line}`;
}

/** The number of a page as somebody writes it; undefined for anything else. */
export function pageNumber(word: string): number | undefined {
  return /^[1-9]\d{0,3}$/.test(word) ? Number(word) : undefined;
}

/** `grants` · `grants 2`. */
export function lineOfPage(command: string, { page }: Pick<Page<unknown>, 'page'>): string {
  return page === 1 ? command : `${command} ${page}`;
}

/** The buttons of a page's entries, and a row that leads to the pages around it, with `more` at its end. */
export function rowsOfPage(
  buttons: readonly ListButton[],
  { command, page, pages }: Pick<Page<unknown>, 'page' | 'pages'> & { readonly command: string },
  language: Language,
  more: readonly ListButton[] = [],
): readonly (readonly ListButton[])[] {
  const { buttonMore, buttonBack } = commandWords[language];
  const last = [
    ...(page > 1 ? [leadingButton(buttonBack, lineOfPage(command, { page: page - 1 }))] : []),
    ...(page < pages ? [leadingButton(buttonMore, lineOfPage(command, { page: page + 1 }))] : []),
    ...more,
  ];
  return [...inRows(buttons, 3), ...(last.length === 0 ? [] : [last])];
}
