/**
 * Characters that are invisible but change what a reader sees: controls, bidirectional overrides, zero-width and other
 * invisible characters, unusual spaces, and variation selectors except the one for coloured emoji. Includes line feed
 * and tab; `reveal` keeps these.
 */
const hidden =
  /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Variation_Selector}\u00a0\u034f\u115f\u1160\u17b4\u17b5\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0]--\ufe0f]/gv;

/** Replaces hidden characters by escapes, so that readers see everything. Keeps line feeds and tabs, and joined emoji. */
export function reveal(text: string): string {
  return text.replace(hidden, (character, at: number) => {
    if (character === '\n' || character === '\t' || isInEmoji(character, at, text)) return character;
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** As in a family or a flag: what it joins is shown as one sign. Only joiners of such known emoji pass. */
function isInEmoji(character: string, at: number, text: string): boolean {
  if (character !== joiner || !/\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3))) return false;
  const from = Math.max(0, at - longestEmoji);
  const around = text.slice(from, at + longestEmoji);
  return Array.from(around.matchAll(joinedEmoji)).some(
    ({ 0: emoji, index }) => from + index < at && at < from + index + emoji.length,
  );
}

const joiner = '\u200d';
const joinedEmoji = /\p{RGI_Emoji_ZWJ_Sequence}/gv;
/** In UTF-16 units. */
const longestEmoji = 15;

/** The text on one line, with hidden characters shown, cut in the middle to `maxLength` characters. */
export function oneLine(text: string, maxLength: number): string {
  const line = reveal(text).replaceAll('\n', ' ⏎ ').replaceAll('\t', ' ').trim();
  const characters = Array.from(line);
  if (characters.length <= maxLength) return line;
  const tail = Math.floor((maxLength - 1) / 3);
  return `${characters.slice(0, maxLength - 1 - tail).join('')}…${characters.slice(-tail).join('')}`;
}

/**
 * The markdown on one line. If it is too long, it is cut in the middle and shown as code: the rest of a cut markdown
 * text could be read as something it never said.
 */
export function markdownLine(markdown: string, maxLength: number): string {
  const line = oneLine(markdown, Number.POSITIVE_INFINITY);
  return line.length <= maxLength ? line : inlineCode(oneLine(line, maxLength));
}

/** Markdown that shows exactly this text on one line: nothing in it becomes a link or an emphasis. */
export function escapeMarkdown(text: string): string {
  return reveal(text)
    .replaceAll('\n', ' ')
    .replace(/[\\`*_[\]<>|~&]/g, '\\$&');
}

/** A line of our own markdown as plain text: without escapes, marks of code and emphasis, and addresses behind words. */
export function unmarked(markdown: string): string {
  return markdown.replace(
    ownMarks,
    (_found, escaped?: string, _ticks?: string, code?: string, words?: string) =>
      escaped ?? code?.replace(/^ (.*\S.*) $/s, '$1') ?? words ?? '',
  );
}

const ownMarks = /\\([!-/:-@[-`{-~])|(`+)([\s\S]*?[^`])\2(?!`)|\*\*|\[((?:[^\]\\]|\\.)*)\]\([^)\s]*\)/g;

/** The text with whole characters only, cut at its end to `maxLength` UTF-16 units. */
export function shortened(text: string, maxLength: number): string {
  const whole = text.toWellFormed();
  if (whole.length <= maxLength) return whole;
  return `${whole.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The message of what was thrown. Foreign code may throw anything, even what throws when it is read. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'It threw what cannot be read.';
  }
}

/** A fenced block; its fence is longer than any in the text. */
export function fenced(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(2, longestBackticks(text)) + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Inline code, whatever backticks the text contains. */
export function inlineCode(text: string): string {
  const fence = '`'.repeat(longestBackticks(text) + 1);
  const padding = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${padding}${text}${padding}${fence}`;
}

/** The first line of a text as code; empty if there is none. It may hold anybody's words. */
export function firstLineCode(text: string, maxLength: number): string {
  const [line = ''] = text.trim().split('\n');
  const shown = oneLine(line, maxLength);
  return shown === '' ? '' : inlineCode(shown);
}

/**
 * A person: the unique id, then the name that they chose. Both as code on one line and cut, so that a name cannot
 * imitate the text around it.
 */
export function personWords({ principal, name }: { readonly principal: string; readonly name: string }): string {
  return `${inlineCode(oneLine(principal, 100))} (${nameCode(name)})`;
}

/** A name that people chose for themselves, a group or a device. */
export function nameCode(name: string): string {
  return inlineCode(oneLine(name, longestName) || '?');
}

const longestName = 40;

/** A loop: there may be more runs than a function takes arguments. */
function longestBackticks(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
