import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/cli/commands/command.ts';
import { helpText } from '../../src/cli/commands/help.ts';
import { commands } from '../../src/cli/commands/index.ts';
import { isJsonObject, parseJson } from '../../src/lib/json.ts';
import { type Language, languages } from '../../src/lib/words.ts';
import { DaemonProcess } from '../support/daemon-process.ts';
import { runCommandOf } from '../support/run-command.ts';
import { shownCommands } from '../support/shown-commands.ts';
import { rowsOf } from '../support/store-setting.ts';
import { waitUntil } from '../support/wait-for.ts';

/*
 * Every command that README or a page of docs shows is run beside a Keyturn that runs, with something for each word that the page
 * leaves open; and the help of every command is asked for.
 */

/** What cannot be run here, and why: by the command, or by all that is shown. */
const leftOut: Readonly<Record<string, string>> = {
  demo: 'test/e2e/demo.test.ts plays it',
  'logs --follow': 'test/e2e/commands.test.ts follows one: it goes on until ctrl-c',
  setup: 'asks',
  'config edit': 'it opens an editor',
  'config rollback': 'it needs a config that was changed',
  migrate: 'it needs the data of another program',
  'service install': 'it changes what this machine starts',
  'service remove': 'it changes what this machine starts',
  'service status': 'it asks what this machine starts',
  update: 'it asks a registry',
};

/** What ends otherwise than with 0: by the command, or by all that is shown. */
const codes: Readonly<Record<string, readonly number[]>> = {
  // Of the machine that runs the tests it may find something.
  doctor: [exitCodes.done, exitCodes.failed],
  // The log of this Keyturn goes to a pipe.
  logs: [exitCodes.failed],
  // Nothing is piped in.
  'chat --once - --name review': [exitCodes.misused],
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
const run = all.filter(([words]) => leftOut[words] === undefined && leftOut[nameOf(words)] === undefined);

/** A home of a Keyturn. */
type Home = Pick<DaemonProcess, 'folder' | 'configFile'>;

/** The Keyturn that runs, and how many things were made for commands. */
class Stage {
  readonly daemon = DaemonProcess.start({ config: { model: 'offline' }, stdin: 'pipe' });
  #made = 0;

  newPath(name: string): string {
    this.#made += 1;
    return join(this.daemon.folder, `${this.#made}-${name}`);
  }

  async newBackup(): Promise<string> {
    const file = this.newPath('keyturn.tar.gz');
    expect(await runCommandOf(this.daemon, ['backup', file])).toMatchObject({ code: 0 });
    return file;
  }

  /** A folder of its own with a config, where no Keyturn runs. */
  newHome(): Home {
    const folder = this.newPath('home');
    const configFile = join(folder, 'config.json');
    mkdirSync(folder);
    writeFileSync(configFile, JSON.stringify({ model: 'offline', data_dir: join(folder, 'data') }));
    return { folder, configFile };
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
async function filled(word: string, name: string, stage: Stage): Promise<string> {
  switch (word) {
    case 'ID':
      if (name === 'runs show') return stage.newestRun();
      return name.startsWith('approvals') ? stage.newApproval() : 'machine:local';
    case 'FILE':
    case '/mnt/disk/keyturn.tar.gz':
      if (name === 'config check') return stage.daemon.configFile;
      return name === 'backup' ? stage.newPath('mine.tar.gz') : stage.newBackup();
    case 'HASH':
      return stage.newestHash();
    case 'NAME':
      return name === 'doctor model' ? 'offline' : 'nightly';
    case 'FOLDER':
      return stage.newPath('exported');
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

/** What replaces or removes data wants it to itself. */
async function homeFor(name: string, stage: Stage): Promise<Home> {
  if (name !== 'restore' && name !== 'forget') return stage.daemon;
  const home = stage.newHome();
  if (name === 'forget') await runCommandOf(home, ['restore', await stage.newBackup()]);
  return home;
}

describe('what pages show', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = new Stage();
    await waitUntil(async () => (await runCommandOf(stage.daemon, ['status'])).code === 0);
    await runCommandOf(stage.daemon, ['chat', '--once', 'list the files']);
  });

  afterAll(() => stage.daemon.dispose());

  test('is found, and begins with a command', () => {
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter(([words]) => nameOf(words) === '')).toEqual([]);
  });

  test.each(run)('keyturn %s (%s) can be run', async (words) => {
    const name = nameOf(words);
    const home = await homeFor(name, stage);
    const written = words.match(/"[^"]*"|\S+/g) ?? [];
    const args: string[] = [];
    for (const word of written) args.push(await filled(word, name, stage));
    const { code, stdout, stderr } = await runCommandOf(home, args);
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
