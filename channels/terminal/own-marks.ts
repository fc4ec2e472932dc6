/** What stands behind it at the start of a row is said by Keyturn: cards, their outcome, questions and notices. */
export const bar = '│';
/** What stands behind it was typed by the person. */
export const sign = '›';

/** The bar, and what could be taken for it. */
const bars =
  /[\u01c0\u05c0\u2016\u2223\u23aa\u23b8\u23b9\u23d0\u2502\u2503\u2506\u2507\u250a\u250b\u254e\u254f\u2551\u2575\u2577\u2579\u257b\u257d\u257f\u2588-\u2590\u2595\u2758-\u275a\uff5c\uffe8]/gu;
const signs = /[\u203a\u276d\u276f]/gu;

/**
 * The text of somebody else, without the marks that only Keyturn writes. They are replaced everywhere, since a long line
 * can be broken before any character. Works character by character: a text may come in pieces.
 */
export function withoutOwnMarks(text: string): string {
  return text.replace(bars, '|').replace(signs, '>');
}
