import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { unbounded, unconfined } from '../../../../src/tools/guard/process/bounds.ts';
import { type ProcessRequest, type ProcessResult, processGuard } from '../../../../src/tools/guard/process/process.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { asArguments, newSleep, processesWith, requestOf } from './sandbox-setting.ts';

const environment = {
  PATH: process.env.PATH,
  HOME: '/root',
  LANG: 'C.UTF-8',
  TELEGRAM_BOT_TOKEN: 'hunter2',
  PASSED: 'yes',
  LD_PRELOAD: '',
};

async function run(command: string, changed: Partial<ProcessRequest> = {}): Promise<ProcessResult> {
  const guard = processGuard({ clock: systemClock, bounds: unbounded, environment });
  return guard(await requestOf(command, { timeout: 600_000, ...changed }));
}

const limits = { processes: 64, memory: 2 ** 40, fileSize: 2 ** 40, minFree: 1_000 };

describe('a command that fills the disk', () => {
  /** Runs one while so much is free, one look after the other; the last stays. */
  async function runWith(command: string, ...free: readonly number[]): Promise<ProcessResult> {
    const left = [...free];
    const freeBytes = async (): Promise<number> => (left.length > 1 ? left.shift() : left[0]) ?? 0;
    const guard = processGuard({ clock: systemClock, bounds: unconfined(limits), environment, freeBytes });
    return guard(await requestOf(command, { timeout: 600_000 }));
  }

  test('is ended before the disk is full, and the reason is given', async () => {
    const result = await runWith('echo begun; sleep 1000', 5_000, 3_000, 1_000, 999);
    expect(result).toMatchObject({ stdout: 'begun\n', exitCode: null, timedOut: false });
    expect(result.refusals).toEqual([
      'It was ended because it filled the disk: 4.9 KB were free when it began, and 999 bytes are left. The operator sets how much must stay free (tools.shell.min_free_bytes).',
    ]);
  });

  test('may use half of what is free if that is little', async () => {
    const small = await runWith('sleep 1', 400, 200);
    expect(small).toMatchObject({ exitCode: 0, refusals: [] });
    const { refusals } = await runWith('sleep 1000', 400, 200, 199);
    expect(refusals).toEqual([expect.stringContaining('filled the disk')]);
  });

  test('is not ended if the free space is unknown', async () => {
    const freeBytes = (): Promise<number> => Promise.reject(new Error('no'));
    const guard = processGuard({ clock: systemClock, bounds: unconfined(limits), environment, freeBytes });
    expect(await guard(await requestOf('sleep 0.6'))).toMatchObject({ exitCode: 0, refusals: [] });
  });
});

test('a workspace that takes long to search does not hold up a command', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'find'), '#!/bin/sh\nexec sleep 20\n', { mode: 0o755 });
  const clock = new ManualClock();
  const slow = { ...environment, PATH: `${folder}:${environment.PATH}` };
  const running = processGuard({ clock, bounds: unbounded, environment: slow })(await requestOf('echo done'));
  await clock.waitsFor(5_000);
  clock.advance(5_000);
  expect((await running).stdout).toBe('done\n');
});

describe('a command', () => {
  test('gives its exit code and both outputs separately', async () => {
    expect(await run('echo out; echo err >&2; exit 3')).toEqual({
      exitCode: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
      truncated: false,
      timedOut: false,
      refusals: [],
    });
    expect(await run('kill -9 $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  });

  test('runs in its directory, with an empty input', async () => {
    const directory = await newFolder();
    expect((await run('pwd; cat; wc -c < /dev/stdin', { directory })).stdout).toBe(`${directory}\n0\n`);
  });

  test('sees none of our secrets, only what is harmless or passed on purpose', async () => {
    const callId = crypto.randomUUID();
    const { stdout } = await run('env', { callId, passedVariables: ['PASSED', 'ABSENT', '__proto__'] });
    expect(stdout).not.toContain('hunter2');
    const names = stdout
      .split('\n')
      .map((line) => line.split('=')[0])
      .filter((name) => !['', 'PWD', '_', 'SHLVL', 'OLDPWD'].includes(name ?? ''));
    expect(names.sort()).toEqual(['HOME', 'KEYTURN_CALL', 'LANG', 'PASSED', 'PATH']);
    expect(stdout).toContain(`KEYTURN_CALL=${callId}`);
  });

  test('keeps the beginning and the end of each output, and cuts no character in half', async () => {
    const result = await run('i=0; while [ $i -lt 20000 ]; do echo ääää; echo öööö >&2; i=$((i+1)); done', {
      maxOutput: 65_536,
    });
    expect(result.truncated).toBe(true);
    for (const text of [result.stdout, result.stderr]) {
      expect(text).toMatch(/^[äö\n]{9000,9200}\n\[… \d+ bytes left out …\]\n[äö\n]{27000,27400}$/);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536 + 100);
    }
  });

  test('does not run when it was stopped before', async () => {
    const directory = await newFolder();
    await expect(run('touch ran', { directory, signal: AbortSignal.abort() })).rejects.toThrow();
    expect(await readdir(directory)).toEqual([]);
  });

  test('whose directory is missing is an error', async () => {
    await expect(run('true', { directory: join(await newFolder(), 'absent') })).rejects.toThrow('could not be started');
  });
});

describe('nothing is left', () => {
  /** Aborts when all sleeps run, and looks when the call has ended. */
  async function expectAborted(command: string, sleep: string, count: number): Promise<void> {
    const controller = new AbortController();
    const running = run(command, { signal: controller.signal });
    await waitUntil(async () => (await processesWith(asArguments(sleep))).length === count, { what: 'all sleeps' });
    controller.abort();
    await running;
    expect(await processesWith(asArguments(sleep))).toEqual([]);
  }

  test('of a command that is stopped, grandchildren that left the group included', async () => {
    const sleep = newSleep();
    const command = `setsid sh -c '${sleep} & ${sleep}' & sh -c '${sleep}' & ${sleep}`;
    await expectAborted(command, sleep, 4);
  });

  test('of a command that does not obey SIGTERM, in the group or out of it', async () => {
    const sleep = newSleep();
    const stubborn = `trap "" TERM; ${sleep}`;
    await expectAborted(`setsid sh -c '${stubborn}; true' & ${stubborn}; true`, sleep, 2);
  });

  test('of a stubborn child that dropped its group and its mark while its parent lived', async () => {
    const sleep = newSleep();
    await expectAborted(`env -i PATH="$PATH" setsid sh -c 'trap "" TERM; ${sleep}; true'; true`, sleep, 1);
  });

  test('of a command that takes too long', async () => {
    const sleep = newSleep();
    const result = await run(`echo so far; ${sleep}`, { timeout: 200 });
    expect(result).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGTERM', stdout: 'so far\n' });
    expect(await processesWith(asArguments(sleep))).toEqual([]);
  });

  test('of what a command left in the background, for which the call does not wait', async () => {
    const sleep = newSleep();
    const result = await run(`${sleep} & setsid ${sleep} & echo done`);
    expect(result).toMatchObject({ exitCode: 0, stdout: 'done\n' });
    expect(await processesWith(asArguments(sleep))).toEqual([]);
  });

  test('but the processes of other calls go on', async () => {
    const sleep = newSleep();
    const controller = new AbortController();
    const other = run(sleep, { signal: controller.signal });
    await vi.waitFor(async () => expect(await processesWith(asArguments(sleep))).toHaveLength(1), {
      timeout: 100_000,
      interval: 20,
    });
    await run('true');
    expect(await processesWith(asArguments(sleep))).toHaveLength(1);
    controller.abort();
    await other;
  });
});
