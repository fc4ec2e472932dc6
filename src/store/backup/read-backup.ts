import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { readTar, type TarEntry, TarError } from '../../lib/tar.ts';
import { type AuditProof, proveAudit } from '../audit-proof.ts';
import { inDatabase } from '../examine.ts';
import { refuseUnknown, type TableOwner } from '../migrate.ts';
import { migrations } from '../migrations.ts';
import { isDamage } from '../sqlite-sql.ts';
import { StoreError } from '../store-error.ts';
import {
  backupFault,
  backupFormat,
  configEntry,
  databaseEntry,
  keptBeside,
  type Manifest,
  manifestEntry,
  manifestSchema,
  secretsEntry,
  whileWriting,
} from './backup-format.ts';

/** A backup that is whole, and that this program can use. */
export interface ReadBackup {
  readonly manifest: Manifest;
  readonly config: string | undefined;
  readonly secrets: string | undefined;
  readonly audit: AuditProof;
}

/** Texts in an archive are not larger than this, in bytes; a list of a million files is. */
const longestText = 2 ** 20;
const longestManifest = 2 ** 28;

/**
 * Checks all of a backup: that it is complete, each file is as it was backed up, the database is sound, and its tables are
 * known. Unpacks its database for that, into a folder that is removed. Rejects with `StoreError`.
 */
export async function verifyBackup(archive: string, features: readonly TableOwner[]): Promise<ReadBackup> {
  const folder = await newFolderFor(archive);
  try {
    return await unpackBackup(archive, folder, { features, isWhole: false });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Beside the archive, where there is room for its like; elsewhere if nothing may be written there. */
async function newFolderFor(archive: string): Promise<string> {
  try {
    return await mkdtemp(join(dirname(resolve(archive)), '.keyturn-verify-'));
  } catch {
    return await mkdtemp(join(tmpdir(), 'keyturn-verify-'));
  }
}

export interface Unpacking {
  readonly features: readonly TableOwner[];
  /** All of the data folder; otherwise the database alone. What is written is on disk when it resolves. */
  readonly isWhole: boolean;
}

/** The same, and leaves what it unpacks in an empty folder: `keyturn.db` and what stands beside it. */
export async function unpackBackup(archive: string, folder: string, unpacking: Unpacking): Promise<ReadBackup> {
  const found: Found = { sums: new Map(), texts: new Map() };
  try {
    const file = await openArchive(archive);
    await pipeline(file.createReadStream(), createGunzip(), async (bytes: AsyncIterable<Uint8Array>) => {
      await readTar(bytes, (entry, content) => take(entry, content, { folder, unpacking, found }));
    });
  } catch (error) {
    throw asBackupError(error, archive, folder);
  }
  const manifest = manifestIn(found, archive);
  compare(manifest, found, archive);
  const audit = examineDatabase(join(folder, 'keyturn.db'), archive, unpacking.features);
  return { manifest, config: found.texts.get(configEntry), secrets: found.texts.get(secretsEntry), audit };
}

async function openArchive(archive: string): Promise<FileHandle> {
  try {
    return await open(archive, 'r');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') throw backupFault((say) => say.noFile({ file: archive }));
    const reason = error instanceof Error ? error.message : String(error);
    throw backupFault((say) => say.unreadable({ file: archive, reason }), { cause: error });
  }
}

/** What was read so far. */
interface Found {
  readonly sums: Map<string, { readonly size: number; readonly sha256: string }>;
  readonly texts: Map<string, string>;
}

interface Taking {
  readonly folder: string;
  readonly unpacking: Unpacking;
  readonly found: Found;
}

async function take(entry: TarEntry, content: AsyncIterable<Buffer>, taking: Taking): Promise<void> {
  const { folder, unpacking, found } = taking;
  const { name } = entry;
  if (found.sums.has(name)) throw new TarError('unsafe', `${JSON.stringify(name)} stands in it twice`);
  const sum = createHash('sha256');
  const note = () => found.sums.set(name, { size: entry.size, sha256: sum.digest('hex') });
  if (name === manifestEntry || name === configEntry || name === secretsEntry) {
    if (entry.size > (name === manifestEntry ? longestManifest : longestText))
      throw new TarError('other', `${name} is too large`);
    const parts: Buffer[] = [];
    for await (const part of content) parts.push(part);
    const whole = Buffer.concat(parts);
    sum.update(whole);
    found.texts.set(name, whole.toString());
    note();
    return;
  }
  if (!isOfData(name)) throw new TarError('unsafe', `${JSON.stringify(name)} does not belong into a backup`);
  const target = unpacking.isWhole || name === databaseEntry ? join(folder, name.slice('data/'.length)) : undefined;
  const file = target === undefined ? undefined : await openNew(target, folder);
  try {
    for await (const part of content) {
      sum.update(part);
      // All of it: a disk that fills up may take a part, and says so only at the next one.
      await file?.writeFile(part).catch((error: unknown) => Promise.reject(whileWriting(error, folder)));
    }
    if (file !== undefined) await finish(file, entry, { folder, unpacking });
  } finally {
    await file?.close();
  }
  note();
}

/** Rejects unless all of the entry is in the file, and on disk if it is to stay. */
async function finish(
  file: FileHandle,
  { size }: TarEntry,
  { folder, unpacking }: Pick<Taking, 'folder' | 'unpacking'>,
): Promise<void> {
  try {
    if (unpacking.isWhole) await file.sync();
    if ((await file.stat()).size !== size) throw backupFault((say) => say.full({ folder }));
  } catch (error) {
    throw whileWriting(error, folder);
  }
}

function isOfData(name: string): boolean {
  return name === databaseEntry || keptBeside.some((one) => `${name}/`.startsWith(`data/${one}/`));
}

async function openNew(target: string, folder: string): Promise<FileHandle> {
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    return await open(target, 'wx', 0o600);
  } catch (error) {
    throw whileWriting(error, folder);
  }
}

function asBackupError(error: unknown, archive: string, folder: string): unknown {
  if (error instanceof StoreError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof TarError) {
    const { fault } = error;
    if (fault === 'cut') return backupFault((say) => say.cut({ file: archive }), { cause: error });
    const words = { file: archive, reason };
    return backupFault((say) => (fault === 'unsafe' ? say.unsafe(words) : say.noBackup(words)), { cause: error });
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'Z_BUF_ERROR') return backupFault((say) => say.cut({ file: archive }), { cause: error });
  if (/^(?:Z_|ERR_)/.test(code)) return backupFault((say) => say.noBackup({ file: archive, reason }), { cause: error });
  if (code === 'EISDIR' || code === 'EIO') return backupFault((say) => say.unreadable({ file: archive, reason }));
  return whileWriting(error, folder);
}

function manifestIn({ texts }: Found, archive: string): Manifest {
  const text = texts.get(manifestEntry);
  if (text === undefined) throw backupFault((say) => say.cut({ file: archive }));
  const parsed = manifestSchema.safeParse(jsonOf(text));
  if (!parsed.success) throw backupFault((say) => say.noBackup({ file: archive, reason: manifestEntry }));
  const { format, keyturn: version } = parsed.data;
  if (format > backupFormat) throw backupFault((say) => say.newerFormat({ file: archive, version }));
  return parsed.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Throws if a file is not as the manifest has it, if one is missing, or if there is one more. */
function compare({ files }: Manifest, { sums }: Found, archive: string): void {
  const listed = new Map(files.map((file) => [file.name, file]));
  for (const { name, size, sha256 } of files) {
    const sum = sums.get(name);
    if (sum === undefined) throw backupFault((say) => say.lacks({ file: archive, entry: name }));
    if (sum.size !== size || sum.sha256 !== sha256)
      throw backupFault((say) => say.differs({ file: archive, entry: name }));
  }
  for (const name of sums.keys())
    if (name !== manifestEntry && !listed.has(name))
      throw backupFault((say) => say.differs({ file: archive, entry: name }));
  if (!listed.has(databaseEntry)) throw backupFault((say) => say.lacks({ file: archive, entry: databaseEntry }));
}

/** Throws `StoreError` if the database is damaged, or a newer Keyturn wrote it. */
function examineDatabase(file: string, archive: string, features: readonly TableOwner[]): AuditProof {
  try {
    return inDatabase(file, { readonly: true }, (sqlite) => {
      refuseUnknown(sqlite, archive, { core: migrations, features });
      const health = sqlite.pragma('integrity_check(1)', { simple: true });
      if (health !== 'ok') throw backupFault((say) => say.damagedDatabase({ file: archive, damage: String(health) }));
      return proveAudit(sqlite);
    });
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw backupFault((say) => say.damagedDatabase({ file: archive, damage: error.message }), { cause: error });
  }
}
