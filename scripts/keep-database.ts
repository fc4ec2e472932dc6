import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { migrations } from '../src/store/migrations.ts';
import { openDatabase } from '../src/store/open.ts';

/**
 * Saves a database of the newest schema version for the tests, if missing: that of the version before, migrated. After
 * that, editing the migration in place fails a test.
 */
const kept = (number: number): string => join(import.meta.dirname, '../test/store/databases', `${number}.db.gz`);

if (!existsSync(kept(migrations.length))) {
  const folder = mkdtempSync(join(tmpdir(), 'keyturn-database-'));
  const file = join(folder, 'keyturn.db');
  writeFileSync(file, gunzipSync(readFileSync(kept(migrations.length - 1))));
  await openDatabase(file).close();
  writeFileSync(kept(migrations.length), gzipSync(readFileSync(file), { level: 9 }));
  rmSync(folder, { recursive: true });
}
