import { describe, expect, test } from 'vitest';
import { Marks } from '../../../channels/discord/outgoing/marks.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { outgoingSetting } from './outgoing-setting.ts';

describe('a mark', () => {
  test('takes the place of the one that was there', async () => {
    await using setting = await outgoingSetting();
    const { server, marks, channel, channelId } = setting;
    const { id } = server.say(channelId, 'hi');
    for (const [mark, emoji] of [
      ['seen', '👀'],
      ['working', '⏳'],
      ['done', '✅'],
    ] as const) {
      await marks.show(channel, id, mark);
      expect(server.chat(channelId)[0]?.reactions).toEqual([emoji]);
    }
    expect(server.calls).toHaveLength(5);
  });

  test('takes the place of one of a former process', async () => {
    await using setting = await outgoingSetting();
    const { server, api, marks, channel, channelId } = setting;
    const { id } = server.say(channelId, 'hi');
    await marks.show(channel, id, 'working');
    await new Marks({ api, clock: systemClock }).show(channel, id, 'done');
    expect(server.chat(channelId)[0]?.reactions).toEqual(['✅']);
  });

  test('waits a moment where Discord takes no two reactions at once', async () => {
    await using setting = await outgoingSetting();
    const { server, marks, channel, channelId } = setting;
    const { id } = server.say(channelId, 'hi');
    await marks.show(channel, id, 'seen');
    server.fault({ route: '*', kind: '429', retryAfter: 0.05, times: 1 });
    await marks.show(channel, id, 'done');
    expect(server.chat(channelId)[0]?.reactions).toEqual(['✅']);
  });
});
