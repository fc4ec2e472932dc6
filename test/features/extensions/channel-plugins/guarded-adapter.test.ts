import { expect, test } from 'vitest';
import { guardedAdapter } from '../../../../src/features/extensions/channel-plugins/guarded-adapter.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { TestChannel } from '../../../support/test-channel.ts';
import { KeptLog } from '../module/module-setting.ts';

test('a message that a channel never answers for is given up after five minutes, and may have arrived', async () => {
  const clock = new ManualClock();
  const channel = new TestChannel();
  channel.send = () => new Promise(() => {});
  const adapter = guardedAdapter('line', channel, { log: new KeptLog(), clock });
  const message = { id: 'm1', kind: 'reply', markdown: 'hello' } as const;
  const sent = adapter.send({ channel: 'line', chatId: '1', kind: 'direct' }, message).catch((error: unknown) => error);
  clock.advance(300_000);
  expect(await sent).toMatchObject({ name: 'ChannelError', fault: { type: 'ambiguous' } });
});
