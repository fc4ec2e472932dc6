import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import {
  type WorkerBounds,
  workerFunction,
  workerProcesses,
} from '../../../../src/tools/guard/worker/run-in-worker.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { inFull, sampled } from '../../../support/thorough.ts';
import type * as work from './work.ts';

type Name = keyof typeof work;

function the<Work extends Name>(name: Work) {
  return workerFunction<(typeof work)[Work]>(import.meta.url, './work', name);
}

/** More than any of them takes, however busy the machine is. */
const patience = 100_000;

function bounds(changed: Partial<WorkerBounds> = {}): WorkerBounds {
  return { timeout: patience, memory: 64 * 2 ** 20, signal: new AbortController().signal, ...changed };
}

const run = workerProcesses({ clock: systemClock });

describe('a worker process', () => {
  test('calls the function and returns its result', async () => {
    expect(await run(the('double'), 21, bounds())).toEqual({ type: 'done', value: 42 });
    expect(await run(the('wait'), 1, bounds())).toEqual({ type: 'done', value: 1 });
    const bytes = Buffer.from([1, 2, 3]);
    expect(await run(the('count'), bytes, bounds())).toEqual({ type: 'done', value: 6 });
    expect(bytes).toHaveLength(3);
    expect(await run(the('descend'), 15_000, bounds()), 'deep nesting').toEqual({ type: 'done', value: 15_000 });
  });

  inFull(() => {
    test('reports an error, and an end without a result', async () => {
      expect(await run(the('throwIt'), 'not so', bounds())).toEqual({ type: 'failed', message: 'not so' });
      const ended = { type: 'failed', message: 'It ended without a result.' };
      expect(await run(the('neverEnd'), undefined, bounds())).toEqual(ended);
      expect(await run(the('end'), undefined, bounds())).toEqual(ended);
    });
  });

  test('is ended in an endless loop, and does not hold up others meanwhile', async () => {
    const clock = new ManualClock();
    const run = workerProcesses({ clock });
    const running = run(the('loop'), undefined, bounds({ timeout: 3_000 }));
    await clock.waitsFor(3_000);
    // While it loops, another one works.
    expect(await run(the('wait'), 200, bounds())).toEqual({ type: 'done', value: 200 });
    clock.advance(3_000);
    expect(await running).toEqual({ type: 'timed-out' });
    expect(clock.waits).toEqual([]);
  });

  test('is ended when it has kept the processor too long, however long it waits without it', async () => {
    const clock = new ManualClock();
    const run = workerProcesses({ clock, most: 1 });
    const limited = bounds({ processorTime: 300, isKept: true });
    expect(await run(the('wait'), 1000, limited)).toEqual({ type: 'done', value: 1000 });
    expect(await run(the('loop'), undefined, limited)).toEqual({ type: 'timed-out' });
    // A kept process counts each work by itself.
    const ids = new Set<unknown>();
    for (let work = 0; work < 6; work += 1) ids.add(JSON.stringify(await run(the('burn'), 90, limited)));
    expect(ids.size).toBe(1);
  });

  test('is ended when the signal aborts', async () => {
    const controller = new AbortController();
    const running = run(the('loop'), undefined, bounds({ signal: controller.signal }));
    controller.abort();
    expect(await running).toEqual({ type: 'stopped' });
    const later = new AbortController();
    const looping = run(the('loop'), undefined, bounds({ signal: later.signal }));
    expect(await run(the('wait'), 100, bounds())).toMatchObject({ type: 'done' });
    later.abort();
    expect(await looping).toEqual({ type: 'stopped' });
    expect(await run(the('double'), 1, bounds({ signal: controller.signal }))).toEqual({ type: 'stopped' });
  });

  inFull(() => {
    test('does nothing after it was ended', async () => {
      const run = workerProcesses({ clock: systemClock, most: 1 });
      const path = join(await newFolder(), 'counted');
      const size = async (): Promise<number> => (await readFile(path)).length;
      const controller = new AbortController();
      const counting = run(the('countUp'), path, bounds({ signal: controller.signal }));
      await expect.poll(() => existsSync(path)).toBe(true);
      controller.abort();
      expect(await counting).toEqual({ type: 'stopped' });
      // The next one begins when the process has ended.
      await run(the('double'), 1, bounds());
      const counted = await size();
      await run(the('double'), 1, bounds());
      expect(await size()).toBe(counted);
    });
  });

  test('is ended when it takes too much memory, on the heap or outside it', async () => {
    const before = process.memoryUsage.rss();
    const all = [run(the('fillHeap'), undefined, bounds()), run(the('fillBuffers'), undefined, bounds())];
    expect(await Promise.all(all)).toEqual([{ type: 'out-of-memory' }, { type: 'out-of-memory' }]);
    expect(process.memoryUsage.rss() - before).toBeLessThan(2 ** 30);
  });

  test.each(sampled(['growMap', 'makeArray'] as const, 2))(
    'is the only process killed when it takes all memory at once: %s',
    async (name) => {
      expect(await run(the(name), undefined, bounds({ timeout: 60_000 }))).toEqual({ type: 'out-of-memory' });
      expect(await run(the('double'), 2, bounds())).toEqual({ type: 'done', value: 4 });
    },
  );

  test('makes room for the next one if its input cannot be cloned', async () => {
    const run = workerProcesses({ clock: systemClock, most: 1 });
    const odd = workerFunction<(input: object) => number>(import.meta.url, './work', 'double');
    await expect(run(odd, { later: () => {} }, bounds())).rejects.toThrow('could not be cloned');
    expect(await run(the('double'), 2, bounds())).toEqual({ type: 'done', value: 4 });
  });

  test('sees no environment variables', async () => {
    expect(await run(the('environmentAndOutput'), undefined, bounds())).toEqual({ type: 'done', value: [] });
  });
});

describe('a kept process', () => {
  test('works again for the next call, until it has failed or waited for two minutes', async () => {
    const clock = new ManualClock();
    const run = workerProcesses({ clock, most: 1 });
    const kept = (changed: Partial<WorkerBounds> = {}): WorkerBounds => bounds({ isKept: true, ...changed });
    const idOf = async (given: WorkerBounds): Promise<unknown> => {
      const ending = await run(the('ownId'), undefined, given);
      return ending.type === 'done' ? ending.value : ending.type;
    };
    const first = await idOf(kept());
    expect(await idOf(kept())).toBe(first);
    expect(await idOf(bounds()), 'a call that wants its own').not.toBe(first);
    expect(await run(the('throwIt'), 'no', kept())).toEqual({ type: 'failed', message: 'no' });
    const second = await idOf(kept());
    expect(second).not.toBe(first);
    const ended = await run(the('end'), undefined, kept());
    expect(ended.type).toBe('failed');
    const third = await idOf(kept());
    expect(third).not.toBe(second);
    await clock.waitsFor(120_000);
    clock.advance(120_000);
    expect(await idOf(kept())).not.toBe(third);
  });
});

test('the module of a worker is a source or a built file, like the file that names it', () => {
  const module = (from: string): string => workerFunction(from, './work', 'double').module;
  expect(module('file:///keyturn/src/tools/reader.ts')).toBe('file:///keyturn/src/tools/work.ts');
  expect(module('file:///keyturn/dist/tools/reader.js')).toBe('file:///keyturn/dist/tools/work.js');
});

test('the line before the processes lets two work at once', async () => {
  const clock = new ManualClock();
  const run = workerProcesses({ clock });
  const controller = new AbortController();
  const { signal } = controller;
  const endless = [1, 2].map(() => run(the('loop'), undefined, bounds({ signal })));
  const third = run(the('double'), 1, bounds());
  await expect.poll(() => clock.waits.filter((wait) => wait === patience), { timeout: patience }).toHaveLength(2);
  controller.abort();
  expect(await Promise.all([...endless, third])).toEqual([
    { type: 'stopped' },
    { type: 'stopped' },
    { type: 'done', value: 2 },
  ]);
});

inFull(() => {
  test('keeps the order, and a stopped call leaves it', async () => {
    const run = workerProcesses({ clock: systemClock, most: 1 });
    const ended: string[] = [];
    const note = async (name: string, running: Promise<{ readonly type: string }>): Promise<void> => {
      ended.push(`${name} ${(await running).type}`);
    };
    const [current, gone] = [new AbortController(), new AbortController()];
    const endless = note('endless', run(the('loop'), undefined, bounds({ signal: current.signal })));
    const first = note('first', run(the('wait'), 50, bounds()));
    const givenUp = note('given up', run(the('double'), 2, bounds({ signal: gone.signal })));
    const last = note('last', run(the('double'), 1, bounds()));
    gone.abort();
    await givenUp;
    expect(ended).toEqual(['given up stopped']);
    current.abort();
    await Promise.all([endless, first, last]);
    expect(ended).toEqual(['given up stopped', 'endless stopped', 'first done', 'last done']);
  });
});
