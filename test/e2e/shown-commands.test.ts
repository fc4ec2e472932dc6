import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/cli/commands/command.ts';
import { helpText } from '../../src/cli/commands/help.ts';
import { commands } from '../../src/cli/commands/index.ts';
import { keepGood } from '../../src/config/last-good.ts';
import { isJsonObject, parseJson } from '../../src/lib/json.ts';
import { type Language, languages } from '../../src/lib/words.ts';
import { formerHomes, writeFormer } from '../cli/migrate/former-homes.ts';
import { serviceSetting } from '../cli/service/service-setting.ts';
import { type UpdateSetting, updateSetting } from '../cli/update/update-setting.ts';
import { DaemonProcess } from '../support/daemon-process.ts';
import { ModelServer } from '../support/model-server.ts';
import { type CommandRun, runCommandOf } from '../support/run-command.ts';
import { shownCommands } from '../support/shown-commands.ts';
import { rowsOf } from '../support/store-setting.ts';
import { waitUntil } from '../support/wait-for.ts';

/*
 * Every command that README or a page of docs shows is run beside a Keyturn that runs, with something for each word that the page
 * leaves open; and the help of every command is asked for.
 */

/** What cannot be run here, and why. */
const leftOut: Readonly<Record<string, string>> = {
  demo: 'test/e2e/demo.test.ts plays it: it has a minute to tell its story',
  'logs --follow': 'test/e2e/commands.test.ts follows one: it goes on until ctrl-c',
  'config edit': 'test/cli/config-commands.test.ts edits: it needs a terminal, and opens an editor there',
};

/** What ends otherwise than with 0: by the command, or by all that is shown. */
const codes: Readonly<Record<string, readonly number[]>> = {
  // Of the machine that runs the tests it may find something.
  doctor: [exitCodes.done, exitCodes.failed],
  // The log of this Keyturn goes to a pipe.
  logs: [exitCodes.failed],
  // Nothing is piped in.
  'chat --once - --name review': [exitCodes.misused],
  // No other machine reaches it.
  'web --qr': [exitCodes.failed],
  // It only tells what would be removed.
  'forget PERSON': [exitCodes.failed],
};

/** The command of the table that these words begin with; empty if there is none. */
function nameOf(words: string): string {
  const begun = commands.map(({ name }) => name).filter((name) => name !== '' && `${words} `.startsWith(`${name} `));
  return begun.toSorted((one, other) => other.length - one.length)[0] ?? '';
}

/** Without what may be left out, and with it. */
function spellings(words: string): readonly string[] {
  return words.includes('[') ? [words.replace(/ ?\[[^\]]+\]/g, ''), words.replace(/[[\]]/g, '')] : [words];
}

const all = shownCommands()
  .filter(({ words }) => words !== '--help')
  .flatMap(({ words, place }) => spellings(words).map((spelling) => [spelling, place] as const));
const run = all.filter(([words]) => leftOut[words] === undefined);

/** A home of a Keyturn. */
type Home = Pick<DaemonProcess, 'folder' | 'configFile'>;

/** The Keyturn that runs, the model and the clone that commands need, and how many things were made for them. */
class Stage {
  readonly daemon = DaemonProcess.start({ config: { model: 'offline' }, stdin: 'pipe' });
  readonly model: ModelServer;
  #clone: UpdateSetting | undefined;
  #made = 0;

  constructor(model: ModelServer) {
    this.model = model;
    model.onUser(/Call the tool report/, { calls: [{ name: 'report', arguments: { word: 'ready' } }] });
  }

  /** A clone that is as new as what it follows. */
  get clone(): UpdateSetting {
    this.#clone ??= updateSetting(this.newFolder());
    return this.#clone;
  }

  newPath(name: string): string {
    this.#made += 1;
    return join(this.daemon.folder, `${this.#made}-${name}`);
  }

  newFolder(): string {
    const folder = this.newPath('folder');
    mkdirSync(folder);
    return folder;
  }

  async newBackup(): Promise<string> {
    const file = this.newPath('keyturn.tar.gz');
    expect(await runCommandOf(this.daemon, ['backup', file])).toMatchObject({ code: 0 });
    return file;
  }

  /** A folder of its own with a config, where no Keyturn runs. */
  newHome(): Home {
    const folder = this.newFolder();
    const configFile = join(folder, 'config.json');
    writeFileSync(configFile, JSON.stringify({ model: 'offline', data_dir: join(folder, 'data') }));
    return { folder, configFile };
  }

  /** A user who has another program, and no Keyturn yet. */
  newcomer(): Home {
    const folder = this.newFolder();
    writeFormer(join(folder, '.openclaw'), formerHomes.openclaw);
    return { folder, configFile: join(folder, 'config.json') };
  }

  /** A home whose config was another one before. */
  async changedHome(): Promise<Home> {
    const home = this.newHome();
    const before = { model: 'offline', data_dir: join(home.folder, 'data'), agent: { max_turns: 7 } };
    await keepGood(before.data_dir, JSON.stringify(before), 1_790_000_000_000);
    return home;
  }

  /** The id of something new that waits for a decision. */
  async newApproval(): Promise<string> {
    this.#made += 1;
    const name = `of-${this.#made}`;
    await runCommandOf(this.daemon, ['chat', '--once', `write hello to ${name}.txt`, '--name', name]);
    return this.found(`SELECT id AS found FROM approvals WHERE conversation_id = 'machine:${name}'`);
  }

  found(query: string): string {
    const [{ found = '' } = {}] = rowsOf(join(this.daemon.dataDir, 'keyturn.db'), query);
    return String(found);
  }

  async newestRun(): Promise<string> {
    const read = parseJson((await runCommandOf(this.daemon, ['runs', '--json'])).stdout);
    const [run] = isJsonObject(read) && Array.isArray(read.runs) ? read.runs : [];
    return isJsonObject(run) ? String(run.id) : '';
  }

  async newestHash(): Promise<string> {
    const { stdout } = await runCommandOf(this.daemon, ['audit', 'verify']);
    return /[0-9a-f]{64}/.exec(stdout)?.[0] ?? '';
  }
}

/** What is put in for a word that a page leaves open; any other stays. */
async function filled(word: string, name: string, home: Home, stage: Stage): Promise<string> {
  switch (word) {
    case 'ID':
      if (name === 'runs show') return stage.newestRun();
      return name.startsWith('approvals') ? stage.newApproval() : 'machine:local';
    case 'FILE':
    case '/mnt/disk/keyturn.tar.gz':
      if (name === 'config check') return stage.daemon.configFile;
      return name === 'backup' || name === 'report' ? stage.newPath('mine') : stage.newBackup();
    case 'HASH':
      return stage.newestHash();
    case 'NAME':
      return name === 'doctor model' ? 'offline' : 'nightly';
    case 'FOLDER':
      return name === 'migrate' ? join(home.folder, '.openclaw') : stage.newPath('exported');
    case 'PROGRAM':
      return 'openclaw';
    case 'VERSION':
      return '1';
    case 'PERSON':
      return 'machine:local';
    case 'SHELL':
      return 'bash';
    case 'TEXT':
      return 'list the files';
    case 'LEVEL':
      return 'debug';
    case 'N':
      return '3';
    default:
      return word.replace(/^"(.*)"$/, '$1');
  }
}

/** What replaces or removes data wants it to itself, and what begins anew a home of its own; a report is one a day in a folder. */
async function homeFor(name: string, stage: Stage): Promise<Home> {
  switch (name) {
    case 'restore':
      return stage.newHome();
    case 'forget': {
      const home = stage.newHome();
      await runCommandOf(home, ['restore', await stage.newBackup()]);
      return home;
    }
    case 'config rollback':
      return stage.changedHome();
    case 'report':
      return { configFile: stage.daemon.configFile, folder: stage.newFolder() };
    case 'migrate':
    case 'setup':
      return stage.newcomer();
    default:
      return stage.daemon;
  }
}

/** Gives the command where it does not touch what this machine starts, and with the answers to what it would ask. */
async function given(name: string, args: readonly string[], home: Home, stage: Stage): Promise<CommandRun> {
  switch (name) {
    case 'setup':
      return runCommandOf(home, [...args, '--yes', '--base-url', stage.model.url, '--model', 'm']);
    case 'service install':
    case 'service status':
    case 'service remove': {
      const service = await serviceSetting(stage.newPath('service'));
      if (name !== 'service install') expect(await service.run(['service', 'install'])).toMatchObject({ code: 0 });
      // It is given there anyhow.
      return service.run(args.filter((arg) => arg !== '--as-root'));
    }
    case 'update':
      return stage.clone.run(args);
    default:
      return runCommandOf(home, args);
  }
}

describe('what pages show', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = new Stage(await ModelServer.start());
    await waitUntil(async () => (await runCommandOf(stage.daemon, ['status'])).code === 0);
    await runCommandOf(stage.daemon, ['chat', '--once', 'list the files']);
  });

  afterAll(async () => {
    await stage.daemon.dispose();
    await stage.model.close();
  });

  test('is found, and begins with a command', () => {
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter(([words]) => nameOf(words) === '')).toEqual([]);
  });

  test.each(run)('keyturn %s (%s) can be run', async (words) => {
    const name = nameOf(words);
    const home = await homeFor(name, stage);
    const written = words.match(/"[^"]*"|\S+/g) ?? [];
    const args: string[] = [];
    for (const word of written) args.push(await filled(word, name, home, stage));
    const { code, stdout, stderr } = await given(name, args, home, stage);
    const wanted = codes[words] ?? codes[name] ?? [exitCodes.done];
    expect(wanted, `${args.join(' ')}\n${stdout}\n${stderr}`).toContain(code);
  });
});

describe('help', () => {
  const locales: Readonly<Record<Language, string>> = { en: 'C', zh: 'zh_CN.UTF-8' };
  const asked = ['', ...commands.map(({ name }) => name).filter((name) => name !== '')];

  test.each(asked)('of "%s" is printed in each language, whatever the config is', async (name) => {
    const home = { folder: '/', configFile: '/nowhere/at/all.json' };
    for (const language of languages) {
      const args = [...name.split(' '), '--help'].filter((word) => word !== '');
      const { code, stdout, stderr } = await runCommandOf(home, args, { LANG: locales[language] });
      const program = /keyturn|npm start --/.exec(stdout)?.[0] ?? '';
      expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: helpText(name, program, language) });
    }
  });
});
