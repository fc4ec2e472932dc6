import { describe, expect, test } from 'vitest';
import { discordMarks } from '../../../channels/discord/index.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { outgoingSetting } from './outgoing-setting.ts';

describe('a mark', () => {
  test('takes the place of one of a former process', async () => {
    await using setting = await outgoingSetting();
    const { server, api, clock, marks, channel, channelId } = setting;
    const { id } = server.say(channelId, 'hi');
    await marks.show(channel, id, 'working');
    await discordMarks(api, clock).show(channel, id, 'done');
    expect(server.chat(channelId)[0]?.reactions).toEqual(['✅']);
  });

  test('waits a moment where Discord takes no two reactions at once', async () => {
    await using setting = await outgoingSetting();
    const { server, clock, marks, channel, channelId } = setting;
    const { id } = server.say(channelId, 'hi');
    await marks.show(channel, id, 'seen');
    server.fault({ route: '*', kind: '429', retryAfter: 0.05, times: 1 });
    const shown = marks.show(channel, id, 'done');
    await server.waitFor(() => server.faultsFired('429') === 1);
    await waitUntil(() => server.chat(channelId)[0]?.reactions.join() === '✅', {
      meanwhile: () => clock.advance(500),
    });
    await shown;
  });
});
