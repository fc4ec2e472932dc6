import { expect, test } from 'vitest';
import type { ChannelAdapter, ReplyStream } from '../../../../src/contract.ts';
import { guardedAdapter } from '../../../../src/features/extensions/channel-plugins/guarded-adapter.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { TestChannel } from '../../../support/test-channel.ts';
import { KeptLog } from '../module/module-setting.ts';

const chat = { channel: 'line', chatId: '1', kind: 'direct' } as const;
const message = { id: 'm1', kind: 'reply', markdown: 'hello' } as const;

function guarded(channel: ChannelAdapter) {
  const clock = new ManualClock();
  return { clock, adapter: guardedAdapter('line', channel, { log: new KeptLog(), clock }) };
}

test('a message that a channel never answers for is given up after five minutes, and may have arrived', async () => {
  const channel = new TestChannel();
  channel.send = () => new Promise(() => {});
  const { adapter, clock } = guarded(channel);
  const sent = adapter.send(chat, message).catch((error: unknown) => error);
  clock.advance(300_000);
  expect(await sent).toMatchObject({ name: 'ChannelError', fault: { type: 'ambiguous' } });
});

test('a preview of a channel that breaks fails as its messages do, and what we cannot store is no fault of the channel', async () => {
  const broken = (): never => {
    throw new Error('broken');
  };
  const stream: ReplyStream = { push: broken, cancel: broken, finish: (_parts, shown) => shown({ id: '1' }) };
  const channel = new TestChannel();
  channel.openStream = () => stream;
  const opened = guarded(channel).adapter.openStream?.(chat);
  expect(() => opened?.push('x')).not.toThrow();
  await expect(opened?.cancel()).rejects.toMatchObject({ name: 'ChannelError' });
  const full = new Error('The disk is full.');
  await expect(opened?.finish([message], () => Promise.reject(full))).rejects.toBe(full);
  stream.finish = broken;
  await expect(opened?.finish([message], async () => {})).rejects.toMatchObject({ name: 'ChannelError' });
});

test('what is no adapter is refused, and a message without an id was not sent', async () => {
  expect(() => guarded(JSON.parse('{"capabilities": {}}'))).toThrow('it lacks measure, start, stop or send');
  const channel = new TestChannel();
  channel.send = async () => JSON.parse('{}');
  await expect(guarded(channel).adapter.send(chat, message)).rejects.toMatchObject({ name: 'ChannelError' });
});
