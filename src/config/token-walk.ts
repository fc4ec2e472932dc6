import { createScanner } from 'jsonc-parser';

/** jsonc-parser's token kinds that are used here: its `const enum` does not exist at run time. */
const openBrace = 1;
const closeBrace = 2;
const openBracket = 3;
const closeBracket = 4;
const endOfFile = 17;

/** Where the nesting first exceeds the depth, if it does. The parser itself would overflow the stack. */
export function tooDeepAt(text: string, depth: number): number | undefined {
  let tooDeep: number | undefined;
  walkBrackets(text, text.length, (open, offset) => {
    if (open.length > depth) tooDeep = offset;
    return tooDeep === undefined;
  });
  return tooDeep;
}

/** The brackets that are open before this offset, the outermost first. */
export function openBefore(text: string, end: number): readonly number[] {
  let brackets: readonly number[] = [];
  walkBrackets(text, end, (open) => {
    brackets = open;
    return true;
  });
  return brackets;
}

/** Calls back at each bracket with the offsets of those that are open after it, until told to stop. */
function walkBrackets(text: string, end: number, visit: (open: number[], offset: number) => boolean): void {
  const scanner = createScanner(text, true);
  const open: number[] = [];
  for (let token = Number(scanner.scan()); token !== endOfFile; token = Number(scanner.scan())) {
    const offset = scanner.getTokenOffset();
    if (offset >= end) return;
    if (token === openBrace || token === openBracket) open.push(offset);
    else if (token === closeBrace || token === closeBracket) open.pop();
    else continue;
    if (!visit(open, offset)) return;
  }
}
