import { describe, expect, test } from 'vitest';
import { FrameQueue } from '../../src/gateway/frame-queue.ts';

function watchedQueue() {
  const told: string[] = [];
  const queue = new FrameQueue({
    failed: (error) => told.push(error instanceof Error ? error.message : 'failed'),
    overflowed: () => told.push('overflowed'),
    hold: (isHeld) => told.push(isHeld ? 'held' : 'read on'),
  });
  return { told, queue };
}

const megabyte = 2 ** 20;

describe('the frames of a socket', () => {
  test('are obeyed one after the other, whatever one of them does', async () => {
    const { told, queue } = watchedQueue();
    const first = Promise.withResolvers<void>();
    const last = Promise.withResolvers<void>();
    queue.add(1, () => first.promise);
    queue.add(1, () => Promise.reject(new Error('second failed')));
    queue.add(1, () => {
      told.push('third');
      last.resolve();
    });
    expect(told).toEqual([]);
    first.resolve();
    await last.promise;
    expect(told).toEqual(['second failed', 'third']);
  });

  test('are not read on while too much of them waits', async () => {
    const { told, queue } = watchedQueue();
    const slow = Promise.withResolvers<void>();
    const last = Promise.withResolvers<void>();
    for (let count = 0; count < 8; count += 1) queue.add(megabyte, () => slow.promise);
    expect(told).toEqual([]);
    queue.add(megabyte, () => slow.promise);
    expect(told).toEqual(['held']);
    queue.add(0, () => last.resolve());
    slow.resolve();
    await last.promise;
    expect(told).toEqual(['held', 'read on']);
  });

  test('are too many at some point, and none is obeyed that waits when the socket is gone', async () => {
    const { told, queue } = watchedQueue();
    const slow = Promise.withResolvers<void>();
    queue.add(1, () => slow.promise);
    for (let count = 0; count < 500; count += 1) queue.add(1, () => void told.push('obeyed'));
    expect(told).toEqual(['overflowed']);
    queue.close();
    slow.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual(['overflowed']);
  });
});
