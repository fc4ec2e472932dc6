/*
 * Where a text stops being JSON, said for the person who wrote it: the character that is wrong and what to write in its
 * place, or the format that the text is in. Quotes nothing of the text but signs and words from the tables below, because
 * its values may be secret.
 */

import { type ParseError, printParseErrorCode } from 'jsonc-parser';

/** What is wrong at the error, without a full stop. */
export function explainJson(text: string, error: ParseError): string {
  const rest = text.slice(error.offset);
  const code = printParseErrorCode(error.error);
  if (code !== 'InvalidSymbol') return foreignSign(rest, false) ?? syntaxWords[code];
  // The parser takes the brackets of a TOML section for a list.
  const isFirst = /^\s*\[?\s*$/.test(text.slice(0, error.offset));
  return (
    conflictMark(rest) ??
    (isFirst ? otherFormat(text) : undefined) ??
    foreignSign(rest, true) ??
    unclosedQuote(text, error.offset) ??
    foreignWord(rest) ??
    noJson
  );
}

function conflictMark(rest: string): string | undefined {
  const [mark] = /^(?:<{7}|={7}|>{7}|\|{7})(?=\s|$)/.exec(rest) ?? [];
  if (mark === undefined) return undefined;
  return `this is a mark of a git conflict (${mark}). Keep one of the two versions, and delete the lines with such marks`;
}

/** The format of a text that is not JSON from its first sign on. */
function otherFormat(text: string): string | undefined {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  const [first = ''] = lines.filter((line) => line !== '' && !/^(?:#|\/\/|;)/.test(line));
  if (/^(?:```|~~~)/.test(first)) return 'this is a Markdown fence. Delete this line, and the one that ends the fence';
  if (/^(?:export|module|exports|const|let|var|import|return)\b/.test(first)) {
    return 'this is JavaScript. The config is only the object: delete what stands before "{" and behind "}"';
  }
  if (
    /^[\w.-]+\s*=/.test(first) ||
    (/^\[+[\w. "-]+\]+$/.test(first) && lines.some((line) => /^[\w.-]+\s*=/.test(line)))
  ) {
    return `this looks like TOML or a .env file. ${wanted}`;
  }
  if (/^(?:---|%YAML|- |[\w."'-]+:(?:\s|$))/.test(first)) return `this looks like YAML. ${wanted}`;
  return /^<[?!\w]/.test(first) ? `this looks like XML or HTML. ${wanted}` : undefined;
}

const wanted = 'The config is JSON: { "key": "value", "block": { "key": 5 } }';

/** A sign that JSON does not know, at the beginning of the rest. `isSymbol`: where the parser found no value. */
function foreignSign(rest: string, isSymbol: boolean): string | undefined {
  const sign = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  const found = foreignSigns.find(({ signs }) => signs.includes(sign));
  if (found !== undefined) return `this is ${found.name}${isVisible(sign) ? ` (${sign})` : ''}. ${found.mend}`;
  if (!isSymbol) return undefined;
  if (/^\+[\d.]/.test(rest)) return 'a number has no "+" in front of it';
  if (/^-?\.\d/.test(rest)) return 'a number has a digit before its point: 0.5';
  if (/^[xX][\da-fA-F]/.test(rest)) return 'a number is written with decimal digits';
  return /^_\d/.test(rest) ? 'a number has no "_" between its digits' : undefined;
}

interface ForeignSign {
  readonly signs: string;
  readonly name: string;
  readonly mend: string;
}

const foreignSigns: readonly ForeignSign[] = [
  { signs: '，、﹐', name: 'a Chinese comma', mend: 'JSON needs ","' },
  { signs: '：﹕', name: 'a Chinese colon', mend: 'JSON needs ":"' },
  { signs: '；;', name: 'a semicolon', mend: 'JSON separates with ",", and nothing follows the last "}"' },
  { signs: '“”„‟〝〞＂', name: 'a typographic quotation mark', mend: `JSON needs the straight one: "` },
  { signs: '«»「」『』《》', name: 'another quotation mark', mend: `JSON needs the straight one: "` },
  { signs: `'‘’‚`, name: 'a single quotation mark', mend: `JSON needs double ones: "` },
  { signs: '`', name: 'a backtick', mend: `JSON needs double quotation marks: "` },
  { signs: '｛〔', name: 'a wide brace', mend: 'JSON needs "{"' },
  { signs: '｝〕', name: 'a wide brace', mend: 'JSON needs "}"' },
  { signs: '［【', name: 'a wide bracket', mend: 'JSON needs "["' },
  { signs: '］】', name: 'a wide bracket', mend: 'JSON needs "]"' },
  { signs: '（）()', name: 'a round bracket', mend: 'JSON has only { } and [ ]' },
  { signs: '＝=', name: 'an equals sign', mend: 'JSON needs ":" between a key and its value' },
  { signs: '−–—－', name: 'a dash', mend: 'JSON needs the minus sign of the keyboard: "-"' },
  { signs: '。．', name: 'a full stop', mend: 'JSON needs "," between values, and "." in numbers' },
  { signs: '#', name: 'a number sign', mend: 'A comment begins with "//"' },
  { signs: '\u00a0\u3000\u2002\u2003\u2007\u2009\u202f', name: 'a blank that is not the usual one', mend: deleted() },
  { signs: '\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f', name: 'an invisible character', mend: deleted() },
];

function deleted(): string {
  return 'Delete it, and write a usual blank if one is needed';
}

function isVisible(sign: string): boolean {
  return !/[\s\p{Cf}]/u.test(sign);
}

/** A word without quotation marks. */
function foreignWord(rest: string): string | undefined {
  const [word = ''] = /^[\p{L}_$][\p{L}\p{N}_$.-]*/u.exec(rest) ?? [];
  if (/^(?:none|nil|null|undefined)$/i.test(word)) return `JSON has no ${word}: write null, or leave the key out`;
  if (/^(?:true|yes|on)$/i.test(word)) return `JSON has no ${word}: write true`;
  if (/^(?:false|no|off)$/i.test(word)) return `JSON has no ${word}: write false`;
  if (/^(?:nan|infinity)$/i.test(word)) return `JSON has no ${word}: write a number`;
  if (word !== '' && /^\s*[:：=]/.test(rest.slice(word.length))) return 'this key needs double quotes around it: "key"';
  return word === '' ? undefined : `this text needs double quotes around it: "text"`;
}

/** A string that somebody ended with another mark goes on until the next straight one. */
function unclosedQuote(text: string, offset: number): string | undefined {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const [mark] = /[“”„＂](?=[^“”„＂]*$)/.exec(line) ?? [];
  return (
    mark && `a string before this ends with a typographic quotation mark (${mark}). JSON needs the straight one: "`
  );
}

const noJson = 'this is not JSON. Keys and strings need double quotes; other values are numbers, true, false or null';
const noNumber = 'this is not a valid JSON number';

const syntaxWords: Readonly<Record<ReturnType<typeof printParseErrorCode>, string>> = {
  InvalidSymbol: noJson,
  InvalidNumberFormat: noNumber,
  PropertyNameExpected: 'a key in double quotes is missing here, or there is an extra comma',
  ValueExpected: 'a value is missing here, or there is an extra comma',
  ColonExpected: 'a colon is missing after the key',
  CommaExpected: 'a comma is missing before this',
  CloseBraceExpected: 'a "}" is missing here',
  CloseBracketExpected: 'a "]" is missing here',
  EndOfFileExpected: 'the object has already ended before this: all belongs in one pair of braces',
  InvalidCommentToken: 'a comment is not allowed here',
  UnexpectedEndOfComment: 'this comment is not closed: "*/" is missing',
  UnexpectedEndOfString: 'this string is not closed: a double quote is missing on its line',
  UnexpectedEndOfNumber: noNumber,
  InvalidUnicode: 'in this string, "\\u" is not followed by four hexadecimal digits',
  InvalidEscapeCharacter:
    'in this string, a backslash is followed by a letter that has no meaning. Write a backslash as "\\\\"',
  InvalidCharacter:
    'this string contains a tab or another control character. Write a tab as "\\t", a new line as "\\n"',
  '<unknown ParseErrorCode>': noJson,
};
