import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { type DeliverySettingOptions, deliverySetting } from '../support/delivery-setting.ts';

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
