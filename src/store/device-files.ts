import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { DeviceFiles, ShownFile, ShownFileDraft } from '../conversation/devices/device-files.ts';
import { newId } from '../lib/ids.ts';
import type { Database } from './database.ts';
import { DeviceFilesTable } from './tables/device-files.ts';

/** How long what was shown can be fetched, in milliseconds; and how much of it is kept, in bytes. */
const keptFor = 7 * 86_400_000;
const mostKept = 2 ** 30;

/** A folder with what devices have sent and were shown. Only its owner reads it. */
export class FolderOfDeviceFiles implements DeviceFiles {
  readonly #database: Database;
  readonly #receivedFolder: string;
  readonly #shownFolder: string;
  /** The messages whose files are kept and that are not stored yet. */
  readonly #arriving = new Set<string>();
  readonly #table: DeviceFilesTable;

  constructor(database: Database, folder: string) {
    this.#database = database;
    this.#table = new DeviceFilesTable(database);
    this.#receivedFolder = resolve(folder, 'received');
    this.#shownFolder = resolve(folder, 'shown');
  }

  async receive(messageKey: string, files: readonly Uint8Array[]): Promise<readonly string[]> {
    const name = nameOf(messageKey);
    this.#arriving.add(name);
    await this.#tidyReceived();
    await mkdir(this.#receivedFolder, { recursive: true, mode: 0o700 });
    const handles = files.map((_, index) => `${name}-${index}`);
    for (const [index, handle] of handles.entries())
      await writeOnce(join(this.#receivedFolder, handle), files[index] ?? new Uint8Array());
    return handles;
  }

  settled(messageKey: string): void {
    this.#arriving.delete(nameOf(messageKey));
  }

  async received(handle: string): Promise<Uint8Array | undefined> {
    return unlessMissing(readFile(join(this.#receivedFolder, handle)));
  }

  async show({ path, ...draft }: ShownFileDraft): Promise<ShownFile> {
    const known = this.#table.find(draft.id);
    if (known !== undefined) return known;
    await mkdir(this.#shownFolder, { recursive: true, mode: 0o700 });
    const file = { ...draft, size: await copy(path, this.#pathOf(draft.id)) };
    const forgotten = await this.#database.write(() => {
      this.#table.add(file);
      return this.#table.forget(draft.at - keptFor, mostKept);
    });
    await this.#removeShown(forgotten);
    return file;
  }

  async shownIn(sessionId: string): Promise<readonly ShownFile[]> {
    return this.#table.inSession(sessionId);
  }

  async shown(sessionId: string, id: string): Promise<{ readonly file: ShownFile; readonly path: string } | undefined> {
    const file = this.#table.find(id);
    return file?.sessionId === sessionId ? { file, path: this.#pathOf(id) } : undefined;
  }

  async tidy(now: number): Promise<void> {
    await this.#tidyReceived();
    if (this.#table.ids().length > 0) await this.#database.write(() => this.#table.forget(now - keptFor, mostKept));
    const known = new Set(this.#table.ids());
    const standing = (await unlessMissing(readdir(this.#shownFolder))) ?? [];
    await this.#removeShown(standing.filter((id) => !known.has(id)));
  }

  /** Removes what was fetched, and what came with a message that was never stored. */
  async #tidyReceived(): Promise<void> {
    const standing = (await unlessMissing(readdir(this.#receivedFolder))) ?? [];
    if (standing.length === 0) return;
    const awaited = new Set(this.#table.awaited());
    const isNeeded = (name: string): boolean => awaited.has(name) || this.#arriving.has(name.split('-')[0] ?? '');
    for (const name of standing.filter((one) => !isNeeded(one)))
      await rm(join(this.#receivedFolder, name), { force: true });
  }

  async #removeShown(ids: readonly string[]): Promise<void> {
    for (const id of ids) await rm(this.#pathOf(id), { force: true });
  }

  #pathOf(id: string): string {
    return join(this.#shownFolder, id);
  }
}

/** Of the key of a message, which holds what a device has chosen. */
function nameOf(messageKey: string): string {
  return createHash('sha256').update(messageKey).digest('hex').slice(0, 32);
}

/** Resolves when it is whole on disk. What stands there stays. */
async function writeOnce(path: string, bytes: Uint8Array): Promise<void> {
  const found = await unlessMissing(open(path, 'r'));
  if (found !== undefined) return found.close();
  const begun = `${path}-${newId(8)}`;
  await using file = await open(begun, 'wx', 0o600);
  await file.writeFile(bytes);
  await file.sync();
  await rename(begun, path);
}

/** Resolves with the size once the copy is on disk. */
async function copy(path: string, target: string): Promise<number> {
  await copyFile(path, target, constants.COPYFILE_FICLONE);
  await chmod(target, 0o600);
  await using file = await open(target, 'r+');
  await file.sync();
  return (await file.stat()).size;
}

async function unlessMissing<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
