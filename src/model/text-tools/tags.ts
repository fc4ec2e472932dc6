/** What stands around a call in the text of an answer. */
export const callTag = { begin: '<tool_call>', end: '</tool_call>' } as const;

/** What stands around the thoughts that some models write before their answer. */
export const thoughtTags = [
  { begin: '<think>', end: '</think>' },
  { begin: '<thinking>', end: '</thinking>' },
] as const;

/** The text as data: nothing in it can pass for a call or a result, nor begin one that what follows goes on with. */
export function defuseTags(text: string): string {
  return text.replace(/<(?=[\s/\p{Cf}]*(?:tool_(?:call|result)|$))/giu, '‹');
}
