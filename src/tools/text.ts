// biome-ignore-all lint/suspicious/noControlCharactersInRegex: they are what is looked for
import { parseJson } from '../lib/json.ts';
import { inlineCode, oneLine } from '../lib/plain-text.ts';

/** CSI with parameters; OSC, DCS and the like with their content, in both encodings; other terminal escapes. */
const escapes = [
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?/g,
  // Without a terminator, up to the end of the line: a terminal would swallow all that follows.
  /\u001b[\]PX^_][^\u0007\u001b\u009c\r\n]*(?:\u0007|\u001b\\|\u009c)?/g,
  // These need a terminator: alone, they may be wrongly decoded characters.
  /[\u0090\u0098\u009d-\u009f][^\u0007\u001b\u0090\u0098\u009c-\u009f\r\n]*(?:\u0007|\u001b\\|\u009c)/g,
  /\u001b[ -/]*[0-~]?/g,
];
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Bidi controls, which change the order that people see. */
const turns = /[\u202a-\u202e\u2066-\u2069]/g;
/** Tag characters, which people cannot see and models read, except in flags. */
const tags = /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,6})[\u{e0000}-\u{e007f}]+/gu;

/** Whether a name is one plain word, with a file extension at most: too short to carry a message to a model. */
export function isPlainWord(name: string): boolean {
  return name.length <= 16 && /^[\p{L}\p{N}]*[-_.]?[\p{L}\p{N}]*$/u.test(name);
}

/** Whether an answer is only plain words, one per line or as a JSON list: no text that could carry a message. */
export function isListOfNames(text: string): boolean {
  const parsed = parseJson(text);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const names = Array.isArray(parsed) ? parsed : lines.map((line) => line.replace(/^\s*[-*]\s/, '').trim());
  return names.length > 0 && names.every((name) => typeof name === 'string' && isPlainWord(name));
}

/** Removes terminal escapes and invisible characters. Line ends become `\n`; lone surrogates U+FFFD. */
export function cleanText(text: string): string {
  return escapes
    .reduce((so, sequence) => so.replaceAll(sequence, ''), text)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(controls, '')
    .replaceAll(tags, '')
    .toWellFormed();
}

/** Without bidi controls, for people. */
export function withoutTurns(text: string): string {
  return text.replaceAll(turns, '');
}

/** With bidi controls as escapes, for readers who must know about them. */
export function revealTurns(text: string): string {
  return text.replaceAll(turns, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
}

/**
 * At most `limit` UTF-16 units: the beginning and the end of a longer text, and between them how much is missing.
 * `where` is added to that line, and says where the rest is.
 */
export function cutMiddle(text: string, limit: number, where = ''): string {
  if (text.length <= limit) return text;
  const gap = (missing: number): string =>
    `\n[… ${missing.toLocaleString('en')} of ${text.length.toLocaleString('en')} characters left out${where} …]\n`;
  const room = Math.max(0, limit - gap(text.length).length);
  const head = text.slice(0, wholeEnd(text, Math.ceil(room * 0.6)));
  const start = text.length - room + head.length;
  const first = text.charCodeAt(start);
  // Do not halve a character here, either.
  const tail = text.slice(first >= 0xdc00 && first <= 0xdfff ? start + 1 : start);
  return `${head}${gap(text.length - head.length - tail.length)}${tail}`;
}

/** `end`, or one before it if that would halve a character. */
export function wholeEnd(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** The name if it is plain, else as code, so that it cannot be read as markdown. */
export function nameForPeople(name: string): string {
  return /^[\w./-]{1,200}$/.test(name) && !/^[_.-]*_|__|^www\./i.test(name) ? name : inlineCode(oneLine(name, 200));
}

/** `12 bytes`, `1.2 KB`, `3.4 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes.toFixed(1)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}
