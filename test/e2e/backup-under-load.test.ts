import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { storageWords } from '../../src/store/words.ts';
import { newFolder } from '../support/new-folder.ts';
import { rowsOf } from '../support/store-setting.ts';
import { TelegramSetting } from './telegram-setting.ts';

const start = resolve(import.meta.dirname, '../../src/start.js');
const inboxRow = z.object({ seq: z.number(), key: z.string(), text: z.string() });
const inbox = `SELECT seq, key, text FROM inbox WHERE kind = 'message' ORDER BY seq`;

async function keyturn(home: string, args: readonly string[]) {
  const child = spawn(process.execPath, [start, ...args], {
    env: { PATH: process.env.PATH ?? '', KEYTURN_HOME: home },
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

test('a daemon that answers is backed up without a pause, and goes on elsewhere with all that it had', async () => {
  await using setting = await TelegramSetting.start();
  const { telegram, daemon, model } = setting;
  const chats = Array.from({ length: 4 }, () => setting.newOwner());
  for (const chat of chats) telegram.say(chat, `first of ${chat}`);
  await telegram.waitFor(() => chats.every((chat) => setting.said(chat).length > 0), { what: 'the first answers' });
  await setting.allNoted();
  const before = setting.rows(inboxRow, inbox);
  expect(before.length).toBeGreaterThanOrEqual(chats.length);

  let isOver = false;
  let count = 0;
  const talking = (async () => {
    for (; !isOver; count += 1) {
      const chat = chats[count % chats.length] ?? 0;
      const answers = setting.said(chat).length;
      telegram.say(chat, `number ${count}`);
      await telegram.waitFor(() => setting.said(chat).length > answers, { what: `an answer to number ${count}` });
    }
  })();
  const folder = await newFolder();
  const archive = join(folder, 'backup.tar.gz');
  const made = await keyturn(daemon.folder, ['backup', archive]);
  const verified = await keyturn(daemon.folder, ['verify', archive]);
  isOver = true;
  await talking;
  expect([made.code, made.stderr, verified.code, verified.stderr]).toEqual([0, '', 0, '']);
  expect(count).toBeGreaterThan(0);
  expect(daemon.output).not.toContain(storageWords.en.brief('locked'));
  expect(chats.flatMap((chat) => setting.said(chat)).join()).not.toContain(storageWords.en.cannotStoreLocked);

  const elsewhere = await newFolder();
  // The config of the backup names the folder of the daemon that still runs.
  writeFileSync(join(elsewhere, 'config.json'), '{}');
  const restored = await keyturn(elsewhere, ['restore', archive, '--json']);
  expect(restored.code).toBe(0);
  const found = z.array(inboxRow).parse(rowsOf(join(elsewhere, 'data/keyturn.db'), inbox));
  // All from before the backup, and nothing that the daemon has otherwise.
  expect(found.slice(0, before.length)).toEqual(before);
  expect(found).toEqual(setting.rows(inboxRow, inbox).slice(0, found.length));

  // The first machine is gone: the same bot goes on with the data of the second.
  await daemon.kill();
  const polls = telegram.polls;
  daemon.writeConfig({ ...JSON.parse(readFileSync(daemon.configFile, 'utf8')), data_dir: join(elsewhere, 'data') });
  await daemon.restart();
  await setting.connected(polls);
  const [chat = 0] = chats;
  telegram.say(chat, 'are you still there?');
  await telegram.waitFor(() => JSON.stringify(model.requests.at(-1) ?? '').includes('are you still there?'), {
    what: 'a request with the newest question',
  });
  expect(JSON.stringify(model.requests.at(-1))).toContain(`first of ${chat}`);
});
