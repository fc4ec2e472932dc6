import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seeWords } from '../../src/cli/commands/see/words.ts';
import { cliWords } from '../../src/cli/words.ts';
import { socketName } from '../../src/daemon/local-socket/socket-place.ts';
import { runCommandOf } from '../support/run-command.ts';
import { TelegramSetting } from './telegram-setting.ts';

const wish = { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'x' } }] };

test('in another terminal, one sees how it is, and decides what it asks in the chat', async () => {
  await using setting = await TelegramSetting.start();
  const { daemon, model } = setting;
  const chat = setting.newOwner();
  model.onUser('write it', wish);
  const card = await setting.askFor(chat, 'write it');

  const status = await runCommandOf(daemon, ['status']);
  expect(status).toMatchObject({ code: 0, stderr: '' });
  expect(status.stdout).toContain(seeWords.en.waiting({ approvals: 1, questions: 0, undelivered: 0, strangers: 0 }));
  expect(status.stdout).toMatch(/^ {2}telegram +connected/m);
  const facts = JSON.parse((await runCommandOf(daemon, ['status', '--json'])).stdout);
  expect(facts).toMatchObject({
    running: true,
    pid: daemon.pid,
    channels: expect.arrayContaining([expect.objectContaining({ name: 'telegram', status: 'connected' })]),
  });

  const { approvals } = JSON.parse((await runCommandOf(daemon, ['approvals', '--json'])).stdout);
  const { id } = approvals[0];
  const listed = await runCommandOf(daemon, ['approvals'], { LANG: 'zh_CN.UTF-8' });
  expect(listed.stdout).toContain(seeWords.zh.howToDecide({ id }));
  const byTool = await runCommandOf(daemon, ['approvals', 'approve', id], { KEYTURN_CALL: 'x' });
  expect(byTool).toEqual({ code: 1, stdout: '', stderr: `${seeWords.en.fromTool}\n` });
  expect(await runCommandOf(daemon, ['approvals', 'approve', id])).toMatchObject({ code: 0, stderr: '' });
  await setting.shows(chat, card.id, /^✅/);
  expect(await runCommandOf(daemon, ['approvals'])).toMatchObject({ code: 0, stdout: `${seeWords.en.noApprovals}\n` });
});

test('without a process they say so, with the code 3; after a kill the next one can be asked', async () => {
  await using setting = await TelegramSetting.start();
  const { daemon } = setting;
  await daemon.kill();
  const notRunning = cliWords.en.notRunning({ folder: daemon.dataDir });
  expect(existsSync(join(daemon.dataDir, socketName))).toBe(true);
  expect(await runCommandOf(daemon, ['status'])).toEqual({ code: 3, stdout: '', stderr: `${notRunning}\n` });
  const { code, stdout } = await runCommandOf(daemon, ['status', '--json']);
  expect([code, JSON.parse(stdout)]).toEqual([3, { running: false, problem: notRunning }]);
  expect(await runCommandOf(daemon, ['approvals', 'approve', 'x'])).toMatchObject({ code: 3, stdout: '' });
  await setting.restart();
  await expect.poll(async () => (await runCommandOf(daemon, ['status'])).code).toBe(0);
  await daemon.stop();
  expect(existsSync(join(daemon.dataDir, socketName))).toBe(false);
});
