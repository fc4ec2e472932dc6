import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { features } from '../../src/features/index.ts';
import { openDatabase } from '../../src/store/open.ts';
import type {} from './new-data-folder.ts';

/** Makes the database that tests begin with, once for all of them. */
export default async function emptyDatabase(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'keyturn-empty-'));
  const file = join(folder, 'keyturn.db');
  await openDatabase(file, await Promise.all(features.map((load) => load()))).close();
  project.provide('emptyDatabase', file);
  return () => rmSync(folder, { recursive: true, force: true });
}
