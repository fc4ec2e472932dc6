import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitUntil } from '../support/wait-for.ts';
import { Errand, errandRequests } from './errand.ts';
import { requestFaults } from './request-faults.ts';
import { TelegramSetting } from './telegram-setting.ts';

const free = {
  config: {
    approval: { policy: 'always_allow' },
    delivery: { tool_cards: false },
    // A command that sleeps for minutes is not waited for.
    tools: { stop_secs: 1 },
  },
};

function lines(setting: TelegramSetting, file: string): readonly string[] {
  const path = join(setting.daemon.workspace, file);
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
}

test.concurrent('the cards that were open when it was killed work after the restart, and also when they are pressed before it', async () => {
  await using errand = await Errand.start([]);
  errand.begin();
  const [writing, ledger] = await errand.cards();
  await errand.setting.daemon.kill();
  const early = errand.approve(writing);
  // Both are delivered at once, and the first counts.
  const late = errand.setting.telegram.press(errand.chat, writing.id, '❌ Deny');
  await errand.setting.restart();
  await early.answered;
  expect((await late.answered).text).toBe('That is already approved.');
  await errand.setting.shows(errand.chat, writing.id, '✔️ Done in');
  await errand.setting.restart();
  errand.approve(ledger);
  await errand.setting.shows(errand.chat, ledger.id, '✔️ Done in');
  await errand.end();
  expect(errand.countSaid('✅ Approved')).toBe(2);
  expect(errand.countSaid('🔑')).toBe(0);
  expect(errand.isWritten()).toBe(true);
  expect(errand.ledger()).toEqual(['unique']);
  expect(errand.setting.model.requests).toHaveLength(errandRequests + 1);
});

test.concurrent('a tool that is still running when it is stopped has no outcome; the next start tells that it is unknown, and never runs it again', async () => {
  await using setting = await TelegramSetting.start(free);
  const { telegram, model, daemon } = setting;
  const chat = setting.newOwner();
  const command = 'echo began >> ledger.txt; sleep 300; echo ended >> ledger.txt';
  model
    .onUser('take long', { calls: [{ name: 'shell', arguments: { command } }] })
    .onResult('Outcome unknown', 'Nobody knows.');
  telegram.say(chat, 'take long');
  await waitUntil(() => lines(setting, 'ledger.txt').length === 1);
  await daemon.stop();
  expect(setting.said(chat)).toEqual([]);
  expect(model.requests).toHaveLength(1);
  await setting.restart();
  await telegram.waitForMessage(chat, 'Nobody knows.');
  expect(setting.said(chat)).toEqual(['⚠️ Outcome unknown: Keyturn was stopped while shell ran.', 'Nobody knows.']);
  expect(lines(setting, 'ledger.txt')).toEqual(['began']);
  expect(model.requests).toHaveLength(2);
  expect(model.requests.flatMap(requestFaults)).toEqual([]);
});
