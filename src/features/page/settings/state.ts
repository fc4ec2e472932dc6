/* How this Keyturn is, for those who look after it. */

import { statfsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { HeldConfig } from '../../../config/config-desk.ts';
import { marked } from '../../../config/differences.ts';
import { withoutLiterals } from '../../../config/shielded-text.ts';
import { isInWorkspace } from '../../../config/workspace.ts';
import { isJsonObject, valueAt } from '../../../lib/json.ts';
import { logLevels } from '../../../lib/log.ts';
import { ownVersion } from '../../../lib/own-version.ts';
import { type Language, wordsIn } from '../../../lib/words.ts';
import type { PageCore } from '../page-route.ts';
import type { BackupWire, LogWire, SettingsWire } from '../wire/settings.ts';

export async function settingsState(language: Language, core: PageCore): Promise<SettingsWire> {
  const { config, clock, configDesk, configState, redact } = core;
  const inForce = withoutLiterals(config, redact);
  return {
    version: ownVersion(),
    dataFolder: config.data_dir,
    upSince: clock.now() - Math.round(process.uptime() * 1000),
    disk: await diskOf(config.data_dir),
    log: logState(core),
    backups: await backupsIn(config.data_dir),
    backupsKept: Number(valueAt(inForce, ['data', 'backups']) ?? 0),
    file: configDesk?.file ?? null,
    fault: configState.fault === undefined ? null : wordsIn(language, configState.fault),
    inForce: isJsonObject(inForce) ? inForce : {},
  };
}

export function logState({ logThreshold: { level, configured } }: PageCore): LogWire {
  return { level, configured, levels: logLevels };
}

/** What the daemon holds at this moment. */
export function heldBy(core: PageCore): (language: Language) => HeldConfig {
  const { config, configState, configDesk } = core;
  return (language) => ({
    config: marked(config),
    fault: configState.fault === undefined ? undefined : wordsIn(language, configState.fault),
    isFollowed: configDesk === undefined || !isInWorkspace(config, configDesk.file),
  });
}

async function diskOf(folder: string): Promise<SettingsWire['disk']> {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return { free: bavail * bsize, database: (await stat(join(folder, 'keyturn.db'))).size };
  } catch {
    // Some file systems do not say.
    return null;
  }
}

const mostListed = 400;

/** The newest first. */
async function backupsIn(dataFolder: string): Promise<readonly BackupWire[]> {
  const folder = join(dataFolder, 'backups');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.tar.gz'));
  const newest = names.toSorted().reverse().slice(0, mostListed);
  const found = await Promise.all(
    newest.map(async (name): Promise<readonly BackupWire[]> => {
      const facts = await stat(join(folder, name)).catch(() => undefined);
      return facts === undefined ? [] : [{ file: name, size: facts.size, madeAt: Math.round(facts.mtimeMs) }];
    }),
  );
  return found.flat();
}
