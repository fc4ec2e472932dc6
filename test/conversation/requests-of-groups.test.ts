import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../src/contract.ts';
import { groupWords, requestWords, strangerWords } from '../../src/conversation/access/words.ts';
import { peopleWords } from '../../src/conversation/commands/people/words.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import type { Shown } from '../support/platform-traffic.ts';
import { saying } from '../support/saying.ts';
import type { TestChannel } from '../support/test-channel.ts';

const words = groupWords.en;
const family: Conversation = { channel: 'test', chatId: '-7', kind: 'group', title: 'Family' };
const about = { title: '`Family`', channel: 'test' };
const hour = 3_600_000;

/** Ada owns it and has talked with it; Pia may talk. No group is in the config. */
async function known(config: Readonly<Record<string, unknown>> = {}) {
  const house = await daemonSetting({ config, allowFrom: ['pia'] });
  await house.channel.askAtRest('hello', 'echo: hello');
  return house;
}

function actionOf({ buttons }: Shown, verb: string): string {
  return buttons.flat().find(({ actionId }) => actionId.endsWith(`:${verb}`))?.actionId ?? 'none';
}

async function added(channel: TestChannel, by = 'ada', group = family): Promise<Shown> {
  await channel.membership('added', group, { by });
  const name = `${by.slice(0, 1).toUpperCase()}${by.slice(1)}`;
  return channel.sees(words.added({ title: `\`${group.title}\``, channel: 'test', by: `\`${name}\`` }), 'test:ada');
}

/** Ada's card once it says what was chosen. */
function chosen(channel: TestChannel, choice: 'mentioned' | 'everything' | 'leave'): Promise<Shown> {
  const [, end = ''] = words.chosen({ ...about, choice, by: '', at: 0 }).split('</time>');
  return channel.sees(end, 'test:ada');
}

describe('a group that the bot is added to', () => {
  test('is silent until an owner chooses by a press, and then answers who is known there, when mentioned', async () => {
    const { setting, channel } = await known();
    const card = await added(channel);
    expect(card.buttons.map((row) => row.map(({ label }) => label))).toEqual([
      [words.buttonMentioned, words.buttonEverything],
      [words.buttonLeave],
    ]);
    await channel.say('hello', { by: 'pia', in: family });
    expect(await channel.press(actionOf(card, 'mentioned'))).toEqual({});
    expect((await chosen(channel, 'mentioned')).buttons).toEqual([]);
    await channel.say('not to you', { by: 'pia', in: family, addressed: false });
    await channel.ask('to you', 'echo: [Pia] to you', { by: 'pia', in: family, at: 'test:-7' });
    expect((await channel.say('me too', { by: 'eve', in: family })).notice).toContain('`test:eve`');
    await setting.restart();
    await channel.ask('still', 'echo: [Pia] still', { by: 'pia', in: family, at: 'test:-7' });
    expect(setting.rows(`SELECT text FROM inbox WHERE conversation_id = 'test:-7'`).length).toBeGreaterThan(1);
    expect(channel.textsIn('test:-7').join()).not.toContain('not to you');
  });

  test('answers everything where an owner chooses that, and says that the privacy mode matters on Telegram', async () => {
    const { channel } = await known();
    await channel.press(actionOf(await added(channel, 'eve'), 'everything'));
    await channel.ask('to nobody', '[Pia] to nobody', { by: 'pia', in: family, addressed: false, at: 'test:-7' });
    const onTelegram = words.added({ title: '`x`', channel: 'telegram', by: undefined });
    expect(onTelegram.split('\n')).toHaveLength(3);
  });

  test('is left where an owner chooses that, and stays silent; called there by an owner, it asks again', async () => {
    const { setting, channel, clock } = await known();
    await channel.press(actionOf(await added(channel), 'leave'));
    await chosen(channel, 'leave');
    expect(channel.left).toEqual(['test:-7']);
    await setting.restart();
    await channel.say('hello', { by: 'pia', in: family });
    clock.advance(hour);
    await channel.ask('you there?', words.askedYou, { in: family, at: 'test:-7' });
    await channel.sees(words.addressed(about), 'test:ada');
    await channel.say('hello?', { in: family });
    expect(channel.textsIn('test:-7')).toEqual([words.askedYou]);
  });

  test('that could not be left is left at the next start or connection, once, unless the bot was added again', async () => {
    const { setting, channel, clock } = await known();
    channel.leaveFaults.push({ type: 'transient' }, { type: 'transient' });
    await channel.press(actionOf(await added(channel), 'leave'));
    await chosen(channel, 'leave');
    await setting.restart();
    await clock.waitsFor(10_000);
    clock.advance(10_000);
    await channel.changes.waitFor(() => channel.leaveFaults.length === 0, { what: 'the second try' });
    expect(channel.left).toEqual([]);
    for (const status of ['connecting', 'connected', 'connecting', 'connected'] as const) {
      await channel.askAtRest('hello', 'echo: hello');
      channel.sessions.hosts.at(-1)?.reportHealth({ status });
      clock.advance(10_000);
    }
    await channel.changes.waitFor(() => channel.left.length > 0, { what: 'it to be left' });
    await setting.restart();
    await added(channel);
    await clock.waitsFor(10_000);
    clock.advance(10_000);
    await channel.whenIdle();
    expect(channel.left).toEqual(['test:-7']);
  });

  test('is in /config with what was chosen', async () => {
    const { channel } = await known();
    await channel.press(actionOf(await added(channel), 'mentioned'));
    await chosen(channel, 'mentioned');
    const [line = ''] = peopleWords.en.groupList({ lines: [] }).split('\n');
    expect((await channel.ask('/config', line)).text).toContain('`Family`');
  });

  test('is decided by owners alone, once, and after a restart as well', async () => {
    const { setting, channel } = await known();
    const card = await added(channel, 'pia');
    for (const by of ['pia', 'eve'])
      expect(await channel.press(actionOf(card, 'everything'), { by })).toEqual({
        notice: requestWords.en.toastOnlyOwners,
      });
    await setting.restart();
    const [first, second] = await Promise.all([
      channel.press(actionOf(card, 'mentioned')),
      channel.press(actionOf(card, 'everything')),
    ]);
    expect([first, second]).toEqual([{}, { notice: requestWords.en.toastOver }]);
    expect(setting.rows('SELECT choice, chosen_by FROM group_choices')).toEqual([
      { choice: 'mentioned', chosen_by: 'test:ada' },
    ]);
  });

  test('is not asked about if the config names it, or if it was chosen before; nor is more than three of strangers', async () => {
    const { channel, setting } = await known({ channels: { test: { groups: { '-1': {} } } } });
    await channel.membership('added', { ...family, chatId: '-1' });
    await channel.press(actionOf(await added(channel), 'everything'));
    await chosen(channel, 'everything');
    await channel.membership('removed', family, { by: 'eve' });
    await channel.membership('added', family, { by: 'eve' });
    for (const chatId of ['-2', '-3', '-4', '-5', '-6'])
      await channel.membership('added', { ...family, chatId }, { by: 'eve' });
    await channel.whenIdle();
    expect(setting.rows('SELECT chat_id FROM group_choices ORDER BY chat_id').map((row) => row.chat_id)).toEqual([
      '-2',
      '-3',
      '-4',
      '-7',
    ]);
  });

  test('no longer asks when the bot was taken out, and a stranger who adds it again and again rings nobody', async () => {
    const { channel, clock } = await known();
    await added(channel, 'eve');
    await channel.membership('removed', family, { by: 'eve' });
    expect((await channel.sees(words.takenOut(about), 'test:ada')).buttons).toEqual([]);
    for (let time = 0; time < 3; time += 1) {
      await channel.membership('added', family, { by: 'eve' });
      await channel.membership('removed', family, { by: 'eve' });
    }
    await channel.whenIdle();
    expect(channel.textsIn('test:ada').filter((text) => text.startsWith('👥'))).toHaveLength(1);
    clock.advance(hour);
    await added(channel, 'eve');
  });

  test('keeps what was chosen when the platform gives it another id', async () => {
    const { setting, channel } = await known();
    await channel.press(actionOf(await added(channel), 'mentioned'));
    await chosen(channel, 'mentioned');
    await channel.move(family, '-1007');
    const moved = { ...family, chatId: '-1007' };
    await channel.ask('here', 'echo: [Pia] here', { by: 'pia', in: moved });
    await setting.restart();
    await channel.ask('still here', 'echo: [Pia] still here', { by: 'pia', in: moved });
  });

  test('is listed by /people, whose buttons choose otherwise, also that everybody there is heard', async () => {
    const { setting, channel } = await known();
    await channel.press(actionOf(await added(channel), 'mentioned'));
    await chosen(channel, 'mentioned');
    const list = await channel.ask('/people', '1. `Family` (test)', { at: 'test:ada' });
    const button = list.buttons.flat().find(({ actionId }) => actionId.includes(' all'));
    await channel.press(button?.actionId ?? 'none', { on: list.ref });
    await channel.ask('me too', 'echo: [Eve] me too', { by: 'eve', in: family, at: 'test:-7' });
    await channel.say(`/people group ${setting.rows('SELECT request_id FROM group_choices')[0]?.request_id} leave`);
    await channel.changes.waitFor(() => channel.left.length === 1);
    await channel.say('and now?', { by: 'eve', in: family });
    expect(channel.textsIn('test:-7').join()).not.toContain('and now?');
  });

  test('says how to let it in by the config where no owner has a chat of their own', async () => {
    const { channel } = await daemonSetting();
    await channel.membership('added', family);
    const explained = { entry: '`"-7": { "require_mention": true }`', key: '`channels.test.groups`' };
    await channel.ask('hello', strangerWords.en.unknownGroup(explained), { in: family, at: 'test:-7' });
  });

  test('of a whole server holds for all its channels, whoever added it', async () => {
    const { channel } = await known();
    const server: Conversation = { channel: 'test', tenant: 's1', chatId: 's1', kind: 'group', title: 'Guild' };
    await channel.membership('added', server, { by: 'unknown', isPerson: false });
    const card = await channel.sees(words.added({ title: '`Guild`', channel: 'test', by: undefined }), 'test:ada');
    await channel.press(actionOf(card, 'mentioned'));
    const room: Conversation = { channel: 'test', tenant: 's1', chatId: 'c9', kind: 'group' };
    await channel.ask('hello', saying('[Pia] hello'), { by: 'pia', in: room });
  });
});
