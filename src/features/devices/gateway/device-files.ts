import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { copyWhole, writeOnce } from '../../../lib/whole-file.ts';
import { unless } from '../../../tools/guard/workspace/workspace-error.ts';
import type { DeviceFileStore, ShownFile } from './tables.ts';

/**
 * Keeps the files that devices have sent until they are in a workspace, and copies of those that they are shown, in private
 * folders (mode 0700).
 */
export interface DeviceFiles {
  /**
   * Keeps the files of a message. Resolves with their handles, in their order, when all is on disk. Files that the same
   * message has brought before stay as they are. They are there until the message has no more use for them.
   */
  receive(messageKey: string, files: readonly Uint8Array[]): Promise<readonly string[]>;
  /** The message is stored, or will not be. */
  settled(messageKey: string): void;
  /** A file that was received; undefined if it is there no more. */
  received(handle: string): Promise<Uint8Array | undefined>;
  /** Keeps a copy for devices to fetch, for a week, and as long as there are not too many. Doing it twice changes nothing. */
  show(draft: Omit<ShownFile, 'size'> & { readonly path: string }): Promise<ShownFile>;
  /** The files that were shown in a session and are still there, the oldest first. */
  shownIn(sessionId: string): Promise<readonly ShownFile[]>;
  /** One of them, and where it can be read; undefined if it is not there. */
  shown(sessionId: string, id: string): Promise<{ readonly file: ShownFile; readonly path: string } | undefined>;
  /** Removes files that nobody needs any more. Call it before the first message comes in. */
  tidy(now: number): Promise<void>;
}

const missing = ['ENOENT'];

/** `folder`: beside the database. */
export function createDeviceFiles(store: DeviceFileStore, folder: string): DeviceFiles {
  const [receivedFolder, shownFolder] = [resolve(folder, 'received'), resolve(folder, 'shown')];
  /** Messages whose files are kept but that are not stored yet. */
  const arriving = new Set<string>();
  const shownPath = (id: string): string => join(shownFolder, id);

  return {
    async receive(messageKey, files) {
      const name = nameOf(messageKey);
      arriving.add(name);
      await tidyReceived(receivedFolder, arriving, store);
      await mkdir(receivedFolder, { recursive: true, mode: 0o700 });
      const handles = files.map((_, index) => `${name}-${index}`);
      for (const [index, handle] of handles.entries())
        await writeOnce(join(receivedFolder, handle), files[index] ?? new Uint8Array());
      return handles;
    },
    settled: (messageKey) => void arriving.delete(nameOf(messageKey)),
    received: (handle) => unless(missing, readFile(join(receivedFolder, handle))),
    async show({ path, ...draft }) {
      const known = await store.find(draft.id);
      if (known !== undefined) return known;
      await mkdir(shownFolder, { recursive: true, mode: 0o700 });
      const file = { ...draft, size: await copyWhole(path, shownPath(draft.id)) };
      await removeFrom(shownFolder, await store.add(file));
      return file;
    },
    shownIn: (sessionId) => store.shownIn(sessionId),
    async shown(sessionId, id) {
      const file = await store.find(id);
      return file?.sessionId === sessionId ? { file, path: shownPath(id) } : undefined;
    },
    async tidy(now) {
      await tidyReceived(receivedFolder, arriving, store);
      if ((await store.ids()).length > 0) await store.forget(now);
      const known = new Set(await store.ids());
      const standing = (await unless(missing, readdir(shownFolder))) ?? [];
      await removeFrom(
        shownFolder,
        standing.filter((id) => !known.has(id)),
      );
    },
  };
}

/** Removes files that were fetched, or whose message was never stored. */
async function tidyReceived(folder: string, arriving: ReadonlySet<string>, store: DeviceFileStore): Promise<void> {
  const standing = (await unless(missing, readdir(folder))) ?? [];
  if (standing.length === 0) return;
  // One may be stored while it is read which are awaited; another may come again.
  const before = new Set(arriving);
  const needed = new Set(await store.awaited());
  const isArriving = (message: string): boolean => before.has(message) || arriving.has(message);
  const isNeeded = (name: string): boolean => needed.has(name) || isArriving(name.split('-')[0] ?? '');
  await removeFrom(
    folder,
    standing.filter((name) => !isNeeded(name)),
  );
}

/** A hash, because the key contains text chosen by the device. */
function nameOf(messageKey: string): string {
  return hash('sha256', messageKey).slice(0, 32);
}

async function removeFrom(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) await rm(join(folder, name), { force: true });
}
