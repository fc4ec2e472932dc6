import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { unbounded } from '../../../../src/tools/guard/process/bounds.ts';
import { type ProcessRequest, type ProcessResult, processGuard } from '../../../../src/tools/guard/process/process.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { newFolder } from '../../setting.ts';

const environment = {
  PATH: process.env.PATH,
  HOME: '/root',
  LANG: 'C.UTF-8',
  TELEGRAM_BOT_TOKEN: 'hunter2',
  PASSED: 'yes',
  LD_PRELOAD: '',
};

async function run(command: string, changed: Partial<ProcessRequest> = {}): Promise<ProcessResult> {
  return processGuard({ clock: systemClock, bounds: unbounded, environment })(await request(command, changed));
}

async function request(command: string, changed: Partial<ProcessRequest> = {}): Promise<ProcessRequest> {
  return {
    command,
    directory: await newFolder(),
    callId: crypto.randomUUID(),
    timeout: 600_000,
    maxOutput: 2 ** 20,
    signal: new AbortController().signal,
    ...changed,
  };
}

/** The ids of the living processes whose command line contains the text. */
async function processesWith(text: string): Promise<readonly string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => lines[index]?.includes(text));
}

/** A `sleep` that can be told from all others. */
const newSleep = (): string => `sleep 98${Math.floor(Math.random() * 1e9)}`;
const asArguments = (sleep: string): string => sleep.replace(' ', '\0');

describe('a command', () => {
  test('gives its exit code and both outputs apart', async () => {
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

  test('runs in its directory, with nothing to read', async () => {
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

  test('that prints 5 MB is read to its end, and its beginning and end are kept within the limit', async () => {
    const result = await run('echo begin; head -c 5000000 /dev/zero | tr "\\0" x; echo end; echo oops >&2; exit 4');
    expect(result).toMatchObject({ exitCode: 4, truncated: true, stderr: 'oops\n' });
    expect(result.stdout).toMatch(/^begin\nx+\n\[… \d+ bytes left out …\]\nx+end\n$/);
    expect(result.stdout.length).toBeLessThanOrEqual(2 ** 20 + 50);
    expect(result.stdout.length).toBeGreaterThan(2 ** 19);
  });

  test('shares the limit between both outputs, and halves no character', async () => {
    const result = await run('i=0; while [ $i -lt 20000 ]; do echo ääää; echo öööö >&2; i=$((i+1)); done', {
      maxOutput: 65_536,
    });
    expect(result.truncated).toBe(true);
    expect(Buffer.byteLength(result.stdout + result.stderr)).toBeLessThanOrEqual(65_536 + 100);
    expect(result.stdout + result.stderr).not.toContain('\ufffd');
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

  test('of a stubborn child that laid off group and mark while its parent lived', async () => {
    const sleep = newSleep();
    await expectAborted(`env -i PATH="$PATH" setsid sh -c 'trap "" TERM; ${sleep}; true'; true`, sleep, 1);
  });

  test('of a command that takes too long', async () => {
    const sleep = newSleep();
    const result = await run(`echo so far; ${sleep}`, { timeout: 200 });
    expect(result).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGTERM', stdout: 'so far\n' });
    expect(await processesWith(asArguments(sleep))).toEqual([]);
  });

  test('of what a command left in the background, which does not hold the call', async () => {
    const sleep = newSleep();
    const result = await run(`${sleep} & setsid ${sleep} & echo done`);
    expect(result).toMatchObject({ exitCode: 0, stdout: 'done\n' });
    expect(await processesWith(asArguments(sleep))).toEqual([]);
  });

  test('but what belongs to other calls is', async () => {
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
