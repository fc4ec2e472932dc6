import { constants, existsSync, readdirSync } from 'node:fs';
import { access, chmod, copyFile, mkdir, open, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { FileKey, MessageFiles } from '../conversation/message-files.ts';
import { safeFileName } from '../lib/file-name.ts';
import { type FileDraft, FileNotKeptError, type KeptFile } from '../tools/kept-file.ts';

/** A folder with one folder for each message that has files. Only its owner reads it. */
export class FolderOfMessageFiles implements MessageFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  pathOf(messageId: string, key: FileKey): string {
    return join(this.#folder, messageId, key);
  }

  async keep(messageId: string, files: readonly FileDraft[]): Promise<readonly KeptFile[]> {
    await this.#makeFolder(messageId);
    const kept: KeptFile[] = [];
    for (const [index, { name, mediaType, path, from }] of files.entries()) {
      const size = await copy(path, this.pathOf(messageId, `${index}`));
      kept.push({ name: safeFileName(name), mediaType, size, ...(from === undefined ? {} : { from }) });
    }
    return kept;
  }

  async keepText(messageId: string, text: string): Promise<void> {
    await this.#makeFolder(messageId);
    await writeFile(this.pathOf(messageId, 'text'), text, { mode: 0o600 });
  }

  async has(messageId: string, key: FileKey): Promise<boolean> {
    try {
      await access(this.pathOf(messageId, key), constants.R_OK);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async remove(messageId: string): Promise<void> {
    await rm(join(this.#folder, messageId), { recursive: true, force: true });
  }

  async owners(): Promise<readonly string[]> {
    // At once: asked at every start, and a file operation in the background would start threads for it.
    return existsSync(this.#folder) ? readdirSync(this.#folder) : [];
  }

  async #makeFolder(messageId: string): Promise<void> {
    await mkdir(join(this.#folder, messageId), { recursive: true, mode: 0o700 });
  }
}

/** Resolves with the size once the copy is on disk. A link in its place would change with the original. */
async function copy(path: string, target: string): Promise<number> {
  try {
    // A pipe or a device would never come to its end.
    if (!(await stat(path)).isFile()) throw new Error('it is no file');
    await copyFile(path, target, constants.COPYFILE_FICLONE);
    await chmod(target, 0o600);
    await using file = await open(target, 'r+');
    await file.sync();
    return (await file.stat()).size;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FileNotKeptError(`The file ${basename(path)} could not be made ready for sending: ${reason}.`, {
      cause: error,
    });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
