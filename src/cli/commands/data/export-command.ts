import { createWriteStream, existsSync } from 'node:fs';
import { copyFile, lstat, mkdir, realpath } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { findDataFolder } from '../../../config/data-folder.ts';
import { loadConfig } from '../../../config/load.ts';
import { type Config, peopleIn } from '../../../config/schema.ts';
import { loadFeatures } from '../../../daemon/command-menu.ts';
import { allAccounts, type PersonalFile, personalFiles, personalRows } from '../../../store/personal.ts';
import { readBeside } from '../../../store/read-beside.ts';
import { workspaceFinder } from '../../../tools/guard/workspace/workspace.ts';
import { loadOptionsOf } from '../../place.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { dataCommandWords } from './words.ts';

/** `export PERSON [FOLDER]`. */
export async function exportPerson(context: CommandContext): Promise<number> {
  const { place, program, operands, asJson, print, complain, language } = context;
  const say = dataCommandWords[language];
  const [person = '', named] = operands;
  const { config } = await loadConfig(await loadOptionsOf(place, program));
  const { dataFolder } = await findDataFolder(place);
  const features = await loadFeatures();
  const found = await readBeside(dataFolder, (sqlite) => {
    const accounts = allAccounts(sqlite, accountsIn(config, person), features);
    const lines = [...personalRows(sqlite, accounts)].map((row) => `${JSON.stringify(row)}\n`);
    return { accounts, lines, files: personalFiles(sqlite, accounts) };
  });
  const { accounts, lines } = found;
  if (lines.length === 0) {
    complain(say.nobody({ person }));
    return exitCodes.failed;
  }
  const folder = resolve(program.process.cwd(), named ?? `export-${person.replaceAll(/[^\w.-]/g, '-')}`);
  if (existsSync(folder)) {
    complain(say.folderThere({ folder }));
    return exitCodes.failed;
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const target = createWriteStream(join(folder, 'rows.jsonl'), { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(Readable.from(lines), target);
  const files = await copyFiles(found.files, folder, config);
  if (asJson) print(JSON.stringify({ folder, accounts, rows: lines.length, files }, undefined, 2));
  else {
    print(say.exported({ folder, accounts, rows: lines.length, files }));
    print(say.notExported);
  }
  return exitCodes.done;
}

/** With those that the config says are the same person's. */
export function accountsIn(config: Config, person: string): readonly string[] {
  const group = peopleIn(config).find(({ accounts }) => accounts.includes(person));
  return [...new Set([person, ...(group?.accounts ?? [])])];
}

/** How many of the files are still there. One that was replaced by a link to elsewhere is not theirs. */
async function copyFiles(files: readonly PersonalFile[], folder: string, config: Config): Promise<number> {
  const workspaceOf = workspaceFinder(config.workspace);
  let count = 0;
  for (const { path, name, conversation, principal } of files) {
    const root = workspaceOf(conversation, principal);
    const source = await realpath(join(root, path)).catch(() => undefined);
    if (source === undefined || relative(root, source).startsWith('..') || !(await lstat(source)).isFile()) continue;
    count += 1;
    await mkdir(join(folder, 'files'), { recursive: true, mode: 0o700 });
    const plain = basename(name || path).replaceAll(sep, '-');
    await copyFile(source, join(folder, 'files', `${count}-${plain}`));
  }
  return count;
}
