import type { BoundName } from '../approval/extension.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import type { ReachedBound } from './reached-bound.ts';

/** Which bound was reached, as a markdown sentence. */
export function reachedWords({ bound, limit, spent }: ReachedBound, person: string): string {
  switch (bound) {
    case 'turns':
      return `I have taken ${spent} ${spent === 1 ? 'turn' : 'turns'} for this and stopped here.`;
    case 'tokens-per-run':
    case 'cost-per-run':
      return `The budget for this is used up: ${ratio(bound, spent, limit)}.`;
    case 'tokens-per-person':
    case 'cost-per-person':
      return `The budget of ${escapeMarkdown(person)} is used up: ${ratio(bound, spent, limit)} today.`;
    case 'tokens-per-day':
    case 'cost-per-day':
      return `The budget of all is used up: ${ratio(bound, spent, limit)} today.`;
  }
}

/** What a run would do that may go on, as markdown behind "May I". */
export function goOnWords({ bound, limit }: ReachedBound): string {
  if (bound === 'turns') return `go on with this for up to ${limit} more ${limit === 1 ? 'turn' : 'turns'}`;
  return isMoney(bound)
    ? `go on with this and spend up to ${moneyWords(limit)} more`
    : `go on with this for up to ${tokenWords(limit)} more tokens`;
}

/** Money in millionths, as people write it: `1.25`. */
export function moneyWords(cost: number): string {
  const most = cost < 100_000 ? 6 : 2;
  return (cost / 1_000_000).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: most });
}

/** `12,345` */
export function tokenWords(tokens: number): string {
  return tokens.toLocaleString('en-US');
}

function ratio(bound: BoundName, spent: number, limit: number): string {
  return isMoney(bound)
    ? `${moneyWords(spent)} of ${moneyWords(limit)}`
    : `${tokenWords(spent)} of ${tokenWords(limit)} tokens`;
}

function isMoney(bound: BoundName): boolean {
  return bound.startsWith('cost');
}
