import { hash } from 'node:crypto';
import { constants, existsSync, readdirSync } from 'node:fs';
import { access, chmod, copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { MessageFiles } from '../delivery/outbox.ts';
import { safeFileName } from '../lib/file-name.ts';
import { newId } from '../lib/ids.ts';
import { unless } from '../tools/guard/workspace/workspace-error.ts';
import { FileNotKeptError, type KeptFile } from '../tools/output.ts';
import type { FileKey } from '../words/message-parts.ts';
import type { Database } from './database.ts';
import { columns, insertInto, integer, type Sql } from './sql.ts';

const missing = ['ENOENT'];

/** Keeps files of outgoing messages, in one private folder (mode 0700) per message. */
export function createMessageFiles(folder: string): MessageFiles {
  const folderOf = (messageId: string): string => join(resolve(folder), messageId);
  const pathOf = (messageId: string, key: FileKey): string => join(folderOf(messageId), key);
  const makeFolder = (messageId: string) => mkdir(folderOf(messageId), { recursive: true, mode: 0o700 });
  return {
    pathOf,
    async keep(messageId, files) {
      await makeFolder(messageId);
      const kept: KeptFile[] = [];
      for (const [index, { name, mediaType, path, from }] of files.entries()) {
        const size = await copyWhole(path, pathOf(messageId, `${index}`)).catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          const words = `The file ${basename(path)} could not be made ready for sending: ${reason}.`;
          throw new FileNotKeptError(words, { cause: error });
        });
        kept.push({ name: safeFileName(name), mediaType, size, from });
      }
      return kept;
    },
    async keepText(messageId, words) {
      await makeFolder(messageId);
      await writeFile(pathOf(messageId, 'text'), words, { mode: 0o600 });
    },
    async keepBytes(messageId, { name, ...file }, bytes) {
      await makeFolder(messageId);
      await writeOnce(pathOf(messageId, '0'), bytes);
      return { ...file, name: safeFileName(name), size: bytes.length };
    },
    has: async (messageId, key) =>
      (await unless(
        missing,
        access(pathOf(messageId, key), constants.R_OK).then(() => true),
      )) ?? false,
    remove: (messageId) => rm(folderOf(messageId), { recursive: true, force: true }),
    // Synchronous: runs at every start, and async file operations would spawn threads for it.
    owners: async () => (existsSync(folder) ? readdirSync(folder) : []),
  };
}

/** Resolves with the size once the copy is on disk. Not a link, which would change with the original. */
async function copyWhole(path: string, target: string): Promise<number> {
  // Reading a pipe or a device may never end.
  if (!(await stat(path)).isFile()) throw new Error('it is no file');
  await copyFile(path, target, constants.COPYFILE_FICLONE);
  await chmod(target, 0o600);
  await using file = await open(target, 'r+');
  await file.sync();
  return (await file.stat()).size;
}

/** How long shown files are kept, in ms, and how many bytes of them in total. */
const keptFor = 7 * 86_400_000;
const mostKept = 2 ** 30;

/** A file that was shown in a session. */
export type ShownFile = ReturnType<typeof toFile>;

export type DeviceFiles = ReturnType<typeof createDeviceFiles>;

/**
 * Keeps the files that devices have sent until they are in a workspace, and copies of those that they are shown, in private
 * folders (mode 0700).
 */
export function createDeviceFiles(database: Database, folder: string) {
  const [receivedFolder, shownFolder] = [resolve(folder, 'received'), resolve(folder, 'shown')];
  const { sql } = database;
  /** Messages whose files are kept but that are not stored yet. */
  const arriving = new Set<string>();
  const shownPath = (id: string): string => join(shownFolder, id);

  /** Removes files that were fetched, or whose message was never stored. */
  const tidyReceived = async (): Promise<void> => {
    const standing = (await unless(missing, readdir(receivedFolder))) ?? [];
    if (standing.length === 0) return;
    const needed = new Set(sql.texts(awaited));
    const isNeeded = (name: string): boolean => needed.has(name) || arriving.has(name.split('-')[0] ?? '');
    await removeFrom(
      receivedFolder,
      standing.filter((name) => !isNeeded(name)),
    );
  };

  return {
    /**
     * Keeps the files of a message. Resolves with their handles, in their order, when all is on disk. Files that the same
     * message has brought before stay as they are. They are there until the message has no more use for them.
     */
    async receive(messageKey: string, files: readonly Uint8Array[]) {
      const name = nameOf(messageKey);
      arriving.add(name);
      await tidyReceived();
      await mkdir(receivedFolder, { recursive: true, mode: 0o700 });
      const handles = files.map((_, index) => `${name}-${index}`);
      for (const [index, handle] of handles.entries())
        await writeOnce(join(receivedFolder, handle), files[index] ?? new Uint8Array());
      return handles;
    },
    /** The message is stored, or will not be. */
    settled: (messageKey: string) => void arriving.delete(nameOf(messageKey)),
    /** A file that was received; undefined if it is there no more. */
    received: (handle: string) => unless(missing, readFile(join(receivedFolder, handle))),
    /** Keeps a copy for devices to fetch, for a week, and as long as there are not too many. Doing it twice changes nothing. */
    async show({ path, ...draft }: Omit<ShownFile, 'size'> & { readonly path: string }): Promise<ShownFile> {
      const known = find(sql, draft.id);
      if (known !== undefined) return known;
      await mkdir(shownFolder, { recursive: true, mode: 0o700 });
      const file = { ...draft, size: await copyWhole(path, shownPath(draft.id)) };
      const forgotten = await database.write(() => {
        insertFile(sql, { ...file, createdAt: draft.at });
        return forget(sql, draft.at);
      });
      await removeFrom(shownFolder, forgotten);
      return file;
    },
    /** The files that were shown in a session and are still there, the oldest first. */
    shownIn: async (sessionId: string) => sql.list(toFile, inSession, sessionId),
    /** One of them, and where it can be read; undefined if it is not there. */
    async shown(sessionId: string, id: string) {
      const file = find(sql, id);
      return file?.sessionId === sessionId ? { file, path: shownPath(id) } : undefined;
    },
    /** Removes files that nobody needs any more. Call it before the first message comes in. */
    async tidy(now: number) {
      await tidyReceived();
      if (ids(sql).length > 0) await database.write(() => forget(sql, now));
      const known = new Set(ids(sql));
      const standing = (await unless(missing, readdir(shownFolder))) ?? [];
      await removeFrom(
        shownFolder,
        standing.filter((id) => !known.has(id)),
      );
    },
  };
}

/** A hash, because the key contains text chosen by the device. */
function nameOf(messageKey: string): string {
  return hash('sha256', messageKey).slice(0, 32);
}

async function removeFrom(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) await rm(join(folder, name), { force: true });
}

/** Resolves once the file is complete on disk. Does not overwrite. */
async function writeOnce(path: string, bytes: Uint8Array): Promise<void> {
  const found = await unless(missing, open(path, 'r'));
  if (found !== undefined) return found.close();
  const begun = `${path}-${newId(8)}`;
  await using file = await open(begun, 'wx', 0o600);
  await file.writeFile(bytes);
  await file.sync();
  await rename(begun, path);
}

const insertFile = insertInto(`device_files (id, session_id, name, media_type, size, created_at)
  ON CONFLICT (id) DO NOTHING`);
const inSession = 'SELECT * FROM device_files WHERE session_id = ? ORDER BY created_at, id';

// Handles of files that are not fetched yet. The range covers all keys of the device channel.
const awaited = `SELECT handle FROM attachments WHERE inbox_key >= 'device:' AND inbox_key < 'device;' AND state = 'pending'`;

const find = (sql: Sql, id: string): ShownFile | undefined =>
  sql.find(toFile, 'SELECT * FROM device_files WHERE id = ?', id);

const ids = (sql: Sql): readonly string[] => sql.texts('SELECT id FROM device_files');

/** Deletes expired files, and the oldest ones beyond the total size. Returns their ids. */
const forget = (sql: Sql, now: number): readonly string[] =>
  sql.texts(
    `DELETE FROM device_files WHERE id IN (
       SELECT id FROM (
         SELECT id, created_at, sum(size) OVER (ORDER BY created_at DESC, id DESC) AS total FROM device_files)
       WHERE created_at < @before OR total > @most)
     RETURNING id`,
    { before: now - keptFor, most: mostKept },
  );

const toFile = columns({
  /** One segment of paths, of `[a-z0-9]`. */
  id: 'text',
  sessionId: 'text',
  /** As people see it: one path segment. */
  name: 'text',
  mediaType: 'text',
  /** In bytes. */
  size: 'integer',
  at: (row) => integer(row, 'created_at'),
});
