import { describe, expect, test } from 'vitest';
import { createHealthBoard, type HealthBoard } from '../../src/conversation/health/health-board.ts';
import type { Log } from '../../src/lib/log.ts';
import { ManualClock } from '../support/manual-clock.ts';

function board(): { readonly board: HealthBoard; readonly clock: ManualClock; readonly lines: readonly object[] } {
  const clock = new ManualClock(0);
  const lines: object[] = [];
  const write = (level: string) => (fields: object, message: string) => lines.push({ level, message, ...fields });
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => log,
  };
  return { board: createHealthBoard({ clock, log }), clock, lines };
}

describe('what is known of a channel', () => {
  test('is since when it is so, and when that was last said', () => {
    const { board: health, clock } = board();
    health.report('test', { status: 'connected' });
    clock.advance(1000);
    health.report('test', { status: 'connected', account: '@keys' });
    expect(health.of('test')).toEqual({
      name: 'test',
      health: { status: 'connected', account: '@keys' },
      since: 0,
      heardAt: 1000,
    });
  });

  test('is logged when it changes, with what was before and since when, and not when it is only repeated', () => {
    const { board: health, clock, lines } = board();
    health.report('test', { status: 'connected' });
    clock.advance(60_000);
    health.report('test', { status: 'connected' });
    health.report('test', { status: 'failing', reason: 'no network' });
    expect(lines).toEqual([
      { level: 'info', message: 'channel connected', channel: 'test', status: 'connected' },
      {
        level: 'warn',
        message: 'channel failing',
        channel: 'test',
        status: 'failing',
        reason: 'no network',
        before: 'connected',
        beforeSince: '1970-01-01T00:00:00.000Z',
      },
    ]);
  });
});

describe('waiting for all channels to be connected', () => {
  test('ends with the last one, and does not wait for one that is shut out', async () => {
    const { board: health } = board();
    let isOver = false;
    for (const name of ['one', 'two', 'three']) health.report(name, { status: 'connecting' });
    const over = health.whenConnected().then(() => {
      isOver = true;
    });
    health.report('one', { status: 'connected' });
    health.report('two', { status: 'dead', reason: 'the token was revoked' });
    await Promise.resolve();
    expect(isOver).toBe(false);
    health.report('three', { status: 'connected' });
    await over;
  });
});
