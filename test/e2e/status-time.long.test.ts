import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { TelegramSetting } from './telegram-setting.ts';

const start = resolve(import.meta.dirname, '../../src/start.js');
const run = promisify(execFile);

/** The whole process of `keyturn status`, in milliseconds. */
async function statusOf(home: string): Promise<{ readonly took: number; readonly facts: unknown }> {
  const begun = performance.now();
  const { stdout } = await run(process.execPath, [start, 'status', '--json'], {
    env: { PATH: process.env.PATH ?? '', KEYTURN_HOME: home },
  });
  return { took: performance.now() - begun, facts: JSON.parse(stdout) };
}

test('a person has the status of a running daemon within 300 ms', async () => {
  await using setting = await TelegramSetting.start();
  const { daemon } = setting;
  const times: number[] = [];
  for (let left = 10; left > 0; left -= 1) {
    const { took, facts } = await statusOf(daemon.folder);
    expect(facts).toMatchObject({ running: true, pid: daemon.pid });
    times.push(Math.round(took));
  }
  console.log(`keyturn status took ${times.toSorted((one, other) => one - other).join(', ')} ms.`);
  // The least: others use the machine, too.
  expect(Math.min(...times)).toBeLessThan(300);
});
