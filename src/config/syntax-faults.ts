import { createScanner, type ParseError, printParseErrorCode } from 'jsonc-parser';
import type { PlacedFault } from './config-error.ts';

/**
 * Explains JSON syntax errors. The parser guesses after an error; only after a missing comma is its next error
 * reliable. Quotes nothing of the text but keys, because values may be secret.
 */
export function syntaxFaults(text: string, errors: readonly ParseError[]): readonly PlacedFault[] {
  // If something else is wrong at the same place, a comma would not have helped.
  const telling = errors.filter((error, index) => !isComma(error) || errors[index + 1]?.offset !== error.offset);
  const uncertain = telling.findIndex((error) => !isComma(error));
  const certain = uncertain === -1 ? telling : telling.slice(0, uncertain + 1);
  return certain.map((error) => ({ offset: error.offset, path: [], text: `${explain(text, error)}.` }));
}

function isComma({ error }: ParseError): boolean {
  return printParseErrorCode(error) === 'CommaExpected';
}

function explain(text: string, { error, offset, length }: ParseError): string {
  const code = printParseErrorCode(error);
  switch (code) {
    case 'InvalidSymbol':
      return explainSymbol(text, offset, length);
    case 'PropertyNameExpected':
      return explainMissingKey(text, offset);
    case 'ValueExpected':
      return explainMissingValue(text, offset);
    case 'ColonExpected':
      return 'a colon is missing after the key';
    case 'CommaExpected':
      return `a comma is missing before ${keyAt(text, offset) ?? 'this value'}`;
    case 'CloseBraceExpected':
    case 'CloseBracketExpected':
      return explainUnclosed(text, offset);
    case 'EndOfFileExpected':
      return 'the config ended before this: it is one object in one pair of braces';
    case 'UnexpectedEndOfComment':
      return 'this comment is not closed: "*/" is missing';
    case 'UnexpectedEndOfString':
      return 'this string is not closed: a double quote is missing on its line';
    case 'InvalidUnicode':
      return 'in this string, "\\u" is not followed by four hexadecimal digits';
    case 'InvalidEscapeCharacter':
      return 'in this string, a backslash is followed by a letter that has no meaning. Write a backslash as "\\\\"';
    case 'InvalidCharacter':
      return 'this string holds a tab or another control character. Write a tab as "\\t", a new line as "\\n"';
    default:
      return 'this is not a number as JSON writes it';
  }
}

function explainSymbol(text: string, offset: number, length: number): string {
  const symbol = text.slice(offset, offset + length);
  if (symbol.startsWith("'")) return 'strings need double quotes';
  const literal = literals.get(symbol.toLowerCase());
  if (literal !== undefined) return `write ${literal} here`;
  if (/^\s*:/.test(text.slice(offset + length)) && /^[\w$-]{1,60}$/.test(symbol)) {
    return `the key needs double quotes: "${symbol}"`;
  }
  if (/^[-+.\d]/.test(symbol)) return 'this is not a number as JSON writes it';
  return 'this is not JSON. Strings need double quotes';
}

const literals: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['yes', 'true'],
  ['on', 'true'],
  ['false', 'false'],
  ['no', 'false'],
  ['off', 'false'],
  ['null', 'null'],
  ['none', 'null'],
  ['undefined', 'null'],
]);

function explainMissingKey(text: string, offset: number): string {
  if (text[offset] === ',') return 'there is a comma too many';
  if (/^0\d/.test(text.slice(offset - 1, offset + 1))) return 'a number does not begin with 0';
  if (text[offset] === ']' || text[offset] === undefined) return explainUnclosed(text, offset);
  return 'a key in double quotes is missing here';
}

function explainMissingValue(text: string, offset: number): string {
  const found = text[offset];
  if (found === ',') return 'there is a comma too many, or a value is missing before it';
  const opened = text[openBefore(text, offset).at(-1) ?? -1];
  if (found === undefined || (found === '}' && opened === '[') || (found === ']' && opened === '{')) {
    return explainUnclosed(text, offset);
  }
  return found === '}' || found === ']' ? `a value is missing before "${found}"` : 'a value is missing here';
}

function explainUnclosed(text: string, offset: number): string {
  const opened = openBefore(text, offset).at(-1);
  const place = text[offset] === undefined ? 'the file ends' : `"${text[offset]}" stands here`;
  if (opened === undefined) return `${place} where a value is missing`;
  const line = text.slice(0, opened).split(/\r\n|\r|\n/).length;
  return `${place}, but the "${text[opened]}" of line ${line} is not closed`;
}

/** The quoted key at the offset, if there is one. */
function keyAt(text: string, offset: number): string | undefined {
  return /^("[^"\\\r\n]{1,60}")\s*:/.exec(text.slice(offset, offset + 200))?.[1];
}

/** The token kinds of jsonc-parser used here: its `const enum` does not exist at run time. */
const openBrace = 1;
const closeBrace = 2;
const openBracket = 3;
const closeBracket = 4;
const endOfFile = 17;

/** The offset at which nesting first exceeds the depth. The parser itself would overflow the stack. */
export function tooDeepAt(text: string, depth: number): number | undefined {
  for (const { open, offset } of bracketsIn(text)) if (open.length > depth) return offset;
  return undefined;
}

/** The offsets of the brackets open at `end`, outermost first. */
function openBefore(text: string, end: number): readonly number[] {
  let brackets: readonly number[] = [];
  for (const { open } of bracketsIn(text, end)) brackets = open;
  return brackets;
}

/** Each bracket before `end`, with the offsets of the brackets open after it. */
function* bracketsIn(
  text: string,
  end = text.length,
): Generator<{ readonly open: readonly number[]; readonly offset: number }> {
  const scanner = createScanner(text, true);
  const open: number[] = [];
  for (let token = Number(scanner.scan()); token !== endOfFile; token = Number(scanner.scan())) {
    const offset = scanner.getTokenOffset();
    if (offset >= end) return;
    if (token === openBrace || token === openBracket) open.push(offset);
    else if (token === closeBrace || token === closeBracket) open.pop();
    else continue;
    yield { open, offset };
  }
}
