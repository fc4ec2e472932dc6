import { type AuditProof, proveAudit } from '../audit-proof.ts';
import { refuseUnknown, type TableOwner } from '../migrate.ts';
import { migrations } from '../migrations.ts';
import { readBeside } from '../read-beside.ts';
import { backupFault, refuseRestoring } from './backup-format.ts';

export interface VerifiedData {
  readonly file: string;
  readonly messages: number;
  readonly audit: AuditProof;
}

/**
 * Checks all of a data folder's database, which a daemon may work with: pages, indexes, references between rows, and the
 * chain of the audit. Changes nothing. Throws `StoreError`.
 */
export async function verifyData(dataFolder: string, features: readonly TableOwner[]): Promise<VerifiedData> {
  refuseRestoring(dataFolder);
  return readBeside(dataFolder, (sqlite, file) => {
    refuseUnknown(sqlite, file, { core: migrations, features });
    const health = sqlite.pragma('integrity_check(1)', { simple: true });
    if (health !== 'ok') throw backupFault((say) => say.damagedData({ file, damage: String(health) }));
    const [orphan] = sqlite.prepare<[], { readonly table: string }>('PRAGMA foreign_key_check').all();
    if (orphan !== undefined)
      throw backupFault((say) => say.damagedData({ file, damage: `foreign_key_check: ${orphan.table}` }));
    const messages = sqlite.prepare<[], number>(`SELECT count(*) FROM inbox WHERE kind = 'message'`).pluck().get();
    return { file, messages: messages ?? 0, audit: proveAudit(sqlite) };
  });
}
