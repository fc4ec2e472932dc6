import { existsSync, statSync } from 'node:fs';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { findDataFolder } from '../../../config/data-folder.ts';
import { envFileOf } from '../../../config/environment.ts';
import { lackingSecrets, withoutSecrets } from '../../../config/last-good.ts';
import { loadFeatures } from '../../../daemon/command-menu.ts';
import { systemClock } from '../../../lib/clock.ts';
import { giveWay } from '../../../lib/give-way.ts';
import { syncFolder } from '../../../lib/sync-folder.ts';
import { machineZone, zonedWords } from '../../../lib/time-words.ts';
import type { Language } from '../../../lib/words.ts';
import type { Manifest } from '../../../store/backup/backup-format.ts';
import { makeBackup } from '../../../store/backup/make-backup.ts';
import { giveToOwner } from '../../../store/backup/ownership.ts';
import { verifyBackup } from '../../../store/backup/read-backup.ts';
import { type Restored, restoreBackup } from '../../../store/backup/restore.ts';
import { verifyData } from '../../../store/backup/verify-data.ts';
import { formatSize } from '../../../tools/text.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { proofWords } from './audit-commands.ts';
import { dataCommandWords } from './words.ts';

/** `backup [FILE]`. */
export async function backup(context: CommandContext): Promise<number> {
  const { place, operands, asJson, isOn, print, language } = context;
  const say = dataCommandWords[language];
  const { path, dataFolder } = await findDataFolder(place);
  const [named] = operands;
  const at = systemClock.now();
  const withSecrets = isOn('with-secrets');
  const written = await textOf(path);
  const config = written === undefined || withSecrets ? written : withoutSecrets(written);
  const lacksConfig = written !== undefined && config === undefined;
  const order = {
    dataFolder,
    target: targetOf(named, { dataFolder, at, cwd: context.program.process.cwd() }),
    replaces: isOn('force'),
    config,
    secrets: withSecrets ? await textOf(envFileOf(dirname(path))) : undefined,
    at,
  };
  if (named !== undefined && !existsSync(dirname(order.target)))
    throw new UnansweredError(exitCodes.failed, (reader) =>
      dataCommandWords[reader].noBackupFolder({ folder: dirname(order.target) }),
    );
  // A daemon that runs comes first.
  giveWay();
  const made = await makeBackup(order);
  if (asJson)
    print(JSON.stringify({ ...made, has_secrets: withSecrets, has_config: config !== undefined }, undefined, 2));
  else {
    print(say.madeBackup({ ...made, size: formatSize(made.size) }));
    if (lacksConfig) print(say.lacksConfig({ file: path }));
    print(withSecrets ? say.hasSecrets : say.lacksSecrets);
  }
  return exitCodes.done;
}

/** In the named folder, or the one for backups, it has its time in its name. */
function targetOf(
  named: string | undefined,
  { dataFolder, at, cwd }: { readonly dataFolder: string; readonly at: number; readonly cwd: string },
): string {
  const stamp = new Date(at).toISOString().slice(0, 19).replaceAll(':', '');
  const name = `keyturn-${stamp}.tar.gz`;
  if (named === undefined) return join(dataFolder, 'backups', name);
  const path = resolve(cwd, named);
  const isFolder = /[\\/]$/.test(named) || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? join(path, name) : path;
}

async function textOf(file: string): Promise<string | undefined> {
  return existsSync(file) ? readFile(file, 'utf8') : undefined;
}

/** `verify [FILE]`. */
export async function verify(context: CommandContext): Promise<number> {
  const { place, operands, asJson, print, language, program } = context;
  const say = dataCommandWords[language];
  const features = await loadFeatures();
  const [named] = operands;
  if (named !== undefined) {
    const file = resolve(program.process.cwd(), named);
    const { manifest, audit } = await verifyBackup(file, features);
    if (asJson) print(JSON.stringify({ file, ...summaryOf(manifest), audit }, undefined, 2));
    else {
      print(say.backupWhole({ file, made: madeAt(manifest, language), files: manifest.files.length }));
      print(proofWords(audit, language));
    }
    return audit.type === 'broken' || audit.type === 'cut' ? exitCodes.failed : exitCodes.done;
  }
  const { dataFolder } = await findDataFolder(place);
  const { file, messages, audit } = await verifyData(dataFolder, features);
  if (asJson) print(JSON.stringify({ file, messages, audit }, undefined, 2));
  else {
    print(say.dataWhole({ file, messages }));
    print(proofWords(audit, language));
  }
  return audit.type === 'broken' || audit.type === 'cut' ? exitCodes.failed : exitCodes.done;
}

function summaryOf({ keyturn, made_at, has_secrets, files }: Manifest) {
  return { keyturn, made_at, has_secrets, files: files.length };
}

function madeAt({ made_at }: Manifest, language: Language): string {
  return zonedWords(Date.parse(made_at), machineZone().timeZone, language);
}

/** `restore FILE`. */
export async function restore(context: CommandContext): Promise<number> {
  const { place, operands, program, asJson, print } = context;
  const features = await loadFeatures();
  const archive = resolve(program.process.cwd(), operands[0] ?? '');
  const written: string[] = [];
  const { path } = await findDataFolder(place);
  try {
    // Where the data belong is what the config says: on a new machine, that of the backup.
    if (!existsSync(path)) await writeSettings(path, await verifyBackup(archive, features), written);
    const { dataFolder } = await findDataFolder(place);
    const restored = await restoreBackup({ archive, dataFolder, features, at: systemClock.now() });
    // Without a config of the backup, its secrets may still be what is missing.
    if (restored.secrets !== undefined) await writeNew(envFileOf(dirname(path)), restored.secrets, written);
    giveToOwner(dataFolder, written);
    const placed = { dataFolder, path, written, keptSecrets: await differing(path, restored) };
    if (asJson) print(JSON.stringify(restoredJson(restored, placed), undefined, 2));
    else for (const line of restoredLines(restored, placed, context.language)) print(line);
    return exitCodes.done;
  } catch (error) {
    for (const file of written) await rm(file, { force: true });
    throw error;
  }
}

async function writeSettings(
  path: string,
  { config, secrets }: { readonly config: string | undefined; readonly secrets: string | undefined },
  written: string[],
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (config !== undefined) await writeNew(path, config, written);
  if (secrets !== undefined) await writeNew(envFileOf(dirname(path)), secrets, written);
}

/** For its owner alone. A file that is there stays as it is. */
async function writeNew(file: string, text: string, written: string[]): Promise<void> {
  if (existsSync(file)) return;
  const opened = await open(file, 'wx', 0o600);
  written.push(file);
  try {
    await opened.writeFile(text);
    await opened.sync();
  } finally {
    await opened.close();
  }
  await syncFolder(dirname(file));
}

/** The file with secrets that was kept although the backup has others. */
async function differing(path: string, { secrets }: Restored): Promise<string | undefined> {
  const file = envFileOf(dirname(path));
  return secrets !== undefined && (await textOf(file)) !== secrets ? file : undefined;
}

function restoredJson({ manifest, former, audit, config = '' }: Restored, placed: RestoredPlace) {
  const { dataFolder, path, written } = placed;
  const lacking = written.includes(path) ? lackingSecrets(config) : [];
  return { data: dataFolder, ...summaryOf(manifest), former: former ?? null, written, lacking, audit };
}

interface RestoredPlace {
  readonly dataFolder: string;
  /** Of the config. */
  readonly path: string;
  readonly written: readonly string[];
  readonly keptSecrets: string | undefined;
}

function restoredLines(
  { manifest, former, audit, secrets, config = '' }: Restored,
  { dataFolder, path, written, keptSecrets }: RestoredPlace,
  language: Language,
): readonly string[] {
  const say = dataCommandWords[language];
  const env = envFileOf(dirname(path));
  const isNew = written.includes(path);
  const keys = isNew ? lackingSecrets(config) : [];
  const lines = [
    say.restored({ folder: dataFolder, made: madeAt(manifest, language), version: manifest.keyturn }),
    former === undefined ? undefined : say.former({ folder: former }),
    audit.type === 'whole' ? undefined : proofWords(audit, language),
    isNew ? say.wroteConfig({ file: path }) : say.keptConfig({ file: path }),
    written.includes(env) ? say.wroteSecrets({ file: env }) : undefined,
    keptSecrets === undefined ? undefined : say.keptSecrets({ file: keptSecrets }),
    keys.length === 0 ? undefined : say.lacking({ file: path, keys }),
    isNew && secrets === undefined ? say.setSecrets({ file: env }) : say.startAgain,
  ];
  return lines.filter((line) => line !== undefined);
}
