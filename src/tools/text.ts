// biome-ignore-all lint/suspicious/noControlCharactersInRegex: they are what is looked for
import { z } from 'zod';
import { parseJson } from '../lib/json.ts';
import { inlineCode, oneLine } from '../lib/plain-text.ts';

/** CSI with its parameters; OSC, DCS and their like with what they hold, in both spellings; the other escapes of a terminal. */
const escapes = [
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?/g,
  // Without an end, what is on the line: to a terminal it would be all that follows, and hide it.
  /\u001b[\]PX^_][^\u0007\u001b\u009c\r\n]*(?:\u0007|\u001b\\|\u009c)?/g,
  // These characters alone may be no more than badly read ones.
  /[\u0090\u0098\u009d-\u009f][^\u0007\u001b\u0090\u0098\u009c-\u009f\r\n]*(?:\u0007|\u001b\\|\u009c)/g,
  /\u001b[ -/]*[0-~]?/g,
];
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** They make a text look as if it stood in another order. */
const turns = /[\u202a-\u202e\u2066-\u2069]/g;
/** Letters that nobody sees and a model reads, but for those that make a flag. */
const tags = /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,6})[\u{e0000}-\u{e007f}]+/gu;

/** Whether a name is one plain word, too short to say something to a model, with the end of a file's name at most. */
export function isPlainWord(name: string): boolean {
  return name.length <= 16 && /^[\p{L}\p{N}]*[-_.]?[\p{L}\p{N}]*$/u.test(name);
}

/** Whether an answer is nothing but plain words, one a line or as a list in JSON: no text that could say something. */
export function isListOfNames(text: string): boolean {
  const parsed = parseJson(text);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const names = Array.isArray(parsed) ? parsed : lines.map((line) => line.replace(/^\s*[-*]\s/, '').trim());
  return names.length > 0 && names.every((name) => typeof name === 'string' && isPlainWord(name));
}

/** Takes out what a terminal would obey and what people don't see. Line ends become `\n`; half characters U+FFFD. */
export function cleanText(text: string): string {
  return escapes
    .reduce((so, sequence) => so.replaceAll(sequence, ''), text)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(controls, '')
    .replaceAll(tags, '')
    .toWellFormed();
}

/** The text without what would turn its order around for people. */
export function withoutTurns(text: string): string {
  return text.replaceAll(turns, '');
}

/** The same shown as escapes: who works with the text has to know of them. */
export function revealTurns(text: string): string {
  return text.replaceAll(turns, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
}

/**
 * At most `limit` UTF-16 units: of a longer text the beginning and the end, and between them how much is missing. `where`
 * goes on with that line, and says where the rest is.
 */
export function cutMiddle(text: string, limit: number, where = ''): string {
  if (text.length <= limit) return text;
  const gap = (missing: number): string =>
    `\n[… ${formatCount(missing)} of ${formatCount(text.length)} characters left out${where} …]\n`;
  const room = Math.max(0, limit - gap(text.length).length);
  const head = text.slice(0, wholeEnd(text, Math.ceil(room * 0.6)));
  const start = text.length - room + head.length;
  const first = text.charCodeAt(start);
  // Nor is a character halved here.
  const tail = text.slice(first >= 0xdc00 && first <= 0xdfff ? start + 1 : start);
  return `${head}${gap(text.length - head.length - tail.length)}${tail}`;
}

/** `1,234,567`. */
function formatCount(count: number): string {
  return String(count).replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, ',');
}

/** The end, or one before it where that would halve a character. */
export function wholeEnd(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** A name as it stands if it is plain, else as code: so that it cannot be read as markdown. */
export function nameForPeople(name: string): string {
  return /^[\w./-]{1,200}$/.test(name) && !/^[_.-]*_|__|^www\./i.test(name) ? name : inlineCode(oneLine(name, 200));
}

/** `12 bytes`, `1.2 KB`, `3.4 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes.toFixed(1)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}

/** A text of at most so many UTF-16 units that still says something when what nobody can see was taken out. */
export function readableText(most: number) {
  const isReadable = (text: string): boolean => /[^\s\p{Cf}\p{Z}\u115f\u1160\u2800\u3164\uffa0]/u.test(cleanText(text));
  return z.string().trim().max(most).refine(isReadable, 'must hold something that can be read');
}
