import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { features } from '../src/features/index.ts';
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
const newest = join(keptDatabases, `${migrations.length}${further.join('')}.db.gz`);

if (!existsSync(newest)) {
  const scratch = mkdtempSync(join(tmpdir(), 'keyturn-database-'));
  const file = join(scratch, 'keyturn.db');
  writeFileSync(file, gunzipSync(readFileSync(join(keptDatabases, newestDatabase()))));
  await openDatabase(file, definitions).close();
  writeFileSync(newest, gzipSync(readFileSync(file), { level: 9 }));
  rmSync(scratch, { recursive: true });
}
