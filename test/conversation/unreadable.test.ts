import { expect, test } from 'vitest';
import { attachmentWords } from '../../src/conversation/attachments/words.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';

test('a message of a kind that is not known gets one line, and is not put to the model', async () => {
  const { channel, model } = await daemonSetting();
  await channel.say('', { key: 'k1', unreadable: 'a gift' });
  await channel.say('', { key: 'k1', unreadable: 'a gift' });
  await channel.sees(attachmentWords.en.unreadable({ what: 'a gift' }));
  await channel.whenIdle();
  expect(channel.screen).toHaveLength(1);
  expect(model.requests).toEqual([]);
});

test('in a group it gets one only if it is for the bot', async () => {
  const { channel } = await daemonSetting();
  await channel.say('', { in: group, addressed: false, unreadable: 'a gift' });
  await channel.whenIdle(group);
  expect(channel.screen).toEqual([]);
  await channel.say('', { in: group, unreadable: 'a gift' });
  await channel.sees(attachmentWords.en.unreadable({ what: 'a gift' }));
});

test('a kind is told of once a day in each chat, and another kind at once', async () => {
  const { channel, clock } = await daemonSetting();
  const told = (what: string) =>
    channel.screen.filter(({ text }) => text === attachmentWords.en.unreadable({ what })).length;
  for (const unreadable of ['a gift', 'a gift', 'a poll', 'a gift']) await channel.say('', { unreadable });
  await channel.whenIdle();
  expect([told('a gift'), told('a poll')]).toEqual([1, 1]);
  clock.advance(24 * 3_600_000);
  await channel.say('', { unreadable: 'a gift' });
  await channel.whenIdle();
  expect(told('a gift')).toBe(2);
});
