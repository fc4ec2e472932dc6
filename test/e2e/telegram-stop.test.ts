import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { engineWords } from '../../src/engine/words.ts';
import { anything, saying } from '../support/saying.ts';
import { waitUntil } from '../support/wait-for.ts';
import { TelegramSetting } from './telegram-setting.ts';

let setting: TelegramSetting;

beforeAll(async () => {
  setting = await TelegramSetting.start();
});

afterAll(() => setting.dispose());

/** The processes that were started with this word among their arguments. */
async function processesWith(word: string): Promise<readonly string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      // It may be gone by now.
      const line = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
      return line.split('\0').includes(word) ? [id] : [];
    }),
  );
  return found.flat();
}

test('/stop ends a command with everything that it has started, and the run with it', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const seconds = `300.${process.pid}`;
  const deaf = `(trap '' TERM; sleep ${seconds}) &`;
  const command = `${deaf} (setsid sleep ${seconds} &) ; sleep ${seconds}`;
  model.onUser('take a long time', { calls: [{ name: 'shell', arguments: { command } }] });
  const card = await setting.askFor(chat, 'take a long time');
  telegram.press(chat, card.id, '✅ Approve');
  await waitUntil(async () => (await processesWith(seconds)).length === 3, { what: 'three processes that sleep' });

  const asked = model.requests.length;
  telegram.say(chat, '/stop');
  await waitUntil(async () => (await processesWith(seconds)).length === 0, { what: 'the end of the processes' });
  await telegram.waitForMessage(chat, '🛑 Stopped.');
  await setting.shows(chat, card.id, '🚫 stopped after');
  telegram.say(chat, 'what now?');
  await telegram.waitForMessage(chat, 'echo:');
  expect(model.requests).toHaveLength(asked + 1);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Stopped by a person while it ran');
});

/** What keeps everything from being stored, and ends that. */
const troubles: readonly (readonly [string, () => () => void])[] = [
  [
    'the disk is full',
    () => {
      const limit = (bytes: string): unknown =>
        execFileSync('prlimit', ['--pid', String(setting.daemon.pid), `--fsize=${bytes}:`]);
      limit('1');
      return () => void limit('unlimited');
    },
  ],
  [
    'another program has locked the database',
    () => {
      const other = new Sqlite(join(setting.daemon.dataDir, 'keyturn.db'));
      other.exec('BEGIN IMMEDIATE');
      return () => void other.close();
    },
  ],
];

test.each(troubles)('/stop ends a command at once though %s', async (brief, trouble) => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const seconds = `${brief.length}00.${process.pid}`;
  const text = `take long, ${brief}`;
  model.onUser(text, { calls: [{ name: 'shell', arguments: { command: `sleep ${seconds}` } }] });
  const card = await setting.askFor(chat, text);
  telegram.press(chat, card.id, '✅ Approve');
  await waitUntil(async () => (await processesWith(seconds)).length > 0, { what: 'the process that sleeps' });
  await setting.shows(chat, card.id, 'allowed it');

  const end = trouble();
  telegram.say(chat, '/stop');
  await waitUntil(async () => (await processesWith(seconds)).length === 0, { what: 'the end of the process' });
  const held = commandWords.en.stopHeld;
  await telegram.waitForMessage(chat, saying(engineWords.en.notStoredYet({ held, why: `${brief}${anything}` })));
  telegram.say(chat, '/status');
  await telegram.waitForMessage(chat, new RegExp(`is up for[\\s\\S]*I cannot store anything: ${brief}`));
  end();
  await telegram.waitForMessage(chat, commandWords.en.storedNow({ answer: held }));
  await setting.shows(chat, card.id, '🚫 stopped after');
});

test('/stop breaks the connection over which the model writes', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  model.onUser('write on and on', { text: 'on and on '.repeat(5_000), pieceDelayMs: 50 });
  telegram.say(chat, 'write on and on');
  await model.waitFor(() => model.requests.at(-1)?.lastUserText === 'write on and on');
  expect(await Promise.race([model.broken, 'whole'])).toBe('whole');
  telegram.say(chat, '/stop');
  await telegram.waitForMessage(chat, '🛑 Stopped.');
  await model.broken;
});
