import { describe, test } from 'vitest';
import { waitUntil } from '../../support/wait-for.ts';
import { outgoingSetting } from './outgoing-setting.ts';

describe('a mark', () => {
  test('waits a moment where Discord takes no two reactions at once', async () => {
    await using setting = await outgoingSetting();
    const { server, clock, marks, channel, channelId } = setting;
    const { id } = server.say(channelId, 'hi');
    await marks(channel, id, 'seen');
    server.fault({ route: '*', kind: '429', retryAfter: 0.05, times: 1 });
    const shown = marks(channel, id, 'done');
    await server.waitFor(() => server.faultsFired('429') === 1);
    await waitUntil(() => server.chat(channelId)[0]?.reactions.join() === '✅', {
      meanwhile: () => clock.advance(500),
    });
    await shown;
  });
});
