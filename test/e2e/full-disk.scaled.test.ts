import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inFull } from '../support/thorough.ts';
import { TelegramSetting } from './telegram-setting.ts';

let setting: TelegramSetting;

beforeEach(async () => {
  setting = await TelegramSetting.start();
});

afterEach(() => setting.dispose());

/** From now on no file that the daemon writes can grow, or it can again: what a full disk is to the one that writes. */
function fillDisk(isFull: boolean): void {
  execFileSync('prlimit', ['--pid', String(setting.daemon.pid), `--fsize=${isFull ? '1' : 'unlimited'}:`]);
}

/** What it has said, beside that nothing can be stored. */
function answers(chat: Parameters<typeof setting.said>[0]): readonly string[] {
  return setting.said(chat).filter((text) => !text.includes('I cannot store anything'));
}

test('a message that cannot be stored is not confirmed to Telegram, and is answered when there is space again', async () => {
  const { telegram, model, daemon } = setting;
  const chat = setting.newOwner();
  fillDisk(true);
  const { update_id: id } = telegram.say(chat, 'no space');
  await daemon.waitForOutput('an update was not stored');
  const { polls } = telegram;
  await telegram.waitFor(() => telegram.polls >= polls + 2);
  expect(telegram.confirmedOffset).toBeLessThanOrEqual(id);
  expect(answers(chat)).toEqual([]);
  fillDisk(false);
  await telegram.waitForMessage(chat, 'echo: no space');
  await telegram.waitFor(() => telegram.confirmedOffset > id);
  expect(answers(chat)).toEqual(['echo: no space']);
  expect(model.requests).toHaveLength(1);
});

// These two wait until something is tried again; test/daemon/storage.test.ts has the disk fill up in one process.
inFull(() => {
  test('an answer that cannot be stored is not shown, and is had again when there is space again', async () => {
    const { telegram, model, daemon } = setting;
    const chat = setting.newOwner();
    const thinking = Promise.withResolvers<void>();
    model.onUser('think', { text: 'The lost thought.', until: thinking.promise }, 'The thought.');
    const { update_id: id } = telegram.say(chat, 'think');
    await model.waitForRequests(1);
    await telegram.waitFor(() => telegram.confirmedOffset > id);
    fillDisk(true);
    thinking.resolve();
    await daemon.waitForOutput('it will be taken up again');
    fillDisk(false);
    await telegram.waitForMessage(chat, 'The thought.');
    expect(answers(chat)).toEqual(['The thought.']);
  });

  test('a reply that is sent and cannot be noted down is not sent again and again', async () => {
    const { telegram, daemon } = setting;
    const chat = setting.newOwner();
    telegram.fault({ method: 'sendMessage', kind: '429', retryAfter: 1, times: 1 });
    telegram.say(chat, 'say it once');
    // The reply is stored, was refused for a moment, and that is noted.
    await daemon.waitForOutput('a message could not be sent');
    fillDisk(true);
    await telegram.waitForMessage(chat, 'echo: say it once');
    await daemon.waitForOutput(/could not be noted down[\s\S]*could not be noted down/);
    fillDisk(false);
    telegram.say(chat, 'and go on');
    await telegram.waitForMessage(chat, 'echo: and go on');
    expect(answers(chat)).toEqual(['echo: say it once', 'echo: and go on']);
  });
});

test('the owner is told, by a message that needs no row, and by the answer to /status', async () => {
  const { telegram } = setting;
  const chat = setting.newOwner();
  telegram.say(chat, 'hello');
  await telegram.waitForMessage(chat, 'echo: hello');
  fillDisk(true);
  telegram.say(chat, 'no space');
  await telegram.waitForMessage(chat, /I cannot store anything: the disk/);
  telegram.say(chat, '/status');
  await telegram.waitForMessage(chat, /is up for[\s\S]*I cannot store anything/);
  fillDisk(false);
  await telegram.waitForMessage(chat, 'echo: no space');
  expect(setting.said(chat).filter((text) => text.includes('is up for'))).toHaveLength(1);
});
