import { oneLine } from '../lib/plain-text.ts';

/** Whatever somebody may take for the end of a line. */
export const lineEnd = /\r\n|[\n\r\u2028\u2029\v\f\u0085]/;

/**
 * The text without anything that could pass for an event: only Keyturn writes those. Nor can it begin one that the text
 * behind it goes on with.
 */
export function defuse(text: string): string {
  return text.replace(/<(?=[\s/\p{Cf}]*(?:keyturn_event|$))/giu, '‹');
}

/** A name on one line, about as long as platforms have them. Nothing in it ends brackets, or is there without being seen. */
export function oneName(name: string): string {
  return oneLine(defuse(name.toWellFormed()).replace(/[[\]\n\r\u2028\u2029\v\f\u0085]/g, ' '), 64);
}

/** Somebody's words as a quotation: none of its lines can pass for one of Keyturn's, or of somebody else's. */
export function quotation(words: string): string {
  const lines = defuse(words.toWellFormed()).split(lineEnd);
  return lines.map((line) => `> ${line}`).join('\n');
}
