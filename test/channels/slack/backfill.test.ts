import { describe, expect, test } from 'vitest';
import { backfill } from '../../../channels/slack/backfill.ts';
import type { Conversation } from '../../../src/contract.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { ada, bob, bot, general, type IntakeSetting, intakeSetting, team } from './intake-setting.ts';

const conversation = (chatId: string, threadId?: string): Conversation => ({
  ...{ channel: 'slack', tenant: team, chatId, kind: chatId.startsWith('D') ? 'direct' : 'group' },
  ...(threadId !== undefined && { threadId }),
});

function catchUp(
  setting: IntakeSetting,
  conversations: readonly Conversation[],
  options: { since?: number; signal?: AbortSignal } = {},
) {
  const { host, workspaces, intake } = setting;
  const { since = Date.now() - 60_000, signal = new AbortController().signal } = options;
  const { clock, log } = host;
  return backfill({ since, signal, conversations, workspaces, clock, log, take: (body) => intake.take(body) });
}

describe('what was said while nobody listened', () => {
  test('is brought as if it came now, the oldest first, from chats and threads', async () => {
    const { setting, slack, direct } = await intakeSetting();
    const { ts: root } = await setting.hears(`<@${bot}> begin`);
    const said = [
      slack.say(general, 'in the thread', { from: ada, threadTs: root }),
      slack.say(general, `<@${bot}> new`, { from: bob }),
    ];
    const [, second] = said;
    said.push(slack.say(general, 'below the new one', { from: ada, threadTs: second?.ts ?? '' }));
    const directly = slack.say(direct, 'hello');
    await setting.workspaces.all[0]?.api.call('chat.postMessage', { channel: direct, text: 'my own' });

    await catchUp(setting, [conversation(general, root), conversation(direct), conversation(general)]);
    // What had come before is told again, and known by its key.
    expect([...new Set(setting.host.words)]).toEqual(['begin', 'in the thread', 'new', 'below the new one', 'hello']);
    const keys = new Set(setting.host.received.map(({ key }) => key));
    expect(keys.size).toBe(5);
    await setting.takes(...said, directly);
    expect(new Set(setting.host.received.map(({ key }) => key))).toEqual(keys);
  });

  test('is found in direct chats in which nobody has written before', async () => {
    const { setting, slack, direct } = await intakeSetting();
    slack.say(direct, 'known');
    const several = 'G00000009';
    slack.home.addChannel(several, { name: 'three of us', members: [ada, bob] });
    slack.say(slack.home.addDirect(bob), 'my first words');
    slack.say(several, `<@${bot}> our first words`, { from: bob });
    slack.say(general, `<@${bot}> hello`, { from: bob });
    await catchUp(setting, [conversation(direct)]);
    expect(setting.host.words).toEqual(['known', 'my first words', 'our first words']);
    expect(slack.callsOf('conversations.history')).toHaveLength(3);
  });

  test('is looked for in the newest fifty of them, however many pages they are on', async () => {
    const { setting, slack } = await intakeSetting();
    for (let number = 1; number <= 230; number += 1) {
      const id = `U9${String(number).padStart(7, '0')}`;
      slack.home.addPerson({ id, name: id });
      slack.home.addDirect(id);
    }
    const done = catchUp(setting, []);
    await waitUntil(
      () => {
        setting.host.clock.advance(2_000);
        return slack.callsOf('conversations.history').length === 50;
      },
      { what: 'the last chat' },
    );
    await done;
    expect(slack.callsOf('users.conversations')).toHaveLength(3);
    expect(slack.callsOf('conversations.history')).toHaveLength(50);
  });

  test('goes back to the moment that is given', async () => {
    const setting = await intakeSetting();
    setting.slack.say(setting.direct, 'long ago');
    await catchUp(setting, [conversation(setting.direct)], { since: Date.now() + 1_000 });
    expect(setting.host.words).toEqual([]);
    await catchUp(setting, [conversation(setting.direct, '1700000000.000100')], { since: 0 });
    expect(setting.host.words).toEqual(['long ago']);
  });

  test('is the latest fifty posts of each place', async () => {
    const setting = await intakeSetting();
    for (let number = 1; number <= 60; number += 1) setting.slack.say(setting.direct, `${number}`);
    await catchUp(setting, [conversation(setting.direct)]);
    expect(setting.host.words).toEqual(Array.from({ length: 50 }, (_, index) => `${index + 11}`));
  });

  test('is the latest fifty answers of a thread', async () => {
    const setting = await intakeSetting();
    const { ts: root } = await setting.hears(`<@${bot}> begin`);
    for (let number = 1; number <= 60; number += 1)
      setting.slack.say(general, `${number}`, { from: ada, threadTs: root });
    await catchUp(setting, [conversation(general, root)]);
    expect(setting.host.words.slice(-50)).toEqual(Array.from({ length: 50 }, (_, index) => `${index + 11}`));
  });

  test('is found beneath posts that are older, in threads in which nobody has talked with the bot', async () => {
    const { setting, slack, direct } = await intakeSetting();
    const { ts: old } = slack.say(direct, 'an old post');
    const { ts: quiet } = slack.say(direct, 'another old post');
    slack.say(direct, 'an old answer', { threadTs: quiet });
    const since = Number(slack.say(direct, 'the last that was heard').ts) * 1000;
    slack.say(direct, 'a new answer', { threadTs: old });
    await catchUp(setting, [conversation(direct, quiet)], { since });
    expect(setting.host.words).toEqual(['a new answer']);
    expect(new Set(slack.callsOf('conversations.replies').map(({ params }) => params.ts))).toEqual(new Set([old]));
  });

  test('waits where Slack asks for it, and goes on without what can not be read', async () => {
    const setting = await intakeSetting();
    setting.slack.say(setting.direct, 'hello');
    const ofGeneral = (params: Readonly<Record<string, unknown>>): boolean => params.channel === general;
    setting.slack.fault({ method: 'conversations.history', kind: 'error', error: 'not_in_channel', when: ofGeneral });
    setting.slack.fault({ method: 'conversations.history', kind: '429', retryAfter: 30, times: 1 });
    const done = catchUp(setting, [conversation(setting.direct), conversation(general), conversation('C00000002')]);
    await setting.slack.waitFor(() => setting.slack.faultsFired('429') === 1, { what: 'a refusal' });
    expect(setting.host.words).toEqual([]);
    await waitUntil(() => setting.slack.callsOf('conversations.history').length > 1, {
      what: 'a second try',
      meanwhile: () => setting.host.clock.advance(30_000),
    });
    expect(await done).toBe(true);
    expect(setting.host.words).toEqual(['hello']);
    expect(setting.host.logged.filter((line) => line.includes('meanwhile could'))).toHaveLength(2);
  });

  test.each(['stored', 'read'])('is told of as not complete if it could not be %s', async (deed) => {
    const setting = await intakeSetting();
    setting.slack.say(setting.direct, 'hello');
    if (deed === 'read') setting.slack.fault({ method: 'conversations.history', kind: 'status', status: 500 });
    setting.host.store = async () => {
      throw new Error('the disk is full');
    };
    let isWhole: boolean | undefined;
    void catchUp(setting, [conversation(setting.direct)]).then((result) => {
      isWhole = result;
    });
    await waitUntil(() => isWhole !== undefined, {
      what: 'the end of it',
      meanwhile: () => setting.host.clock.advance(5_000),
    });
    expect(isWhole).toBe(false);
  });

  test('is not asked for any more when the signal aborts', async () => {
    const setting = await intakeSetting();
    const controller = new AbortController();
    setting.slack.fault({ method: 'conversations.history', kind: 'hang' });
    const done = catchUp(setting, [conversation(setting.direct), conversation(general)], { signal: controller.signal });
    await setting.slack.waitFor(() => setting.slack.callsOf('conversations.history').length === 1);
    controller.abort();
    await done;
    expect(setting.slack.callsOf('conversations.history')).toHaveLength(1);
  });
});
