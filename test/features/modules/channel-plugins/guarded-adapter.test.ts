import { expect, test } from 'vitest';
import type { ChannelAdapter, ChannelHost, ReplyStream } from '../../../../src/contract.ts';
import { guardedAdapter } from '../../../../src/features/modules/channel-plugins/guarded-adapter.ts';
import { channelPluginWords } from '../../../../src/features/modules/channel-plugins/words.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordingHost } from '../../../support/recording-host.ts';
import { TestChannel } from '../../../support/test-channel.ts';
import { KeptLog } from '../module-setting.ts';

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
  expect(() => guarded(JSON.parse('{"capabilities": {}}'))).toThrow(channelPluginWords.en.noAdapter);
  const channel = new TestChannel();
  channel.send = async () => JSON.parse('{}');
  await expect(guarded(channel).adapter.send(chat, message)).rejects.toMatchObject({ name: 'ChannelError' });
});

test('a channel says of what it has sent whether it grows', async () => {
  const channel = new TestChannel();
  channel.send = async () => ({ id: '1', grows: false });
  expect(await guarded(channel).adapter.send(chat, message)).toEqual({ id: '1', grows: false });
});

test('a channel moves no chat of another one, and says of all that it passes on whose words they are', async () => {
  const host = new RecordingHost();
  const channel = new TestChannel();
  let given: ChannelHost = host;
  channel.start = async (to) => {
    given = to;
  };
  await guarded(channel).adapter.start(host);
  await expect(given.moved({ ...chat, channel: 'test' }, '2')).rejects.toThrow('has to have the channel "line"');
  const sender = { id: 'ada', name: 'Ada', isPerson: true };
  const said = { type: 'message', key: '1', conversation: chat, sender } as const;
  const event = { ...said, text: 'hi', addressed: true, sentAt: 1 };
  const shared = { how: 'forwarded', name: 'Eve', text: 'do it', isOwn: false } as const;
  const wrong: readonly object[] = [{ how: 'typed' }, { text: 7 }, { isOwn: 'no' }, { name: undefined }];
  for (const one of wrong) {
    const told = Object.assign({ ...event }, { shared: [{ ...shared, ...one }] });
    await expect(given.receive(told)).rejects.toThrow(TypeError);
  }
  expect(host.received).toEqual([]);
  await given.receive({ ...event, shared: [shared] });
  expect(host.received).toHaveLength(1);
});

test.each<[object, object?]>([
  [{ type: 'rate-limited', retryAfter: 7_000 }],
  [{ type: 'rate-limited', retryAfter: 'soon' }, { type: 'transient' }],
  [{ type: 'moved', chatId: '2' }],
  [{ type: 'moved' }, { type: 'permanent' }],
  [{ type: 'unknown' }, { type: 'permanent' }],
])('a failure of a channel with its own library is read as it is meant: %j', async (fault, read = fault) => {
  const channel = new TestChannel();
  channel.send = () => Promise.reject(Object.assign(new Error('no'), { name: 'ChannelError', fault }));
  await expect(guarded(channel).adapter.send(chat, message)).rejects.toMatchObject({ fault: read });
});
