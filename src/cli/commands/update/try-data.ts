import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { loadFeatures } from '../../../daemon/command-menu.ts';
import { unpackBackup } from '../../../store/backup/read-backup.ts';
import { openDatabase } from '../../../store/open.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { updateWords } from './words.ts';

/**
 * `update --try FILE`: opens a copy of the data of a backup, as a start would, with all changes of this version. The copy
 * stands beside the backup, where there was room for it, and is gone afterwards.
 */
export async function tryData({ program, language, print, asJson }: CommandContext, named: string): Promise<number> {
  const file = resolve(program.process.cwd(), named);
  const features = await loadFeatures();
  // A later backup removes a folder of this name that a killed process has left.
  const folder = await mkdtemp(join(dirname(file), '.keyturn-backup-'));
  try {
    await unpackBackup(file, folder, { features, isWhole: false });
    await openDatabase(join(folder, 'keyturn.db'), features).close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  print(asJson ? JSON.stringify({ file, opens: true }, undefined, 2) : updateWords[language].opens({ file }));
  return exitCodes.done;
}
