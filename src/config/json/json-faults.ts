/*
 * Where a text stops being JSON, said for the person who wrote it: the character that is wrong and what to write in its
 * place, or the format that the text is in. Quotes nothing of the text but signs and words from the tables below, because
 * its values may be secret.
 */

import { type ParseError, printParseErrorCode } from 'jsonc-parser';
import type { InLanguage } from '../../lib/words.ts';
import { jsonWords } from './words.ts';

/** What is wrong at the error, without a full stop. */
export function explainJson(text: string, error: ParseError): InLanguage {
  const rest = text.slice(error.offset);
  const code = printParseErrorCode(error.error);
  if (code !== 'InvalidSymbol') return foreignSign(rest, false) ?? ((language) => jsonWords[language].syntax[code]);
  // The parser takes the brackets of a TOML section for a list.
  const isFirst = /^\s*\[?\s*$/.test(text.slice(0, error.offset));
  return (
    conflictMark(rest) ??
    (isFirst ? otherFormat(text) : undefined) ??
    foreignSign(rest, true) ??
    unclosedQuote(text, error.offset) ??
    foreignWord(rest) ??
    ((language) => jsonWords[language].syntax.InvalidSymbol)
  );
}

/** What has no values. */
type Phrase = {
  [Key in keyof typeof jsonWords.en]: (typeof jsonWords.en)[Key] extends string ? Key : never;
}[keyof typeof jsonWords.en];

function phrase(key: Phrase): InLanguage {
  return (language) => jsonWords[language][key];
}

function conflictMark(rest: string): InLanguage | undefined {
  const [mark] = /^(?:<{7}|={7}|>{7}|\|{7})(?=\s|$)/.exec(rest) ?? [];
  return mark === undefined ? undefined : (language) => jsonWords[language].conflict({ mark });
}

/** The format of a text that is not JSON from its first sign on. */
function otherFormat(text: string): InLanguage | undefined {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  const [first = ''] = lines.filter((line) => line !== '' && !/^(?:#|\/\/|;)/.test(line));
  if (/^(?:```|~~~)/.test(first)) return phrase('fence');
  if (/^(?:export|module|exports|const|let|var|import|return)\b/.test(first)) return phrase('javaScript');
  if (
    /^[\w.-]+\s*=/.test(first) ||
    (/^\[+[\w. "-]+\]+$/.test(first) && lines.some((line) => /^[\w.-]+\s*=/.test(line)))
  ) {
    return phrase('toml');
  }
  if (/^(?:---|%YAML|- |[\w."'-]+:(?:\s|$))/.test(first)) return phrase('yaml');
  return /^<[?!\w]/.test(first) ? phrase('xml') : undefined;
}

/** A sign that JSON does not know, at the beginning of the rest. `isSymbol`: where the parser found no value. */
function foreignSign(rest: string, isSymbol: boolean): InLanguage | undefined {
  const found = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  const [, kind] = foreignSigns.find(([signs]) => signs.includes(found)) ?? [];
  const sign = isVisible(found) ? found : undefined;
  if (kind !== undefined) return (language) => jsonWords[language].sign({ kind, sign });
  if (!isSymbol) return undefined;
  if (/^\+[\d.]/.test(rest)) return phrase('plus');
  if (/^-?\.\d/.test(rest)) return phrase('point');
  if (/^[xX][\da-fA-F]/.test(rest)) return phrase('decimal');
  return /^_\d/.test(rest) ? phrase('underscore') : undefined;
}

const foreignSigns = [
  ['，、﹐', 'comma'],
  ['：﹕', 'colon'],
  ['；;', 'semicolon'],
  ['“”„‟〝〞＂', 'typographic-quote'],
  ['«»「」『』《》', 'other-quote'],
  [`'‘’‚`, 'single-quote'],
  ['`', 'backtick'],
  ['｛〔', 'open-brace'],
  ['｝〕', 'close-brace'],
  ['［【', 'open-bracket'],
  ['］】', 'close-bracket'],
  ['（）()', 'round-bracket'],
  ['＝=', 'equals'],
  ['−–—－', 'dash'],
  ['。．', 'full-stop'],
  ['#', 'number-sign'],
  ['\u00a0\u3000\u2002\u2003\u2007\u2009\u202f', 'blank'],
  ['\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f', 'invisible'],
] as const;

function isVisible(sign: string): boolean {
  return !/[\s\p{Cf}]/u.test(sign);
}

/** A word without quotation marks. */
function foreignWord(rest: string): InLanguage | undefined {
  const [word = ''] = /^[\p{L}_$][\p{L}\p{N}_$.-]*/u.exec(rest) ?? [];
  if (/^(?:none|nil|null|undefined)$/i.test(word)) return (language) => jsonWords[language].writeNull({ word });
  if (/^(?:true|yes|on)$/i.test(word)) return (language) => jsonWords[language].writeTrue({ word });
  if (/^(?:false|no|off)$/i.test(word)) return (language) => jsonWords[language].writeFalse({ word });
  if (/^(?:nan|infinity)$/i.test(word)) return (language) => jsonWords[language].writeNumber({ word });
  if (word !== '' && /^\s*[:：=]/.test(rest.slice(word.length))) return phrase('bareKey');
  return word === '' ? undefined : phrase('bareText');
}

/** A string that somebody ended with another mark goes on until the next straight one. */
function unclosedQuote(text: string, offset: number): InLanguage | undefined {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const [mark] = /[“”„＂](?=[^“”„＂]*$)/.exec(line) ?? [];
  return mark === undefined ? undefined : (language) => jsonWords[language].unclosedQuote({ mark });
}
