import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { StoreError } from '../store-error.ts';
import { backupWords } from './words.ts';

/** What a backup contains, and where it stands in the archive. */
export const databaseEntry = 'data/keyturn.db';
export const configEntry = 'config.json';
export const secretsEntry = '.env';
export const manifestEntry = 'manifest.json';

/** What of the data folder is kept beside the database: folders with all that is in them, and files. */
export const keptBeside = ['files', 'device-files', 'undo', 'config-history', 'terminal-history'] as const;

/** Its number. A program reads formats up to the one that it writes. */
export const backupFormat = 1;

export const manifestSchema = z.object({
  /** The version that wrote it. */
  keyturn: z.string(),
  format: z.number(),
  /** ISO. */
  made_at: z.string(),
  /** The number of the core's schema, and that of each feature's tables. */
  schema: z.number(),
  features: z.record(z.string(), z.number()),
  /** The newest row of the audit and its hash. */
  audit: z.object({ seq: z.number(), hash: z.string() }).optional(),
  has_secrets: z.boolean(),
  /** All files but this one, with size in bytes and SHA-256 in hex. */
  files: z.array(z.object({ name: z.string(), size: z.number(), sha256: z.string() })),
});

export type Manifest = z.output<typeof manifestSchema>;

type BackupWords = (typeof backupWords)['en'];

/** Says what a restore still has to move. */
export const restoreNote = 'restore.json';

/** Whether a restore has begun to replace what was there, and was not finished. */
export function isRestoring(dataFolder: string): boolean {
  return existsSync(join(dataFolder, restoreNote));
}

/** Throws `StoreError` if what is in the folder is neither the old data nor the new. */
export function refuseRestoring(dataFolder: string): void {
  if (isRestoring(dataFolder)) throw backupFault((say) => say.restoreOpen({ folder: dataFolder }));
}

/** A backup could not be made, read or put back; nothing was changed. */
export function backupFault(words: (say: BackupWords) => string, options?: ErrorOptions): StoreError {
  return new StoreError((language) => words(backupWords[language]), options);
}

/** The words of an error of the file system or of SQLite while something is written there; other errors as they are. */
export function whileWriting(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError || !('code' in error)) return error;
  const isFull = /^(?:SQLITE_FULL|ENOSPC|EDQUOT|EFBIG|SQLITE_IOERR_WRITE)/.test(String(error.code));
  const reason = error.message;
  return backupFault((say) => (isFull ? say.full({ folder }) : say.cannotWrite({ folder, reason })), {
    cause: error,
  });
}
