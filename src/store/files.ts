import { constants, existsSync, readdirSync } from 'node:fs';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { MessageFiles } from '../delivery/outbox.ts';
import { safeFileName } from '../lib/file-name.ts';
import { copyWhole, writeOnce } from '../lib/whole-file.ts';
import { unless } from '../tools/guard/workspace/workspace-error.ts';
import { FileNotKeptError, type KeptFile } from '../tools/output.ts';
import type { FileKey } from '../words/message-parts.ts';

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
