import { expect, test } from 'vitest';
import type { InboundEvent } from '../../../src/contract.ts';
import type { JsonValue } from '../../../src/lib/json.ts';
import { soundEvents } from '../../contracts/discord-rubbish.ts';
import { mutations } from '../../contracts/mutations.ts';
import { intakeSetting } from './intake-setting.ts';

const each = 200;

test('no dispatch can harm: nothing is rejected, nothing wrong is received, and what is sound is heard afterwards', async () => {
  const { setting, server, host, over } = await intakeSetting();
  const { guild, channel: channelId } = setting.addChannel();
  const threadId = server.people.startThread(channelId, 'plans');
  const ids = { directId: server.direct('1001'), guildId: guild.id, channelId, threadId };
  const sound = soundEvents(server, { userId: '1001', ...ids });
  // What is answered to presses is not the matter here.
  server.fault({ route: 'POST /interactions/:interaction/:token/callback', kind: 'status', status: 204, body: '' });
  for (const [event, payload] of sound) await setting.intake.take(event, payload);
  const conversationIn = ({ conversation }: InboundEvent): string =>
    JSON.stringify({ ...conversation, title: undefined });
  // Whose message was taken back, Discord does not say.
  const told = (): readonly InboundEvent[] => host.received.filter(({ type }) => type !== 'deletion');
  const right = new Set(told().map(conversationIn));
  for (const [event, payload] of sound) {
    const before = told().length;
    await Promise.all(mutations(payload, each).map((data) => setting.intake.take(event, data)));
    for (const received of told().slice(before)) {
      expect(right, event).toContain(conversationIn(received));
      expect(received.sender.id, event).toBe('1001');
      expect(received.key, event).toMatch(/^\d/);
    }
  }
  expect(host.received.length).toBeGreaterThan(4 * each);
  for (const [event, data] of nonsense(sound.map(([, payload]) => payload))) await setting.intake.take(event, data);
  const { channel } = setting.addChannel();
  expect(await setting.hears(channel, 'still there')).toMatchObject({ text: 'still there' });
  expect(await setting.hears(server.direct('1001'), 'here, too')).toMatchObject({ addressed: true });
  over.abort();
});

function nonsense(payloads: readonly JsonValue[]): readonly (readonly [string, unknown])[] {
  const names = [
    'MESSAGE_CREATE',
    'MESSAGE_UPDATE',
    'MESSAGE_DELETE',
    'INTERACTION_CREATE',
    'GUILD_CREATE',
    'NEVER',
    '',
  ];
  const values: readonly unknown[] = [undefined, null, 7, '', [], {}, new Date(Number.NaN), ...payloads];
  return names.flatMap((name) => values.map((value) => [name, value] as const));
}
