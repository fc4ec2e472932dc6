import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitUntil } from '../support/wait-for.ts';
import { Errand, errandRequests } from './errand.ts';
import { requestFaults } from './request-faults.ts';
import { TelegramSetting } from './telegram-setting.ts';

const config = { approval: { policy: 'always_allow' }, delivery: { tool_cards: false } };

test.concurrent('a press whose decision was stored when it was killed is answered after the restart, and decides once', async () => {
  await using errand = await Errand.start(['decision-stored']);
  errand.begin();
  const [writing, ledger] = await errand.cards();
  const press = errand.approve(writing);
  await errand.revive();
  await press.answered;
  await errand.setting.shows(errand.chat, writing.id, '✔️ Done in');
  errand.setting.telegram.press(errand.chat, ledger.id, '❌ Deny');
  await errand.setting.shows(errand.chat, ledger.id, '❌ Denied');
  await errand.end();
  expect(errand.isWritten()).toBe(true);
  expect(errand.ledger()).toEqual([]);
});

test.concurrent('an answer that is being written when it is stopped leaves nothing behind; the next start asks again', async () => {
  await using setting = await TelegramSetting.start();
  const { telegram, model, daemon } = setting;
  const chat = setting.newOwner();
  model.onUser('tell me', { text: 'A slow story. '.repeat(100), pieceDelayMs: 100 }, 'A quick story.');
  telegram.say(chat, 'tell me');
  await model.waitForRequests(1);
  await daemon.stop();
  expect(setting.said(chat)).toEqual([]);
  await setting.restart();
  await telegram.waitForMessage(chat, 'A quick story.');
  telegram.say(chat, 'and then?');
  await telegram.waitForMessage(chat, 'echo: and then?');
  expect(setting.said(chat)).toEqual(['A quick story.', 'echo: and then?']);
  expect(model.requests).toHaveLength(3);
  expect(model.requests.flatMap(requestFaults)).toEqual([]);
});

test.concurrent('a call that needed no card and was running when it was killed is told to the person, too', async () => {
  await using setting = await TelegramSetting.start({ config, crashAt: 'call-executed' });
  const { telegram, model, daemon } = setting;
  const chat = setting.newOwner();
  model
    .onUser('note it', { calls: [{ name: 'shell', arguments: { command: 'echo unique >> ledger.txt' } }] })
    .onResult('Outcome unknown', 'Nobody knows.');
  telegram.say(chat, 'note it');
  expect(await daemon.exited).toEqual({ code: null, signal: 'SIGKILL' });
  await daemon.restart();
  await telegram.waitForMessage(chat, 'Nobody knows.');
  expect(setting.said(chat)).toEqual(['⚠️ Outcome unknown: Keyturn was stopped while shell ran.', 'Nobody knows.']);
  expect(readFileSync(join(daemon.workspace, 'ledger.txt'), 'utf8')).toBe('unique\n');
});

test.concurrent('a tool that ends soon after it is stopped keeps its result, and the next start only asks the model', async () => {
  await using setting = await TelegramSetting.start({ config });
  const { telegram, model, daemon } = setting;
  const chat = setting.newOwner();
  const command = 'echo began >> ledger.txt; sleep 1; echo the result';
  model.onUser('be quick', { calls: [{ name: 'shell', arguments: { command } }] }).onResult('the result', 'I have it.');
  telegram.say(chat, 'be quick');
  await waitUntil(() => existsSync(join(daemon.workspace, 'ledger.txt')));
  await daemon.stop();
  expect(setting.said(chat)).toEqual([]);
  await setting.restart();
  await telegram.waitForMessage(chat, 'I have it.');
  expect(readFileSync(join(daemon.workspace, 'ledger.txt'), 'utf8')).toBe('began\n');
  expect(model.requests).toHaveLength(2);
});

test.concurrent('a run that is working when the process is told to end goes on in the next one', async () => {
  await using setting = await TelegramSetting.start();
  const { telegram, model, daemon } = setting;
  const chat = setting.newOwner();
  const never = new Promise<void>(() => {});
  model.onUser('think hard', { text: 'never said', until: never }, 'I have thought.');
  telegram.say(chat, 'think hard');
  await model.waitForRequests(1);
  await daemon.stop();
  expect(setting.said(chat)).toEqual([]);
  await setting.restart();
  await telegram.waitForMessage(chat, 'I have thought.');
  expect(setting.said(chat)).toHaveLength(1);
});

test.concurrent('a call that was approved too long before the restart asks again, on a new card, and runs once', async () => {
  await using errand = await Errand.start(['decision-stored'], { config: { approval: { execute_within_secs: 1 } } });
  errand.begin();
  const [writing, ledger] = await errand.cards();
  const { chat, setting } = errand;
  errand.approve(ledger);
  await errand.died(1);
  const decidedBy = Date.now();
  await waitUntil(() => Date.now() > decidedBy + 1_000);
  await setting.daemon.restart();
  const second = await setting.cardAfter(chat, ledger.id);
  expect(second.text).toContain('ledger.txt');
  expect(errand.ledger()).toEqual([]);
  // The old card is decided, and opens nothing any more.
  const old = setting.telegram.press(chat, ledger.id, ledger.buttons[0]?.data ?? '', { forged: true });
  expect(await old.answered).toEqual({ text: 'That is already approved.', showAlert: true });
  errand.approve(second);
  errand.approve(writing);
  await errand.end();
  await setting.shows(chat, second.id, '✔️ Done in');
  expect(errand.ledger()).toEqual(['unique']);
  expect(errand.results()[1]).toMatch(/^\[exit code 0\]/);
  expect(setting.model.requests).toHaveLength(errandRequests + 1);
});
