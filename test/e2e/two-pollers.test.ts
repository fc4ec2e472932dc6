import { setTimeout as pause } from 'node:timers/promises';
import { Api } from 'grammy';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';
import { platformWords } from '../../src/cli/doctor/platforms/words.ts';
import { setupWords } from '../../src/cli/setup/words.ts';
import { DaemonProcess } from '../support/daemon-process.ts';
import { runCommandOf } from '../support/run-command.ts';
import { waitUntil } from '../support/wait-for.ts';
import { runMain } from './run-main.ts';
import { keys, personSettingUp, scriptSettingUp } from './setting-up.ts';
import { TelegramSetting } from './telegram-setting.ts';

/** Two programs that ask for the messages of one bot, and what the doctor and the set-up say before people miss messages. */

const say = setupWords.en;
const other = platformWords.en.otherPoller.what();
const state = platformWords.en.channelOk({ bot: '@keyturn_test_bot' });

function channelAt(telegram: TelegramServer, token = telegram.token) {
  return { telegram: { enabled: true, token, api_root: telegram.root } };
}

/** What the doctor of a new folder says of the bot. */
async function doctorSays(telegram: TelegramServer): Promise<{ ok: boolean; problems: readonly { what: string }[] }> {
  const config = JSON.stringify({ model: 'offline', channels: channelAt(telegram) });
  const env = { PATH: process.env.PATH ?? '' };
  const { stdout } = await runMain({ args: ['doctor', '--json'], files: { 'config.json': config }, env });
  return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'telegram');
}

/** A program that asks for messages, rests after a conflict, and keeps what it gets. */
function otherProgram(telegram: TelegramServer, { timeout, restMs }: { timeout: number; restMs: number }) {
  const api = new Api(telegram.token, { apiRoot: telegram.root });
  const ended = new AbortController();
  const heard: string[] = [];
  async function receive(): Promise<void> {
    let offset = 0;
    while (!ended.signal.aborted)
      try {
        const updates = await api.getUpdates({ offset, timeout });
        heard.push(...updates.map(({ message }) => message?.text ?? ''));
        offset = (updates.at(-1)?.update_id ?? offset - 1) + 1;
        if (timeout === 0) await pause(restMs);
      } catch {
        await pause(restMs);
      }
  }
  void receive();
  onTestFinished(() => ended.abort());
  return heard;
}

describe('the doctor notices', () => {
  test.each([0, 2_500])('a program that waits for messages, and comes back %i ms after a conflict', async (restMs) => {
    await using telegram = await TelegramServer.start();
    const heard = otherProgram(telegram, { timeout: 30, restMs });
    await waitUntil(() => telegram.isPolled);
    const said = doctorSays(telegram);
    await telegram.waitFor(() => telegram.polls > 2);
    telegram.say(501, 'meanwhile');
    expect(await said).toMatchObject({ ok: false, problems: [{ what: other }] });
    // Nothing was taken away from the other program.
    await telegram.waitFor(() => heard.includes('meanwhile'));
  });

  test('a program that looks for messages now and then, by a message that it takes', async () => {
    await using telegram = await TelegramServer.start();
    const heard = otherProgram(telegram, { timeout: 0, restMs: 300 });
    await telegram.waitFor(() => telegram.polls > 0);
    const said = doctorSays(telegram);
    await telegram.waitFor(() => telegram.callsOf('getUpdates').some(({ params }) => Number(params.timeout) > 0));
    telegram.say(501, 'meanwhile');
    expect(await said).toMatchObject({ ok: false, problems: [{ what: other }] });
    expect(heard).toEqual(['meanwhile']);
  });

  test('a Keyturn of another folder, again and again, and that one goes on', async () => {
    await using telegram = await TelegramServer.start();
    const config = { model: 'offline', owners: ['telegram:501'], channels: channelAt(telegram) };
    await using daemon = DaemonProcess.start({ config });
    for (const _ of [1, 2]) {
      await waitUntil(() => telegram.isPolled);
      expect(await doctorSays(telegram)).toMatchObject({ ok: false, problems: [{ what: other }] });
    }
    telegram.say(501, '/status');
    await telegram.waitForMessage(501, 'Keyturn');
    expect(daemon.output).not.toContain('does not receive');
  });
});

describe('nothing is said', () => {
  test('of the Keyturn of the same folder, which is not disturbed', async () => {
    await using setting = await TelegramSetting.start();
    const { telegram, daemon } = setting;
    await waitUntil(() => telegram.isPolled);
    const before = telegram.polls;
    const env = { TEST_MODEL_KEY: 'sk-test', TEST_TELEGRAM_TOKEN: telegram.token };
    const { stdout } = await runCommandOf(daemon, ['doctor', '--json'], env);
    expect(JSON.parse(stdout).checks).toContainEqual({ name: 'telegram', ok: true, state, problems: [] });
    expect(telegram.polls).toBe(before);
  });

  test('where there is no other, and a message that waits goes on waiting', async () => {
    await using telegram = await TelegramServer.start();
    telegram.say(501, 'before');
    const around = { channels: { telegram: { api_root: telegram.root } }, args: ['--yes', '--json'] };
    const { stdout } = await scriptSettingUp({ ...around, env: { TELEGRAM_BOT_TOKEN: telegram.token } });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, channels: [{ name: 'telegram', ok: true, state }] });
    expect(telegram.confirmedOffset).toBe(0);
  });
});

test('the set-up notices it for a new token, too, while Keyturn runs with another one', async () => {
  await using old = await TelegramServer.start();
  await using telegram = await TelegramServer.start();
  const channels = channelAt(old, old.exchangeToken());
  await using daemon = DaemonProcess.start({ config: { model: 'offline', channels }, stdin: 'pipe' });
  await waitUntil(() => old.isPolled);
  otherProgram(telegram, { timeout: 30, restMs: 1_000 });
  await waitUntil(() => telegram.isPolled);
  const person = await personSettingUp({
    folder: daemon.folder,
    args: ['setup', '--config', daemon.configFile],
    channels: { telegram: { api_root: telegram.root } },
  });
  await person.answers(say.whichModel, keys.enter);
  await person.answers(say.whichChat, keys.down, keys.enter);
  await person.answers(say.tokenOfTelegram, telegram.token, keys.enter);
  await person.hears(other);
  await person.answers(say.chatFailed({ title: 'Telegram' }), keys.cancel);
  await person.ended();
});
