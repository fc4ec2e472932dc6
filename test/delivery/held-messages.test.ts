import { describe, expect, test } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';
import { bobs, deliverySetting, home } from '../support/delivery-setting.ts';
import { newFile } from '../support/new-folder.ts';
import { buttonOf } from '../support/platform-traffic.ts';
import { offerOf, unshownMessage } from '../support/said-stubs.ts';
import { originOf, said } from '../support/store-setting.ts';
import type { TestChannel } from '../support/test-channel.ts';

const offer = offerOf();

function refusesAll(channel: TestChannel, conversationId = 'test:ada'): void {
  channel.failNext({ type: 'permanent' }, { in: conversationId, lasts: true });
}

const threaded = { ...home, threadId: '7' };

describe('what a chat has refused, stub and all, while it took nothing', () => {
  test('is offered there when it takes something again, also after a restart, and shown by a press', async () => {
    const { setting, channel } = await daemonSetting({ allowFrom: ['bob'] });
    await channel.ask('hello', 'echo: hello', { by: 'bob', at: 'test:bob' });
    refusesAll(channel, 'test:bob');
    await channel.say('while blocked', { by: 'bob' });
    await channel.whenIdle(bobs);
    expect(channel.textsIn('test:bob')).toEqual(['echo: hello']);
    await setting.restart();
    channel.recover();
    await channel.ask('I am back', 'echo: I am back', { by: 'bob', at: 'test:bob' });
    const stub = await channel.sees(offer, 'test:bob');
    expect(stub.text).toMatch(offerOf(unshownMessage('reply', 'echo: while blocked'.length)));
    await channel.press(buttonOf(stub, 'Show it'), { by: 'bob' });
    await channel.sees('echo: while blocked', 'test:bob');
    await channel.whenIdle(bobs);
    expect(channel.textsIn('test:bob')).toHaveLength(4);
    expect((await channel.sees(/^🔁 Tried again for bob/i, 'test:bob')).buttons).toEqual([]);
  });

  test('is offered once: five of it at most, the newest', async () => {
    const { channel, say, whenIdle, restart, wake } = await deliverySetting();
    refusesAll(channel);
    for (let count = 1; count <= 8; count += 1) await say('x'.repeat(count), home, { kind: 'reply' });
    await whenIdle();
    channel.recover();
    await say('welcome', home, { kind: 'reply' });
    await whenIdle();
    const offers = channel.textsIn('test:ada').filter((text) => offer.test(text));
    expect(offers.map((text) => /\d+ characters/.exec(text)?.[0])).toEqual(
      [4, 5, 6, 7, 8].map((n) => `${n} characters`),
    );
    await say('and more', home, { kind: 'reply' });
    await whenIdle();
    expect(channel.textsIn('test:ada').filter((text) => offer.test(text))).toHaveLength(5);
    await restart();
    wake();
    await whenIdle();
    expect(channel.textsIn('test:ada').filter((text) => offer.test(text))).toHaveLength(5);
  });

  test('in a thread is offered when the chat takes something elsewhere, and not again if the thread refuses that', async () => {
    const { channel, say, whenIdle, store, rows } = await deliverySetting();
    await store.inbox.accept(said(originOf('ada', threaded), 'hello'));
    refusesAll(channel, 'test:ada:#7');
    await say('lost', threaded, { kind: 'reply' });
    await whenIdle();
    const asked = (): number => channel.traffic.filter(({ conversationId }) => conversationId === 'test:ada:#7').length;
    expect(asked()).toBe(2);
    for (const text of ['one', 'two', 'three']) await say(text, home, { kind: 'reply' });
    await whenIdle();
    expect(asked()).toBe(3);
    expect(rows(`SELECT state FROM outbox WHERE state = 'queued'`)).toEqual([]);
    channel.recover();
    await say('open again', threaded, { kind: 'reply' });
    await whenIdle();
    expect(channel.textsIn('test:ada:#7')).toEqual(['open again', expect.stringMatching(offer)]);
  });

  test('keeps its files until then', async () => {
    const { channel, share, say, whenIdle, store } = await deliverySetting();
    refusesAll(channel);
    const id = await share('here', [
      { name: 'a.txt', mediaType: 'text/plain', path: await newFile('content', 'a.txt') },
    ]);
    await whenIdle();
    expect(await store.files.owners()).toEqual([id]);
    channel.recover();
    await say('welcome');
    await whenIdle();
    expect(channel.textsIn('test:ada')[1]).toContain('`a.txt`');
  });

  test('is neither what tools did nor what became of a card', async () => {
    const { channel, say, whenIdle } = await deliverySetting();
    refusesAll(channel);
    await say('✅ `shell`', home, { kind: 'status' });
    await say('Approved', home, { kind: 'card' });
    await whenIdle();
    channel.recover();
    await say('welcome');
    await whenIdle();
    expect(channel.textsIn('test:ada')).toEqual(['welcome']);
  });
});

test('a stub that can be changed no more gets no stub of its own, and holds up nothing', async () => {
  const { channel, say, whenIdle, store, clock, wake, rows } = await deliverySetting();
  channel.failNext({ type: 'permanent' }, { says: 'bad' });
  await say('bad', home, { kind: 'reply' });
  await whenIdle();
  refusesAll(channel);
  const [stub] = rows(`SELECT id FROM outbox WHERE stub_of IS NOT NULL`).map(({ id }) => String(id));
  const effect = store.effects.unpark({
    verb: 'drop',
    anywhere: false,
    words: () => '🗑 Dropped.',
    stubId: stub ?? '',
  });
  const origin = originOf('ada', home);
  await store.inbox.obey({ origin, name: 'drop', effect, answer: () => undefined, at: clock.now() });
  wake();
  await whenIdle();
  expect(rows(`SELECT count(*) AS count FROM outbox WHERE stub_of IS NOT NULL OR state = 'queued'`)).toEqual([
    { count: 1 },
  ]);
});
