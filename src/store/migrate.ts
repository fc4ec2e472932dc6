/*
 * The schema of a database, step by step. The core's steps come first: their number is SQLite's `user_version`, and the
 * table `written_by` records which Keyturn first took each. Then come the steps of each feature that is there, whose
 * numbers the table `feature_steps` keeps. A step and its number are one transaction, so a killed process leaves the
 * state before it. Before a step, a file with data is copied beside itself.
 */

import { chmodSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { ownVersion } from '../lib/own-version.ts';
import { syncFolderNow } from '../lib/sync-folder.ts';
import type { InLanguage } from '../lib/words.ts';
import { inDatabase } from './examine.ts';
import type { SchemaStep } from './migrations.ts';
import { StoreError, storeSays } from './store-error.ts';

/** SQLite's application id ("Keyt" in ASCII): identifies the file to `file` and other tools. */
export const applicationId = 0x4b_65_79_74;

/** A feature's tables. The core touches none of them. */
export interface FeatureTables {
  /**
   * Their schema as numbered steps, the first of which is number 1. Never change an existing step: append a new one. It
   * may make indexes on the core's tables, and changes nothing else of them.
   */
  readonly steps: readonly string[];
  /** How people's rows in them are found beyond the column `principal`. Each text is SQL that gets `@accounts`, a JSON array. */
  readonly ofPeople?: {
    /** Further accounts of the same person, one a row. */
    readonly accounts?: string;
    /** Run before the rows of a person are removed: removes what belongs to those. */
    readonly forgets?: readonly string[];
  };
}

/** A feature, as far as the database knows it. */
export interface TableOwner {
  /** The name of its folder. */
  readonly name: string;
  readonly tables?: FeatureTables | undefined;
}

export interface Schema {
  readonly core: readonly SchemaStep[];
  readonly features: readonly TableOwner[];
}

/**
 * Brings an open database to the newest schema. Throws `StoreError` and changes nothing if a newer Keyturn or another
 * program wrote the file. Leaves alone what belongs to features that are not there.
 */
export function migrate(sqlite: Sqlite.Database, file: string, schema: Schema): void {
  const number = schemaNumber(sqlite);
  if (number > schema.core.length) throw new StoreError(newerFile(sqlite, file, number, schema.core.length));
  refuseNewerFeatures(sqlite, file, schema.features);
  const tables = sqlite.prepare(`SELECT count(*) FROM sqlite_schema WHERE type = 'table'`).pluck().get();
  if (number === 0 && tables !== 0) throw new StoreError(storeSays((say) => say.ofAnotherProgram({ file })));
  if (number > 0 && !isNumbered(sqlite) && hasOtherSchema(file, schema))
    throw new StoreError(storeSays((say) => say.otherTables({ file, reason: undefined })));
  if (number === 0) {
    // Read once: it takes as long as a small step.
    const version = ownVersion();
    // A new file has nothing to back up. Each transaction waits for the disk, so it has one.
    sqlite.transaction(() => {
      for (const [index, step] of schema.core.entries())
        takeCoreStep(sqlite, { number: index + 1, version, step, text: step.core });
      for (const feature of schema.features) takeFeatureSteps(sqlite, { feature, version, taken: 0 });
    })();
    return;
  }
  for (const [index, step] of [...schema.core.entries()].slice(number)) {
    backUp(sqlite, `${file}.v${index}.bak`);
    const text = step.core + (step.features ?? '');
    sqlite.transaction(() => takeCoreStep(sqlite, { number: index + 1, version: ownVersion(), step, text }))();
  }
  const known = stepsTaken(sqlite);
  for (const feature of schema.features) {
    const taken = known.get(feature.name) ?? 0;
    if (taken >= stepsOf(feature).length) continue;
    // The first step only adds tables.
    if (taken > 0) backUp(sqlite, `${file}.v${schema.core.length}.${feature.name}${taken}.bak`);
    takeFeatureSteps(sqlite, { feature, version: ownVersion(), taken });
  }
}

interface CoreStep {
  readonly number: number;
  /** Keyturn's own. */
  readonly version: string;
  readonly step: SchemaStep;
  readonly text: string;
}

function takeCoreStep(sqlite: Sqlite.Database, { number, version, step, text }: CoreStep): void {
  sqlite.exec(text);
  step.rows?.(sqlite);
  sqlite.exec('CREATE TABLE IF NOT EXISTS written_by (schema INTEGER PRIMARY KEY, version TEXT NOT NULL) STRICT');
  sqlite.prepare('INSERT INTO written_by (schema, version) VALUES (?, ?)').run(number, version);
  sqlite.pragma(`application_id = ${applicationId}`);
  sqlite.pragma(`user_version = ${number}`);
}

interface FeatureSteps {
  readonly feature: TableOwner;
  readonly version: string;
  /** How many it has taken already. */
  readonly taken: number;
}

/** The steps that a feature has not taken yet: all or none. */
function takeFeatureSteps(sqlite: Sqlite.Database, { feature, version, taken }: FeatureSteps): void {
  const steps = [...stepsOf(feature).entries()].slice(taken);
  if (steps.length === 0) return;
  sqlite.transaction(() => {
    for (const [index, step] of steps) {
      sqlite.exec(step);
      sqlite
        .prepare('INSERT INTO feature_steps (feature, step, version) VALUES (?, ?, ?)')
        .run(feature.name, index + 1, version);
    }
  })();
}

function stepsOf({ tables }: TableOwner): readonly string[] {
  return tables?.steps ?? [];
}

/** How many steps each feature has taken, whether it is there or not. */
function stepsTaken(sqlite: Sqlite.Database): ReadonlyMap<string, number> {
  if (!hasTable(sqlite, 'feature_steps')) return new Map();
  const rows = sqlite
    .prepare<[], { readonly feature: string; readonly step: number }>(
      'SELECT feature, max(step) AS step FROM feature_steps GROUP BY feature',
    )
    .all();
  return new Map(rows.map(({ feature, step }) => [feature, step]));
}

/** The number of the core's schema, and that of each feature's tables. */
export function schemaOf(sqlite: Sqlite.Database): {
  readonly core: number;
  readonly features: ReadonlyMap<string, number>;
} {
  return { core: schemaNumber(sqlite), features: stepsTaken(sqlite) };
}

/** Throws `StoreError` if a newer Keyturn or another program wrote the file. */
export function refuseUnknown(sqlite: Sqlite.Database, file: string, schema: Schema): void {
  const number = schemaNumber(sqlite);
  if (number > schema.core.length) throw new StoreError(newerFile(sqlite, file, number, schema.core.length));
  if (number === 0) throw new StoreError(storeSays((say) => say.ofAnotherProgram({ file })));
  refuseNewerFeatures(sqlite, file, schema.features);
}

/** Whether the file is intact, but its tables or columns differ from its numbers. Other tables may stand beside them. */
export function hasOtherSchema(file: string, { core, features }: Schema): boolean {
  try {
    return inDatabase(file, { readonly: true }, (found) =>
      inDatabase(':memory:', {}, (expected) => {
        if (found.pragma('quick_check(1)', { simple: true }) !== 'ok') return false;
        const number = schemaNumber(found);
        const taken = stepsTaken(found);
        for (const step of core.slice(0, number)) expected.exec(step.core);
        for (const feature of features)
          for (const step of stepsOf(feature).slice(0, taken.get(feature.name) ?? 0)) expected.exec(step);
        const columns = columnsOf(found);
        return [...columnsOf(expected)].some(([table, names]) => columns.get(table) !== names);
      }),
    );
  } catch {
    return false; // An unreadable file is damaged.
  }
}

/** The columns of each table, one a line. */
function columnsOf(sqlite: Sqlite.Database): ReadonlyMap<string, string> {
  const rows = sqlite
    .prepare<[], { readonly table: string; readonly columns: string }>(
      `SELECT "table", group_concat(name, char(10)) AS columns FROM (
         SELECT t.name AS "table", c.name AS name FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'written_by' ORDER BY 1, 2) GROUP BY 1`,
    )
    .all();
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

/** Databases from before schema numbers lack this table; their schema was edited in place. */
function isNumbered(sqlite: Sqlite.Database): boolean {
  return hasTable(sqlite, 'written_by');
}

function hasTable(sqlite: Sqlite.Database, name: string): boolean {
  return sqlite.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;
}

/** How many steps of the core a database has taken. */
export function schemaNumber(sqlite: Sqlite.Database): number {
  return Number(sqlite.pragma('user_version', { simple: true }));
}

function newerFile(sqlite: Sqlite.Database, file: string, number: number, known: number): InLanguage {
  const newer = { file, step: number, own: ownVersion(), known };
  const writer = isNumbered(sqlite) ? writerOf(sqlite, number) : undefined;
  if (writer === undefined) return storeSays((say) => say.newerUnknown(newer));
  const { version } = writer;
  if (writer.schema === number) return storeSays((say) => say.newer({ ...newer, version }));
  return storeSays((say) => say.newerThan({ ...newer, version }));
}

/** The version that wrote the number, or else the newest known earlier writer. */
function writerOf(
  sqlite: Sqlite.Database,
  number: number,
): { readonly schema: number; readonly version: string } | undefined {
  return sqlite
    .prepare<[number], { schema: number; version: string }>(
      'SELECT schema, version FROM written_by WHERE schema <= ? ORDER BY schema DESC LIMIT 1',
    )
    .get(number);
}

function refuseNewerFeatures(sqlite: Sqlite.Database, file: string, features: readonly TableOwner[]): void {
  const taken = stepsTaken(sqlite);
  for (const feature of features) {
    const [step, known] = [taken.get(feature.name) ?? 0, stepsOf(feature).length];
    if (step <= known) continue;
    const version = String(
      sqlite
        .prepare('SELECT version FROM feature_steps WHERE feature = ? AND step = ?')
        .pluck()
        .get(feature.name, step),
    );
    const newer = { file, version, feature: feature.name, step, own: ownVersion(), known };
    throw new StoreError(storeSays((say) => say.newerFeature(newer)));
  }
}

function backUp(sqlite: Sqlite.Database, target: string): void {
  rmSync(target, { force: true });
  sqlite.prepare('VACUUM INTO ?').run(target);
  chmodSync(target, 0o600);
  // The step comes after it, also if the power fails: nothing of what SQLite had beside it while it wrote comes back.
  syncFolderNow(dirname(target));
}
