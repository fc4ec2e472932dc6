import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findDataFolder } from '../../../config/data-folder.ts';
import { loadConfig } from '../../../config/load.ts';
import { loadFeatures } from '../../../daemon/command-menu.ts';
import { systemClock } from '../../../lib/clock.ts';
import { type ForgetOrder, forgetPerson } from '../../../store/forget-person.ts';
import { allAccounts, personalRows } from '../../../store/personal.ts';
import { readBeside } from '../../../store/read-beside.ts';
import { loadOptionsOf } from '../../place.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { accountsIn } from './export-command.ts';
import { dataCommandWords } from './words.ts';

/** `forget PERSON --yes`. */
export async function forget(context: CommandContext): Promise<number> {
  const { place, program, operands, asJson, isOn, print, complain, language } = context;
  const say = dataCommandWords[language];
  const [person = ''] = operands;
  const { config } = await loadConfig(await loadOptionsOf(place, program));
  const { dataFolder } = await findDataFolder(place);
  const order = { dataFolder, accounts: accountsIn(config, person), features: await loadFeatures() };
  if (!isOn('yes')) {
    complain((await isStored(order)) ? say.forgetHow({ person }) : say.nobody({ person }));
    return exitCodes.failed;
  }
  const { accounts, rows } = await forgetPerson({ ...order, at: systemClock.now() });
  if (rows === 0) {
    complain(say.nobody({ person }));
    return exitCodes.failed;
  }
  const names = copiesIn(dataFolder);
  if (asJson) print(JSON.stringify({ accounts, rows, copies: names }, undefined, 2));
  else {
    print(say.forgotten({ accounts, rows }));
    if (names.length > 0) print(say.stillIn({ names, folder: dataFolder }));
  }
  return exitCodes.done;
}

/** Whether anything is stored of them. Throws if there is no database. */
function isStored({ dataFolder, accounts, features }: Omit<ForgetOrder, 'at'>): Promise<boolean> {
  return readBeside(dataFolder, (sqlite) => hasAny(personalRows(sqlite, allAccounts(sqlite, accounts, features))));
}

function hasAny(rows: Iterable<unknown>): boolean {
  for (const row of rows) return row !== undefined;
  return false;
}

/** What of the data folder is a copy from before. */
function copiesIn(dataFolder: string): readonly string[] {
  const beside = readdirSync(dataFolder).filter((name) =>
    /^keyturn\.db\..*(?:bak|rescued)$|^before-restore-/.test(name),
  );
  const folder = join(dataFolder, 'backups');
  const backups = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.tar.gz')) : [];
  return [...beside, ...backups.map((name) => `backups/${name}`)];
}
