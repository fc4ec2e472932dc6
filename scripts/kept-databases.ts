import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Databases of all schemas that there were, for the tests. A name says the core's number, and that of each feature: `15.planning2.db.gz`. */
export const keptDatabases = join(import.meta.dirname, '../test/store/databases');

/** The name of the newest: schemas only grow, so it is the one of the most steps. */
export function newestDatabase(names: readonly string[] = readdirSync(keptDatabases)): string {
  return names.toSorted((one, other) => stepsOf(other) - stepsOf(one))[0] ?? '';
}

function stepsOf(name: string): number {
  return (name.match(/\d+/g) ?? []).reduce((sum, steps) => sum + Number(steps), 0);
}
