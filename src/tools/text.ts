import { inlineCode, oneLine } from '../lib/plain-text.ts';

/** CSI with its parameters; OSC and its like with their end; the other escapes of a terminal. */
const escapes = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?/g,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\u001b[ -/]*[0-~]?/g,
];
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Takes out what a terminal would obey. Line ends become `\n`; half characters become U+FFFD. */
export function cleanText(text: string): string {
  return escapes
    .reduce((so, sequence) => so.replaceAll(sequence, ''), text)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(controls, '')
    .toWellFormed();
}

/** At most `limit` UTF-16 units: of a longer text the beginning and the end, and between them how much is missing. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = Math.max(0, limit - 60);
  const head = cutAfter(text, Math.ceil(room * 0.6));
  const tail = cutBefore(text, room - head.length);
  const missing = text.length - head.length - tail.length;
  return `${head}\n[… ${missing} of ${text.length} characters left out …]\n${tail}`;
}

/** The first `length` units, one less where that would halve a character. */
function cutAfter(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function cutBefore(text: string, length: number): string {
  const start = text.length - length;
  const first = text.charCodeAt(start);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? start + 1 : start);
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
