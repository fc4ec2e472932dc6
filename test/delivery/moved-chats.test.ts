import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../src/contract.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { nextAnswer } from '../conversation/writing-setting.ts';
import { deploySetting } from '../engine/deploy-setting.ts';
import { type DaemonSetting, type DaemonSettingOptions, group } from '../support/daemon-setting.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call } from '../support/scripted-model.ts';
import type { TestChannel } from '../support/test-channel.ts';
import { waitUntil } from '../support/wait-for.ts';

const inTeam = { config: { channels: { test: { groups: { team: {} } } } } } as const;
const moved: Conversation = { ...group, chatId: 'super' };
const half = 'The first half of a long answer stands here.';
const whole = `${half} And this is the second half, as long as the first.`;

/** The two notices of Telegram: in the old group, and in the new one. Both say the same. */
const orders = [
  ['is told in both chats', 2],
  ['is told in one of them', 1],
  ['is told by the refusals alone', 0],
] as const;

async function upgrade({ channel }: DaemonSetting, notices: number): Promise<void> {
  channel.upgrade('team', 'super');
  for (let times = 0; times < notices; times += 1) await channel.move(group, 'super');
}

async function teamSetting(options: DaemonSettingOptions = {}) {
  const setting = await deploySetting({ ...inTeam, ...options });
  await setting.channel.ask('hi', 'hi', { in: group, at: 'test:team' });
  await setting.channel.whenIdle(group);
  return setting;
}

/** Lets time pass until people see this there. */
async function sooner(
  { channel, clock }: Pick<DaemonSetting, 'channel' | 'clock'>,
  words: string,
  conversationId: string,
) {
  const isSeen = (): boolean => channel.textsIn(conversationId).some((text) => text.includes(words));
  const look = (): boolean => {
    if (!isSeen()) clock.advance(250);
    return isSeen();
  };
  await waitUntil(look, { what: `${conversationId} to show ${words}` });
}

async function isOver({ setting, channel }: { readonly setting: DaemonSetting; readonly channel: TestChannel }) {
  await channel.whenIdle(group);
  expect(setting.rows(`SELECT id, state, failure FROM outbox WHERE state <> 'delivered'`)).toEqual([]);
}

describe('where a group gets another id', () => {
  describe.each(orders)('and that %s', (_how, notices) => {
    test.each([
      ['while it is written', false],
      ['when it is complete', true],
    ])('a reply that grows there goes on in the new chat: %s', async (_when, isComplete) => {
      const it = await teamSetting();
      const { setting, channel, clock } = it;
      const answer = nextAnswer(setting);
      await channel.say('tell me', { in: group });
      await answer.write(half);
      clock.advance(1500);
      await channel.sees(half, 'test:team');
      await upgrade(setting, notices);
      await answer.write(whole.slice(half.length));
      if (!isComplete) await sooner(it, whole, 'test:super');
      await answer.end();
      await channel.sees(whole, 'test:super');
      await isOver(it);
      expect(channel.textsIn('test:super')).toEqual([whole]);
    });

    test('a reply that the platform itself shows while it grows is sent whole to the new chat', async () => {
      const it = await teamSetting({ channel: { streams: true } });
      const { setting, channel } = it;
      const answer = nextAnswer(setting);
      await channel.say('tell me', { in: group });
      await answer.write(half);
      await channel.sees(half, 'test:team');
      await upgrade(setting, notices);
      await answer.write(whole.slice(half.length));
      await answer.end();
      await channel.sees(whole, 'test:super');
      await isOver(it);
      expect(channel.textsIn('test:super')).toEqual([whole]);
    });

    test('what tools do is shown there from then on, and ends there', async () => {
      const { promise: goesOn, resolve: release } = Promise.withResolvers<void>();
      const tool = new RecordingTool('slow', 'filesystem_read', async () => {
        await goesOn;
        return llmOnly('done');
      });
      const it = await teamSetting({ channel: { needsCards: true }, tools: [tool.registration] });
      const { setting, model, channel } = it;
      model.next([call('slow', { what: 'work' })], 'all done');
      await channel.say('begin', { in: group });
      await sooner(it, '⚙️ `slow`', 'test:team');
      await upgrade(setting, notices);
      release();
      await sooner(it, '✔️ `slow`', 'test:super');
      await channel.sees('all done', 'test:super');
      await isOver(it);
    });

    test('a card that asks there counts where it is pressed, and says in the new chat what was decided', async () => {
      const it = await teamSetting();
      const { setting, model, channel, deploy } = it;
      model.next([call('deploy', { what: 'site' })], 'it is out');
      const card = await channel.cardFor('deploy', { in: group, at: 'test:team' });
      await upgrade(setting, notices);
      await channel.press(card, { in: group, on: card.ref });
      await channel.sees('it is out', 'test:super');
      await isOver(it);
      expect(deploy.executed).toEqual(['site']);
      expect(channel.textsIn('test:super')).toEqual([expect.stringContaining('allowed it'), 'it is out']);
      expect(setting.rows(`SELECT twins FROM outbox WHERE twins <> '[]'`)).toEqual([]);
    });
  });

  test('a card that asks is shown there again, and the message that has its number there is left alone', async () => {
    const it = await teamSetting();
    const { setting, model, channel, deploy } = it;
    model.next([call('deploy', { what: 'site' })], 'it is out');
    const old = await channel.cardFor('deploy', { in: group, at: 'test:team' });
    await upgrade(setting, 1);
    const card = await channel.card('test:super');
    expect(card.ref).not.toBe(old.ref);
    await channel.press(card, { in: moved });
    await channel.sees('it is out', 'test:super');
    await isOver(it);
    expect(deploy.executed).toEqual(['site']);
    expect(channel.traffic.filter(({ type, ref }) => type === 'edit' && ref === old.ref)).toEqual([]);
  });
});
