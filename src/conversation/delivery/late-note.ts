import type { MessageKind } from '../../contract.ts';
import { durationWords } from '../../lib/duration.ts';
import { clockTime, dayWords, isSameDay } from '../../lib/local-time.ts';

/** What a message is said to be late by: when it was written, and now. */
export interface Lateness {
  readonly kind: MessageKind;
  readonly createdAt: number;
  readonly now: number;
  /** How much later it may be, in milliseconds. */
  readonly lateAfter: number;
}

/** The line that a message begins with which people see long after it was written; undefined if it needs none. */
export function lateNote({ kind, createdAt, now, lateAfter }: Lateness): string | undefined {
  const age = now - createdAt;
  if (age <= lateAfter || !growsStale(kind)) return undefined;
  const time = clockTime(createdAt);
  const written = isSameDay(createdAt, now) ? `at ${time}` : `on ${dayWords(createdAt)} at ${time}`;
  return `*🕓 Late: written ${written}, ${durationWords(age)} ago.*`;
}

/** A card says itself until when it holds, and a status is of now. */
function growsStale(kind: MessageKind): boolean {
  switch (kind) {
    case 'reply':
    case 'for_user':
    case 'notice':
      return true;
    case 'card':
    case 'status':
      return false;
  }
}
