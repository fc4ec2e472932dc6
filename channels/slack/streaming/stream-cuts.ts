import { openFenceIn } from '../outgoing/fences.ts';

/** How much a message may hold that grows, in characters. */
const longest = 11_500;
/** A message that grows is stopped at the end of a block from this age on, and at this one anyway, in milliseconds. */
const turnFrom = 240_000;
const turnAt = 270_000;

/** How much of the text a new message takes behind its opening. */
export function cutForNew(ready: string, opening: string): number {
  return fitting(ready, longest - opening.length, true);
}

/** How much of the text a message still takes that shows something and is of that age. 0 if it has to be stopped. */
export function cutFor(ready: string, shown: string, age: number): number {
  if (age >= turnAt || ready === '') return 0;
  const cut = fitting(ready, longest - shown.length, false);
  if (age < turnFrom) return cut;
  return isAtBlockEnd(shown) ? 0 : blockEndIn(shown, ready.slice(0, cut)) || cut;
}

/** At what age a message has to be stopped that shows this, if nothing more comes, in milliseconds. */
export function longestAge(shown: string): number {
  return isAtBlockEnd(shown) ? turnFrom : turnAt;
}

/** How much of the text fits, up to the best place to cut it. 0 if nothing should be put there any more. */
function fitting(text: string, room: number, isFirst: boolean): number {
  if (text.length <= room) return text.length;
  const within = text.slice(0, Math.max(0, room));
  const block = within.lastIndexOf('\n\n') + 2;
  if (block > 1 && block > room / 2) return block;
  const line = within.lastIndexOf('\n') + 1;
  if (line > 0) return line;
  if (!isFirst) return 0;
  return within.lastIndexOf(' ') + 1 || within.toWellFormed().length - (/[\ud800-\udbff]$/.test(within) ? 1 : 0);
}

/** How much of the text ends with a block, after what stands before it; 0 if none ends in it. */
function blockEndIn(before: string, text: string): number {
  for (let end = text.lastIndexOf('\n\n') + 2; end > 1; end = text.lastIndexOf('\n\n', end - 3) + 2) {
    if (openFenceIn(before + text.slice(0, end)) === undefined) return end;
    if (end < 3) return 0;
  }
  return 0;
}

function isAtBlockEnd(shown: string): boolean {
  return shown.endsWith('\n\n') && openFenceIn(shown) === undefined;
}
