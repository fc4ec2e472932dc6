import { describe, expect, test } from 'vitest';
import type { ChannelFault } from '../../src/contract.ts';
import { newId } from '../../src/lib/ids.ts';
import { bobs, type DeliverySettingOptions, deliverySetting, home } from '../support/delivery-setting.ts';
import { offerOf, stubElsewhere, stubOf, unshownMessage } from '../support/said-stubs.ts';
import { originOf, said } from '../support/store-setting.ts';

describe('messages of a chat', () => {
  test('arrive in their order, one after the other', async () => {
    const { channel, whenIdle, say } = await deliverySetting();
    const texts = Array.from({ length: 12 }, (_, index) => `message ${index}`);
    await Promise.all(texts.map((text) => say(text)));
    await whenIdle('test:ada');
    expect(channel.textsIn('test:ada')).toEqual(texts);
  });

  test('and of its threads wait for each other, those of other chats do not', async () => {
    const { channel, clock, whenIdle, say, store } = await deliverySetting();
    const thread = { ...home, threadId: '7' };
    await store.inbox.accept(said(originOf('ada', thread), 'hello'));
    channel.failNext({ type: 'transient' });
    await say('first');
    await clock.waitsFor(500);
    await say('second', thread);
    await say('elsewhere', bobs);
    await whenIdle('test:bob');
    expect(channel.screen.map(({ text }) => text)).toEqual(['elsewhere']);
    clock.advance(500);
    await whenIdle('test:ada');
    expect(channel.screen.map(({ text }) => text)).toEqual(['elsewhere', 'first', 'second']);
  });

  test('that are longer than the platform takes are split, and none of it is sent twice after a fault', async () => {
    const { channel, clock, whenIdle, say } = await deliverySetting({ capabilities: { maxLength: 40 } });
    await say(`${'one '.repeat(8)}\n\n${'two '.repeat(8)}\n\n${'three '.repeat(6)}`, home);
    await whenIdle('test:ada');
    const parts = channel.screen.length;
    expect(parts).toBeGreaterThan(2);
    await whenIdle('test:ada');
    const release = channel.hold();
    await say(`${'one '.repeat(8)}\n\n${'two '.repeat(8)}\n\n${'three '.repeat(6)}`, home);
    release();
    await channel.changes.waitFor(() => channel.screen.length === parts + 1);
    channel.failNext({ type: 'transient' });
    await clock.passes(500);
    await whenIdle('test:ada');
    expect(channel.textsIn('test:ada').slice(parts)).toEqual(channel.textsIn('test:ada').slice(0, parts));
  });

  test('that answer another one answer it with their first part alone', async () => {
    const { channel, whenIdle, say } = await deliverySetting({ capabilities: { maxLength: 40 } });
    await say(`${'one '.repeat(8)}\n\n${'two '.repeat(8)}`, home, { replyTo: '7' });
    await whenIdle();
    expect(channel.screen.map(({ replyTo }) => replyTo)).toEqual(['7', undefined]);
  });

  test('are held if it moves again and again, and offered once it takes something', async () => {
    const { channel, moves, rows, whenIdle, say } = await deliverySetting();
    for (let tries = 0; tries < 6; tries += 1) channel.failNext({ type: 'moved', chatId: 'elsewhere' });
    await say('never there');
    await whenIdle();
    expect(moves).toEqual(Array.from({ length: 3 }, () => 'ada → elsewhere'));
    expect(rows('SELECT DISTINCT state FROM outbox')).toEqual([{ state: 'failed' }]);
    channel.recover();
    await say('there at last');
    await whenIdle();
    expect(channel.textsIn('test:ada')).toEqual(['there at last', expect.stringMatching(offerOf())]);
  });

  test('each part has an id of its own, the same at every try', async () => {
    const { channel, clock, whenIdle, say } = await deliverySetting({ capabilities: { maxLength: 40 } });
    channel.failNext({ type: 'transient' });
    await say(`${'one '.repeat(8)}\n\n${'two '.repeat(8)}`, home);
    await clock.passes(500);
    await whenIdle('test:ada');
    const ids = channel.traffic.map(({ id }) => id ?? '');
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]{1,25}$/);
  });
});

describe('what the platform refuses', () => {
  test.each<[ChannelFault, number]>([
    [{ type: 'transient' }, 500],
    [{ type: 'rate-limited', retryAfter: 1234 }, 1234],
    [{ type: 'ambiguous' }, 3000],
    [{ type: 'auth' }, 5000],
    [{ type: 'rate-limited', retryAfter: 0 }, 1000],
    [{ type: 'rate-limited', retryAfter: -1 }, 1000],
    [{ type: 'rate-limited', retryAfter: Number.NaN }, 1000],
    [{ type: 'rate-limited', retryAfter: 1e12 }, 900_000],
    [{ type: 'rate-limited', retryAfter: Number.POSITIVE_INFINITY }, 900_000],
  ])('%j is tried again after %i ms', async (fault, pause) => {
    const { channel, clock, whenIdle, say } = await deliverySetting({ settings: { lateAfter: 3_600_000 } });
    channel.failNext(fault);
    await say('hello');
    await clock.waitsFor(pause);
    clock.advance(pause - 1);
    expect(channel.screen).toEqual([]);
    clock.advance(1);
    await whenIdle('test:ada');
    expect(channel.textsIn('test:ada')).toEqual(['hello']);
  });

  test('for good is parked at once, and the next message arrives', async () => {
    const { channel, whenIdle, say, told } = await deliverySetting();
    channel.failNext({ type: 'permanent' }, { says: 'bad', lasts: true });
    await say('bad', home, { kind: 'reply' });
    await say('good', home, { kind: 'reply' });
    await whenIdle('test:ada');
    expect(channel.textsIn('test:ada')).toEqual([
      expect.stringMatching(stubOf({ what: unshownMessage('reply', 3), why: 'the platform is permanent' })),
      'good',
    ]);
    expect(told).toEqual([expect.stringMatching(stubElsewhere('`test:ada`'))]);
  });

  test('for good, where nothing can be shown in its place, waits with the reason and is offered later', async () => {
    const { channel, whenIdle, say, rows } = await deliverySetting();
    channel.failNext({ type: 'permanent' });
    channel.failNext({ type: 'permanent' });
    await say('bad');
    await say('good');
    await whenIdle('test:ada');
    expect(channel.textsIn('test:ada')).toEqual(['good', expect.stringMatching(offerOf())]);
    expect(rows('SELECT markdown, state, failure FROM outbox WHERE stub_of IS NULL ORDER BY seq')).toEqual([
      { markdown: 'bad', state: 'failed', failure: 'the platform is permanent' },
      { markdown: 'good', state: 'delivered', failure: null },
    ]);
  });

  const more = { type: 'transient' } as const;
  test.each<[string, readonly number[], readonly ChannelFault[]]>([
    // With the last two it looks whether the platform takes anything there.
    [
      'again and again is tried ever more seldom, up to a limit',
      [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000],
      Array.from({ length: 10 }, () => more),
    ],
    [
      'with "at once" each time is tried ever more seldom',
      [1000, 1000, 2000, 4000, 8000, 16_000, 30_000],
      Array.from({ length: 7 }, () => ({ type: 'rate-limited', retryAfter: 0 })),
    ],
    [
      'is not given up for one lost answer, however long the platform was away before',
      [500, 1000, 2000, 4000, 8000, 16_000, 30_000],
      [more, more, more, more, more, { type: 'ambiguous' }, more],
    ],
  ])('%s', async (_what, pauses, faults) => {
    const { channel, clock, whenIdle, say, rows } = await deliverySetting();
    for (const fault of faults) channel.failNext(fault);
    await say('hello');
    for (const pause of pauses) await clock.passes(pause);
    await whenIdle('test:ada');
    expect(rows('SELECT state FROM outbox WHERE stub_of IS NULL')).toEqual([{ state: 'delivered' }]);
    expect(channel.textsIn('test:ada')).toEqual(['hello']);
  });

  test('on both tracks of a chat is tried again in its order', async () => {
    const { channel, clock, whenIdle, say } = await deliverySetting();
    channel.failNext({ type: 'transient' }, { says: 'first', lasts: true });
    channel.failNext({ type: 'transient' }, { says: 'second', lasts: true });
    await say('first', home, { kind: 'reply' });
    await clock.waitsFor(500);
    await say('second');
    for (const pause of [500, 1000, 2000]) await clock.passes(pause);
    // What has waited for five seconds goes before it, and fails, too.
    await clock.passes(1500);
    await clock.waitsFor(500);
    channel.recover();
    clock.advance(500);
    await whenIdle('test:ada');
    expect(channel.textsIn('test:ada')).toEqual(['first', 'second']);
  });

  test('for now, with a time, is held to that time, whatever else the platform takes meanwhile', async () => {
    const { channel, clock, whenIdle, say } = await deliverySetting();
    channel.failNext({ type: 'rate-limited', retryAfter: 60_000 }, { in: 'test:ada' });
    await say('patient');
    await clock.waitsFor(60_000);
    await say('elsewhere', bobs);
    await whenIdle('test:bob');
    clock.advance(59_999);
    await clock.waitsFor(60_000);
    expect(channel.textsIn('test:ada')).toEqual([]);
    clock.advance(1);
    await whenIdle('test:ada');
    expect(channel.textsIn('test:ada')).toEqual(['patient']);
  });

  test('a stop interrupts the waiting, and the message stays stored', async () => {
    const { channel, clock, stop, say, rows } = await deliverySetting();
    channel.failNext({ type: 'transient' });
    await say('hello');
    await clock.waitsFor(500);
    await stop();
    expect(rows('SELECT state FROM outbox')).toEqual([{ state: 'queued' }]);
  });
});

test('only what was written before this process began may stand on the platform already', async () => {
  const { channel, clock, say, whenIdle, restart } = await deliverySetting();
  const since: (readonly [string, number | undefined])[] = [];
  const send = channel.send.bind(channel);
  channel.send = (to, message) => {
    since.push([message.markdown, message.mayStandSince]);
    return send(to, message);
  };
  channel.failNext({ type: 'transient' }, { says: 'left', lasts: true });
  await say('own');
  await say('left');
  const written = clock.now();
  await clock.waitsFor(500);
  clock.advance(100);
  channel.recover();
  await restart();
  await say('newer');
  await whenIdle();
  expect(since).toEqual([
    ['own', undefined],
    ['left', undefined],
    ['left', written],
    ['newer', undefined],
  ]);
});

/** A message of three parts. */
const long = ['one '.repeat(8), 'two '.repeat(8), 'three '.repeat(5)].join('\n\n');

async function onceSetting(options: DeliverySettingOptions = {}) {
  const setting = await deliverySetting(options);
  return {
    ...setting,
    async sayOnce(markdown: string): Promise<string> {
      const id = newId(20);
      await setting.store.outbox.sayOnce('test:ada', { id, kind: 'for_user', markdown }, setting.clock.now());
      setting.wake();
      return id;
    },
    seen: () => setting.channel.textsIn('test:ada'),
    fateOf: (id: string) => setting.store.outbox.fateOf(id),
  };
}

describe('a message that is sent once at most', () => {
  test('arrives as any other', async () => {
    const { sayOnce, whenIdle, seen, fateOf, restart } = await onceSetting({ capabilities: { maxLength: 40 } });
    const id = await sayOnce(long);
    await whenIdle();
    expect(seen()).toHaveLength(3);
    expect(await fateOf(id)).toEqual({ type: 'delivered' });
    await restart();
    await whenIdle();
    expect(seen()).toHaveLength(3);
  });

  test.each([true, false])(
    'is not sent again when its answer was lost (shown: %s), and the next one arrives',
    async (isShown) => {
      const { sayOnce, say, whenIdle, seen, fateOf, channel, rows } = await onceSetting();
      channel.failNext({ type: 'ambiguous' }, { isShown });
      const id = await sayOnce('hello');
      await say('next');
      await whenIdle();
      expect(seen()).toEqual(isShown ? ['hello', 'next'] : ['next']);
      expect(await fateOf(id)).toEqual({ type: 'unknown' });
      expect(rows(`SELECT state, failure FROM outbox WHERE id = '${id}'`)).toEqual([
        { state: 'failed', failure: 'outcome unknown: the platform is ambiguous' },
      ]);
    },
  );

  test.each([
    [{ type: 'transient' }, 500],
    [{ type: 'rate-limited', retryAfter: 1000 }, 1000],
  ] as const)(
    'is tried again where the platform has not done it (%j), also by the next process',
    async (fault, pause) => {
      const { sayOnce, whenIdle, seen, fateOf, channel, clock, restart } = await onceSetting();
      channel.failNext(fault);
      channel.failNext(fault);
      const id = await sayOnce('hello');
      await clock.waitsFor(pause);
      expect(await fateOf(id)).toEqual({ type: 'waiting' });
      await restart();
      await clock.passes(1000);
      await whenIdle();
      expect(seen()).toEqual(['hello']);
      expect(await fateOf(id)).toEqual({ type: 'delivered' });
    },
  );

  test('is refused for good with the reason of the platform', async () => {
    const { sayOnce, whenIdle, fateOf, channel } = await onceSetting();
    channel.failNext({ type: 'permanent' });
    const id = await sayOnce('hello');
    await whenIdle();
    expect(await fateOf(id)).toEqual({ type: 'refused', reason: 'the platform is permanent' });
  });

  test('is not sent again by a process that finds it under way', async () => {
    const { sayOnce, whenIdle, seen, fateOf, diesAfter } = await onceSetting();
    const died = diesAfter(1);
    const id = await sayOnce('hello');
    await died;
    await whenIdle();
    expect(seen()).toEqual(['hello']);
    expect(await fateOf(id)).toEqual({ type: 'unknown' });
  });

  test('of several parts is gone on with after those that are known to have arrived', async () => {
    const { sayOnce, whenIdle, seen, fateOf, channel, clock, restart } = await onceSetting({
      capabilities: { maxLength: 40 },
    });
    channel.failNext({ type: 'transient' }, { says: 'two' });
    const id = await sayOnce(long);
    await clock.waitsFor(500);
    await restart();
    await whenIdle();
    expect(seen().map((text) => text.slice(0, 3))).toEqual(['one', 'two', 'thr']);
    expect(await fateOf(id)).toEqual({ type: 'delivered' });
  });

  test('of several parts ends with the one whose answer was lost', async () => {
    const { sayOnce, whenIdle, seen, fateOf, channel } = await onceSetting({ capabilities: { maxLength: 40 } });
    channel.failNext({ type: 'ambiguous' }, { says: 'two', isShown: true });
    const id = await sayOnce(long);
    await whenIdle();
    expect(seen().map((text) => text.slice(0, 3))).toEqual(['one', 'two']);
    expect(await fateOf(id)).toEqual({ type: 'unknown' });
  });

  test('is on disk as being sent before anything of it is sent', async () => {
    const { sayOnce, whenIdle, seen, channel, rows } = await onceSetting();
    const release = channel.hold();
    const id = await sayOnce('hello');
    const state = `SELECT at_most_once FROM outbox WHERE id = '${id}'`;
    await expect.poll(() => rows(state)).toEqual([{ at_most_once: 'sending' }]);
    expect(seen()).toEqual([]);
    release();
    await whenIdle();
    expect(seen()).toEqual(['hello']);
  });
});
