/** Brackets in each other. What is deeper is nobody's data, and overflows the stack of whoever walks it later. */
const deepest = 100;

/** Whether brackets stand too deep in each other in this text of JSON, whole or broken off. Goes over it once. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > deepest) return true;
    at = character === '"' ? endOfString(text, at) : at + 1;
  }
  return false;
}

/** The place behind the string that begins here, or the end of the text. */
function endOfString(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return at + 1;
    if (character === '\\') at += 1;
  }
  return text.length;
}
