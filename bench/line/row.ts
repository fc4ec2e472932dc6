import type { Figures } from './measuring.ts';
import { Stand, type StandOptions } from './stand.ts';
import type { Subject } from './subjects.ts';

/** A row of the table: what is measured, of which subjects, and how often. */
export interface Row {
  readonly name: string;
  readonly about: string;
  readonly rounds: number;
  readonly of: readonly Subject['kind'][];
  readonly measure: (subject: Subject) => Promise<Figures>;
}

/** Who is measured where nothing of Keyturn's own is. */
export const everybody: readonly Subject['kind'][] = ['keyturn', 'bare', 'floor'];

/** Measures on a stand of its own. */
export async function onStand<Result>(
  subject: Subject,
  measure: (stand: Stand) => Promise<Result>,
  options: StandOptions = {},
): Promise<Result> {
  const stand = await Stand.open(subject, options);
  try {
    return await measure(stand);
  } finally {
    await stand.close();
  }
}
