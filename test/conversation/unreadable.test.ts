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
