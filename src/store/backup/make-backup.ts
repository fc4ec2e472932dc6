/*
 * One archive of all that Keyturn keeps, made while it runs. A process of its own opens the database to read, and lets
 * SQLite write a copy of one instant (`VACUUM INTO`): readers take no lock that a writer waits for, and what was deleted
 * is not in the copy. The other files are read where they stand: each is written once, so what is there is whole; one that
 * the daemon removes meanwhile had been sent. The archive appears under its name when it is complete and on disk.
 */

import { createHash } from 'node:crypto';
import { constants, createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type Sqlite from 'better-sqlite3';
import { ownVersion } from '../../lib/own-version.ts';
import { syncFolder } from '../../lib/sync-folder.ts';
import { isTarName, tarEnd, tarHeader, tarPadding } from '../../lib/tar.ts';
import { firstDamage, inDatabase } from '../examine.ts';
import { schemaOf } from '../migrate.ts';
import { refuseUnended } from '../read-beside.ts';
import { isDamage } from '../sqlite-sql.ts';
import {
  backupFault,
  backupFormat,
  configEntry,
  databaseEntry,
  keptBeside,
  type Manifest,
  manifestEntry,
  refuseRestoring,
  secretsEntry,
  whileWriting,
} from './backup-format.ts';
import { giveToOwner } from './ownership.ts';

export interface BackupOrder {
  readonly dataFolder: string;
  /** The file to write. Its folder is made if it is missing. */
  readonly target: string;
  /** Replaces a file that is there. */
  readonly replaces: boolean;
  /** The text of the config, without secrets unless they are wanted; undefined if there is none. */
  readonly config: string | undefined;
  /** The text of `.env`, if secrets are wanted. */
  readonly secrets: string | undefined;
  /** In ms since 1970. */
  readonly at: number;
}

export interface MadeBackup {
  readonly file: string;
  /** In bytes. */
  readonly size: number;
  /** How many files are in it, the database included. */
  readonly files: number;
}

/** How long a reader of ours waits for another program's lock, in ms. */
const patience = 10_000;
/** What a killed process has left is removed after so long, in ms. */
const longestWork = 24 * 60 * 60_000;
const draftName = '.keyturn-backup-';

/** Rejects with `StoreError` if it cannot be made: nothing is left then. */
export async function makeBackup(order: BackupOrder): Promise<MadeBackup> {
  const { target, dataFolder } = order;
  const folder = dirname(target);
  const database = join(dataFolder, 'keyturn.db');
  refuseRestoring(dataFolder);
  if (!existsSync(database)) throw backupFault((say) => say.noDatabase({ file: database }));
  refuseUnended(database);
  if (!order.replaces && existsSync(target)) throw backupFault((say) => say.isThere({ file: target }));
  let draft: string | undefined;
  try {
    const newFolder = await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeLeft(folder, order.at);
    draft = await mkdtemp(join(folder, draftName));
    const copy = join(draft, 'keyturn.db');
    copyDatabase(database, copy);
    const manifest: Listing = { files: [] };
    const archive = join(draft, basename(target));
    await pipeline(
      Readable.from(archiveOf(copy, order, manifest), { objectMode: true }),
      createGzip(),
      createWriteStream(archive, { flags: 'wx', mode: 0o600, flush: true }),
    );
    const { size } = await stat(archive);
    await rename(archive, target);
    if (!relative(dataFolder, target).startsWith('..')) giveToOwner(dataFolder, [newFolder ?? target]);
    await syncFolder(folder);
    return { file: target, size, files: manifest.files.length };
  } catch (error) {
    if (isDamage(error)) throw backupFault((say) => say.damagedSource({ file: database, damage: error.message }));
    throw whileWriting(error, folder);
  } finally {
    if (draft !== undefined) await rm(draft, { recursive: true, force: true });
  }
}

async function removeLeft(folder: string, at: number): Promise<void> {
  for (const name of (await readdir(folder)).filter((found) => found.startsWith(draftName))) {
    const { mtimeMs } = await stat(join(folder, name));
    if (mtimeMs < at - longestWork) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** Opened to read, SQLite never copies the log when it closes, whoever ends first. */
function copyDatabase(database: string, copy: string): void {
  inDatabase(database, { readonly: true, timeout: patience }, (sqlite) => {
    sqlite.prepare('VACUUM INTO ?').run(copy);
  });
  const damage = firstDamage(copy);
  if (damage !== undefined) throw backupFault((say) => say.damagedSource({ file: database, damage }));
}

/** What is listed while the archive is written: its end has the list. */
interface Listing {
  readonly files: Manifest['files'];
}

async function* archiveOf(copy: string, order: BackupOrder, listing: Listing): AsyncGenerator<Buffer, void> {
  const { dataFolder, config, secrets, at } = order;
  yield* fileEntry(databaseEntry, copy, at, listing);
  for (const name of keptBeside)
    for (const path of await filesBelow(join(dataFolder, name)))
      yield* fileEntry(`data/${name}${path}`, join(dataFolder, name + path), at, listing);
  if (config !== undefined) yield* textEntry(configEntry, config, at, listing);
  if (secrets !== undefined) yield* textEntry(secretsEntry, secrets, at, listing);
  const manifest = manifestOf(copy, order, listing);
  yield* textEntry(manifestEntry, `${JSON.stringify(manifest, undefined, 1)}\n`, at, { files: [] });
  yield tarEnd;
}

/** The regular files below a folder, as `/a/b`, in order; of a file itself, the empty path. */
async function filesBelow(root: string): Promise<readonly string[]> {
  const found = await stat(root).catch(unlessGone);
  if (found === undefined) return [];
  if (!found.isDirectory()) return [''];
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath.slice(root.length)}/${name}`.replaceAll('\\', '/'))
    .toSorted();
}

/** Nothing if the file is gone by now, or is none. */
async function* fileEntry(name: string, path: string, at: number, listing: Listing): AsyncGenerator<Buffer, void> {
  if (!isTarName(name)) return;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(unlessGone);
  if (file === undefined) return;
  try {
    const found = await file.stat();
    if (!found.isFile()) return;
    const { size } = found;
    yield tarHeader({ name, size }, at);
    const sum = createHash('sha256');
    let left = size;
    while (left > 0) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(left, 65_536)));
      if (bytesRead === 0) throw new Error(`${path} has changed while it was read`);
      const part = buffer.subarray(0, bytesRead);
      sum.update(part);
      left -= bytesRead;
      yield part;
    }
    yield tarPadding(size);
    listing.files.push({ name, size, sha256: sum.digest('hex') });
  } finally {
    await file.close();
  }
}

async function* textEntry(name: string, text: string, at: number, listing: Listing): AsyncGenerator<Buffer, void> {
  const content = Buffer.from(text);
  yield tarHeader({ name, size: content.length }, at);
  yield content;
  yield tarPadding(content.length);
  const sha256 = createHash('sha256').update(content).digest('hex');
  listing.files.push({ name, size: content.length, sha256 });
}

function manifestOf(copy: string, { at, secrets }: BackupOrder, { files }: Listing): Manifest {
  return inDatabase(copy, { readonly: true }, (sqlite) => {
    const { core, features } = schemaOf(sqlite);
    return {
      keyturn: ownVersion(),
      format: backupFormat,
      made_at: new Date(at).toISOString(),
      schema: core,
      features: Object.fromEntries(features),
      audit: newestOfAudit(sqlite),
      has_secrets: secrets !== undefined,
      files,
    };
  });
}

function newestOfAudit(sqlite: Sqlite.Database): Manifest['audit'] {
  const isChained = sqlite.prepare(`SELECT 1 FROM pragma_table_info('audit') WHERE name = 'hash'`).get() !== undefined;
  if (!isChained) return undefined;
  return sqlite
    .prepare<[], { seq: number; hash: string }>('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1')
    .get();
}

/** Undefined if there is no such file. */
function unlessGone(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && /^(?:ENOENT|ELOOP|ENXIO)$/.test(String(error.code)))
    return undefined;
  throw error;
}
