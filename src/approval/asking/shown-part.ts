import { shortened } from '../../lib/plain-text.ts';
import { splitMarkdown } from '../../lib/split/split.ts';

/** The beginning of a markdown text that a card shows. `more`: what is left out; undefined if nothing is. */
export interface ShownPart {
  readonly markdown: string;
  readonly more: { readonly of: 'lines' | 'characters'; readonly count: number } | undefined;
}

interface Room {
  readonly lines: number;
  readonly characters: number;
}

/** As much as there is room for, cut at the end of a line if that is possible. A cut block of code is closed. */
export function beginningOf(markdown: string, room: Room): ShownPart {
  const [, fence, language = '', code = ''] = /^(`{3,})(\S*)\n([\s\S]*)\n\1$/.exec(markdown) ?? [];
  return fence === undefined
    ? beginningOfText(markdown, room)
    : beginningOfCode(code, room, (shown) => `${fence}${language}\n${shown}\n${fence}`);
}

/** Less room than this is not worth a part of a line, in characters. */
const shortest = 200;

function beginningOfCode(code: string, { lines, characters }: Room, inFence: (code: string) => string): ShownPart {
  const all = code.split('\n');
  const shown: string[] = [];
  let left = characters;
  for (const line of all.slice(0, lines)) {
    const isWhole = line.length <= left;
    if (isWhole || left >= shortest) shown.push(isWhole ? line : shortened(line, left));
    if (!isWhole) break;
    left -= line.length + 1;
  }
  const text = shown.join('\n');
  if (text === code) return { markdown: inFence(code), more: undefined };
  const missing = all.length - shown.length;
  const more =
    missing > 0
      ? ({ of: 'lines', count: missing } as const)
      : ({ of: 'characters', count: code.length - text.length } as const);
  return { markdown: inFence(text), more };
}

function beginningOfText(markdown: string, { lines, characters }: Room): ShownPart {
  const measure = (text: string): number =>
    Math.max(Math.ceil((text.split('\n').length / lines) * characters), text.length);
  if (measure(markdown) <= characters) return { markdown, more: undefined };
  // A longer beginning is never shown, and splitting takes time.
  const [shown = ''] = splitMarkdown(markdown.slice(0, characters * 4), { maxLength: characters, measure });
  return { markdown: shown, more: { of: 'characters', count: markdown.length - shown.length } };
}
