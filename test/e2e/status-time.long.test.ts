import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { TelegramSetting } from './telegram-setting.ts';

const start = resolve(import.meta.dirname, '../../src/start.js');
const run = promisify(execFile);

interface Ran {
  /** The whole process, in milliseconds. */
  readonly took: number;
  readonly stdout: string;
}

async function node(args: readonly string[], home: string): Promise<Ran> {
  const begun = performance.now();
  const { stdout } = await run(process.execPath, args, { env: { PATH: process.env.PATH ?? '', KEYTURN_HOME: home } });
  return { took: performance.now() - begun, stdout };
}

/** What `keyturn status` may take for each ms that Node alone takes: 300 ms where that is 40. */
const most = 7.5;

test('a person has the status of a running daemon in the time of a few starts of Node', async () => {
  await using setting = await TelegramSetting.start();
  const { daemon } = setting;
  let [alone, status] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // The least of each, by turns: others use the machine, too. Where it is so busy that ten turns do not show it, more do.
  for (let turn = 0; turn < 10 || (status > most * alone && turn < 100); turn += 1) {
    alone = Math.min(alone, (await node(['-e', '0'], daemon.folder)).took);
    const { took, stdout } = await node([start, 'status', '--json'], daemon.folder);
    expect(JSON.parse(stdout)).toMatchObject({ running: true, pid: daemon.pid });
    status = Math.min(status, took);
  }
  console.log(`keyturn status took ${Math.round(status)} ms, and Node alone ${Math.round(alone)} ms.`);
  expect(status / alone).toBeLessThan(most);
});
