import { approvalWords } from '../../src/approval/words.ts';

/** Why a call is asked for that could carry out what was read, whatever it was. */
export const couldLeak = approvalWords.en.reason({ because: 'could-leak', sources: [], more: 0 });

/** In place of a value of a catalogue's entry that a test does not know, or does not care for: an id, a name. */
export const anything = '§§';

/** The time of an entry that tells one, whatever it is. */
export const anyTime = { at: 0, until: 0, reader: { timeZone: 'UTC', isNamed: false, language: 'en' } } as const;

/** What is said, with any text in place of `anything`, and any time in place of a time. */
export function saidLike(sentence: string): RegExp {
  const parts = sentence.split(/(§§|\d\d:\d\d(?: UTC)?)/);
  return new RegExp(parts.map((part, at) => (at % 2 === 0 ? literal(part) : openPart(part))).join(''), 's');
}

function literal(part: string): string {
  return part.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

function openPart(part: string): string {
  return part === anything ? '.+?' : String.raw`\d\d:\d\d(?: [A-Z]\S*)?`;
}
