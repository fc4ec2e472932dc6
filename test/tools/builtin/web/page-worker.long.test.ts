import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { workerFunction, workerProcesses } from '../../../../src/tools/guard/worker/run-in-worker.ts';
import type * as work from './page-work.ts';
import { content, webFetchSetting } from './web-fetch-setting.ts';

const words = 'The harbour was built in 1874, and has been widened twice since.';

test('a page of eighty bytes keeps the processor for less than 50 ms', async () => {
  const page = `<title>A</title><p>${words}</p>`;
  expect(page.length).toBeLessThanOrEqual(87);
  const run = workerProcesses({ clock: systemClock, most: 1 });
  const timed = workerFunction<typeof work.timedReading>(import.meta.url, './page-work', 'timedReading');
  const input = { body: new TextEncoder().encode(page), charsets: [], url: 'https://a.example/' };
  const { signal } = new AbortController();
  const took: number[] = [];
  for (let reading = 0; reading < 9; reading += 1) {
    const ending = await run(timed, input, { timeout: 600_000, memory: 384 * 2 ** 20, signal, isKept: true });
    if (ending.type !== 'done') throw new Error(`It ${ending.type}.`);
    took.push(ending.value);
  }
  // The first one also compiles the code.
  expect(took.toSorted((one, other) => one - other)[4], JSON.stringify(took)).toBeLessThan(50);
});

/** So many processes that do nothing but keep the processor busy. Each ends by itself after some seconds of it. */
function busyProcesses(count: number): readonly ChildProcess[] {
  return Array.from({ length: count }, () =>
    spawn('/bin/sh', ['-c', 'ulimit -t 8; while :; do :; done'], { stdio: 'ignore' }),
  );
}

test('of 33 pages, none is empty on a machine with a load of 40', async () => {
  const setting = await webFetchSetting({ timeoutSecs: 600 }, { workerClock: systemClock });
  const pages = Array.from({ length: 33 }, (_, index) => {
    const title = `Harbour ${index}`;
    return {
      title,
      body: `<title>${title}</title><h1>${title}</h1>${`<p>${words} (${title})</p>`.repeat(1 + index * 9)}`,
    };
  });
  const busy = busyProcesses(40);
  try {
    const outputs = await Promise.all(pages.map((page) => setting.of({ body: page.body })));
    for (const [index, output] of outputs.entries()) {
      expect(content(output)).toContain(words);
      expect(content(output)).toContain(`(Harbour ${index})`);
      expect(content(output)).not.toMatch(/could not be taken apart|had no time|no text/);
    }
  } finally {
    const ended = busy.map((one) => one.exitCode === null && one.signalCode === null && once(one, 'close'));
    for (const one of busy) one.kill('SIGKILL');
    await Promise.all(ended);
  }
});
