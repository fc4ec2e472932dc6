import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AuditProof, proveAudit } from '../audit-proof.ts';
import { inDatabase } from '../examine.ts';
import { refuseUnknown, type TableOwner } from '../migrate.ts';
import { migrations } from '../migrations.ts';
import { isDamage } from '../sql.ts';
import { BackupError } from './backup-format.ts';
import { isRestoring } from './restore.ts';

export interface VerifiedData {
  readonly file: string;
  readonly messages: number;
  readonly audit: AuditProof;
  /** A restore was interrupted: the next start goes on with it. */
  readonly isRestoring: boolean;
}

/** How long a reader of ours waits for another program's lock, in ms. */
const patience = 10_000;

/**
 * Checks all of a data folder's database, which a daemon may work with: pages, indexes, references between rows, and the
 * chain of the audit. Changes nothing. Throws `BackupError` or `StoreError`.
 */
export function verifyData(dataFolder: string, features: readonly TableOwner[]): VerifiedData {
  const file = join(dataFolder, 'keyturn.db');
  if (!existsSync(file)) throw new BackupError((say) => say.noData({ file }));
  try {
    return inDatabase(file, { readonly: true, timeout: patience }, (sqlite) => {
      refuseUnknown(sqlite, file, { core: migrations, features });
      const health = sqlite.pragma('integrity_check(1)', { simple: true });
      if (health !== 'ok') throw new BackupError((say) => say.damagedData({ file, damage: String(health) }));
      const [orphan] = sqlite.prepare<[], { readonly table: string }>('PRAGMA foreign_key_check').all();
      if (orphan !== undefined)
        throw new BackupError((say) => say.damagedData({ file, damage: `a row of ${orphan.table} has no parent` }));
      const messages = sqlite.prepare<[], number>(`SELECT count(*) FROM inbox WHERE kind = 'message'`).pluck().get();
      return { file, messages: messages ?? 0, audit: proveAudit(sqlite), isRestoring: isRestoring(dataFolder) };
    });
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new BackupError((say) => say.damagedData({ file, damage: error.message }), { cause: error });
  }
}
