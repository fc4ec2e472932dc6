import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { features } from '../src/features/index.ts';
import type { TableOwner } from '../src/store/migrate.ts';
import { migrations } from '../src/store/migrations.ts';
import { openDatabase } from '../src/store/open.ts';
import { keptDatabases, newestDatabase } from './kept-databases.ts';

/**
 * Saves a database of the newest schema for the tests, if missing: that of the schema before, migrated. After that,
 * editing the migration in place fails a test. Its name says the core's number, and that of each feature with further
 * steps than the first: `15.planning2.db.gz`.
 */
const definitions = await Promise.all(features.map((load) => load()));
const further = definitions.flatMap(({ name, tables }) => {
  const { length } = tables?.steps ?? [];
  return length > 1 ? [`.${name}${length}`] : [];
});
const newest = `${migrations.length}${further.join('')}.db.gz`;

await keep(`${migrations.length}.db.gz`, `${migrations.length - 1}.db.gz`, []);
await keep(newest, newestDatabase(), definitions);

async function keep(name: string, before: string, owners: readonly TableOwner[]): Promise<void> {
  if (existsSync(join(keptDatabases, name))) return;
  const scratch = mkdtempSync(join(tmpdir(), 'keyturn-database-'));
  const file = join(scratch, 'keyturn.db');
  writeFileSync(file, gunzipSync(readFileSync(join(keptDatabases, before))));
  await openDatabase(file, owners).close();
  writeFileSync(join(keptDatabases, name), gzipSync(readFileSync(file), { level: 9 }));
  rmSync(scratch, { recursive: true });
}
