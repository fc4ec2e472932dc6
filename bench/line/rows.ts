import { countsOf } from './counts.ts';
import { everydayRows } from './everyday.ts';
import { largeRows } from './large.ts';
import { begin } from './measuring.ts';
import { ownRows } from './own.ts';
import { everybody, onStand, type Row } from './row.ts';
import type { Subject } from './subjects.ts';

/** All rows of the table, in their order. */
export const rows: readonly Row[] = [
  ...everydayRows,
  ...ownRows,
  { name: 'counts', about: 'what one of 100 messages in turn asks for', rounds: 1, of: everybody, measure: countsOf },
  ...largeRows,
];

/** Not measured: the first start of a checkout compiles its code, and keeps that. */
export async function firstStart(subject: Subject): Promise<void> {
  await onStand(subject, begin);
}
