import { readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

const low = constants.priority.PRIORITY_BELOW_NORMAL;
/** Linux has a priority for each thread, and lists them here. */
const threads = '/proc/self/task';

/** From now on, this process works when others leave it time. For long work that nobody should notice. */
export function giveWay(): void {
  const own = process.platform === 'linux' ? readdirSync(threads).map(Number) : [0];
  // Back to a higher one nobody may go.
  for (const id of own) if (getPriority(id) < low) setPriority(id, low);
}
