/*
 * Puts a backup in the place of a data folder's content. All of it is unpacked and checked in a folder of its own within
 * the data folder, which may be a mount that nobody can rename. Then a note is written: from that instant on the backup
 * holds. What is there is moved into `before-restore-…`, what was unpacked takes its place, and the note is removed. If the
 * process is killed in between, the next one that takes the lock on the data folder goes on, before it opens anything.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';
import { syncFolder, syncFolderNow } from '../../lib/sync-folder.ts';
import { add } from '../audit.ts';
import { isChained } from '../audit-proof.ts';
import { lockData } from '../examine.ts';
import type { TableOwner } from '../migrate.ts';
import { SqliteSql } from '../sqlite-sql.ts';
import { StoreError } from '../store-error.ts';
import { isRestoring, keptBeside, restoreNote } from './backup-format.ts';
import { giveToOwner } from './ownership.ts';
import { type ReadBackup, unpackBackup } from './read-backup.ts';
import { backupWords } from './words.ts';

export interface RestoreOrder {
  readonly archive: string;
  readonly dataFolder: string;
  readonly features: readonly TableOwner[];
  /** In ms since 1970. */
  readonly at: number;
  /** Called before each step. */
  readonly before?: (step: string) => void;
}

export interface Restored extends ReadBackup {
  /** Where what was there is now; undefined if there was nothing. */
  readonly former: string | undefined;
}

const stagingName = 'restoring';

const noteSchema = z.object({
  /** The folder that takes what is there. */
  former: z.string().regex(/^before-restore-[\w-]+$/),
  old: z.array(z.string()),
  new: z.array(z.string()),
});

/**
 * Rejects with `DataLockedError` while a daemon works with the folder, and with `StoreError` if the backup
 * is not whole or not known: nothing is changed then.
 */
export async function restoreBackup(order: RestoreOrder): Promise<Restored> {
  const { archive, dataFolder, features, before = () => {} } = order;
  const unlock = lockData(dataFolder);
  try {
    finishRestore(dataFolder, before);
    const staging = join(dataFolder, stagingName);
    before('clear');
    await rm(staging, { recursive: true, force: true });
    await mkdir(staging, { mode: 0o700 });
    before('unpack');
    const backup = await unpackBackup(archive, staging, { features, isWhole: true }).catch(async (error: unknown) => {
      await rm(staging, { recursive: true, force: true });
      throw error;
    });
    await noteRestored(join(staging, 'keyturn.db'), basename(archive), order.at);
    giveToOwner(dataFolder, [staging, join(dataFolder, 'keyturn.lock'), join(dataFolder, 'keyturn.pid')]);
    await syncFolders(staging);
    const old = readdirSync(dataFolder).filter(isReplaced);
    const former = formerName(dataFolder, order.at);
    before('note');
    await writeNote(dataFolder, { former, old, new: readdirSync(staging) });
    finishRestore(dataFolder, before);
    await syncFolder(dataFolder);
    return { ...backup, former: old.length === 0 ? undefined : join(dataFolder, former) };
  } finally {
    unlock();
  }
}

/** The audit of what is restored says so. One from before there were hashes is chained by the next start. */
async function noteRestored(file: string, archive: string, at: number): Promise<void> {
  const sqlite = new Sqlite(file);
  try {
    const detail = { archive };
    if (!isChained(sqlite)) {
      sqlite.prepare(unchained).run(at, machineUser, JSON.stringify(detail));
      return;
    }
    const sql = new SqliteSql(sqlite);
    sql.run('BEGIN');
    await add(sql, { at, kind: 'data-restored', conversationId: '', actor: machineUser, detail });
    sql.run('COMMIT');
  } finally {
    sqlite.close();
  }
}

/** Who works at this machine, as decisions there name them. */
const machineUser = 'machine:local';
const unchained = `INSERT INTO audit (at, kind, conversation_id, actor, detail) VALUES (?, 'data-restored', '', ?, ?)`;

/** The names of all that was unpacked. */
async function syncFolders(root: string): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await syncFolder(join(entry.parentPath, entry.name));
  await syncFolder(root);
}

/** What a restore replaces: the database with all that stands beside it, and the folders that a backup has. */
function isReplaced(name: string): boolean {
  return /^keyturn\.db(?:$|[.-])/.test(name) || name === 'keyturn.process' || keptBeside.some((kept) => kept === name);
}

function formerName(dataFolder: string, at: number): string {
  const stamp = new Date(at).toISOString().slice(0, 19).replaceAll(':', '');
  const name = `before-restore-${stamp}`;
  if (!existsSync(join(dataFolder, name))) return name;
  for (let count = 2; ; count += 1) if (!existsSync(join(dataFolder, `${name}-${count}`))) return `${name}-${count}`;
}

async function writeNote(dataFolder: string, note: z.output<typeof noteSchema>): Promise<void> {
  const draft = join(dataFolder, `${restoreNote}.tmp`);
  await rm(draft, { force: true });
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(JSON.stringify(note));
    await file.sync();
  } finally {
    await file.close();
  }
  giveToOwner(dataFolder, [draft]);
  renameSync(draft, join(dataFolder, restoreNote));
  await syncFolder(dataFolder);
}

/**
 * Goes on with a restore that a kill or a power failure has interrupted, if there is one. Hold the lock on the
 * data folder, and open nothing in it before. Throws `StoreError` if something cannot be moved.
 */
export function finishRestore(dataFolder: string, before: (step: string) => void = () => {}): void {
  if (!isRestoring(dataFolder)) {
    // Killed before it has replaced anything.
    rmSync(join(dataFolder, stagingName), { recursive: true, force: true });
    return;
  }
  const note = noteSchema.parse(JSON.parse(readFileSync(join(dataFolder, restoreNote), 'utf8')));
  const [former, staging] = [join(dataFolder, note.former), join(dataFolder, stagingName)];
  try {
    if (mkdirSync(former, { recursive: true, mode: 0o700 }) !== undefined) giveToOwner(dataFolder, [former]);
    // Moved already: what stands there now is new.
    for (const name of note.old.map((one) => basename(one)))
      if (!existsSync(join(former, name))) move(join(dataFolder, name), join(former, name), before);
    for (const name of note.new.map((one) => basename(one))) move(join(staging, name), join(dataFolder, name), before);
    // Without the note nobody goes on: all that it names must have moved for certain.
    for (const folder of [former, dataFolder]) syncFolderNow(folder);
    before('end');
    rmSync(join(dataFolder, restoreNote));
    before('tidy');
    rmSync(staging, { recursive: true, force: true });
    if (readdirSync(former).length === 0) rmSync(former, { recursive: true });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    const reason = error.message;
    throw new StoreError((language) => backupWords[language].moving({ folder: staging, reason }), { cause: error });
  }
}

function move(from: string, to: string, before: (step: string) => void): void {
  if (!existsSync(from)) return;
  before(`move ${basename(from)}`);
  renameSync(from, to);
}
