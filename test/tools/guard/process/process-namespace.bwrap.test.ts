import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { wordsIn } from '../../../../src/lib/words.ts';
import { BoundsError, unconfined } from '../../../../src/tools/guard/process/bounds.ts';
import { type ProcessRequest, type ProcessResult, processGuard } from '../../../../src/tools/guard/process/process.ts';
import { findWrapper, trySandbox } from '../../../../src/tools/guard/process/sandbox-trial.ts';
import { sandboxWords } from '../../../../src/tools/guard/process/words.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { newSeconds, processesWith, realSandbox, requestOf, sandboxSetting } from './sandbox-setting.ts';

const environment = { PATH: process.env.PATH };

async function wrapperHere(): Promise<readonly string[]> {
  const wrapper = await findWrapper(environment, true);
  if (wrapper === undefined) throw new Error('These tests need a machine whose unshare works.');
  return wrapper;
}

type Run = (command: string, changed?: Partial<ProcessRequest>) => Promise<ProcessResult>;

const runs: readonly (readonly [string, Run])[] = [
  [
    'its own process namespace',
    async (command, changed = {}) => {
      const bounds = unconfined(undefined, await wrapperHere());
      return processGuard({ clock: systemClock, environment, bounds })(await requestOf(command, changed));
    },
  ],
  ['the sandbox', async (command, changed) => (await sandboxSetting()).run(command, changed)],
];

/** Drops its group, its parent and the mark in its environment. */
const hidden = (seconds: string): string =>
  `env -i setsid sh -c '(sleep ${seconds} &) & sleep ${seconds}' & setsid -f sleep ${seconds}; sleep 0.2`;

describe.each(runs)('in %s, nothing is left', (_, run) => {
  test('of a command that has ended, however it hid its children', async () => {
    const seconds = newSeconds();
    const result = await run(`nohup sleep ${seconds} & ${hidden(seconds)}; cat; echo done; exit 3`, {
      input: 'read\n',
    });
    expect(result).toMatchObject({ stdout: 'read\ndone\n', exitCode: 3, refusals: [] });
    expect(await processesWith(seconds)).toEqual([]);
  });

  test('of one that takes too long, which first gets a SIGTERM', async () => {
    const seconds = newSeconds();
    const polite = await run(`trap 'echo bye; exit 9' TERM; echo so far; sleep ${seconds} & wait`, { timeout: 1_000 });
    // It may be told by its group and by itself.
    expect(polite).toMatchObject({ timedOut: true, stdout: expect.stringMatching(/^so far\n(?:bye\n)+$/) });
    const stubborn = await run(`trap '' TERM; env -i setsid sleep ${seconds} & sleep ${seconds}; true`, {
      timeout: 1_000,
    });
    expect(stubborn.timedOut).toBe(true);
    expect(await processesWith(seconds)).toEqual([]);
  });

  test('of one that is stopped, which first gets a SIGTERM', async () => {
    const seconds = newSeconds();
    const stop = new AbortController();
    const { signal } = stop;
    const running = run(`trap 'echo bye; exit' TERM; ${hidden(seconds)}; sleep ${seconds} & wait`, { signal });
    await vi.waitFor(async () => expect((await processesWith(seconds)).length).toBeGreaterThan(3), {
      timeout: 100_000,
    });
    stop.abort();
    expect((await running).stdout).toMatch(/^(?:bye\n)+$/);
    expect(await processesWith(seconds)).toEqual([]);
  });
});

test('without a sandbox, commands end when the daemon is killed', async () => {
  const seconds = newSeconds();
  const [file = '', ...args] = [...(await wrapperHere()), '/bin/sh', '-c', `${hidden(seconds)}; sleep ${seconds}`];
  const script = `require('node:child_process').spawn(${JSON.stringify(file)}, ${JSON.stringify(args)}, { detached: true, stdio: 'ignore' })`;
  const daemon = spawn(process.execPath, ['-e', `${script}; setInterval(() => {}, 1000)`], { stdio: 'ignore' });
  await vi.waitFor(async () => expect((await processesWith(seconds)).length).toBeGreaterThan(4), { timeout: 100_000 });
  daemon.kill('SIGKILL');
  await once(daemon, 'exit');
  await vi.waitFor(async () => expect(await processesWith(seconds)).toEqual([]), { timeout: 100_000 });
});

test('if the sandbox fails later, the command does not run without it', async () => {
  const state = await realSandbox();
  const folder = await newFolder();
  await mkdir(join(folder, 'bin'));
  await symlink('/bin/false', join(folder, 'bin', 'bwrap'));
  const wrap = join(folder, 'bin', 'bwrap');
  for (const programs of [
    { ...state.programs, wrap },
    { ...state.programs, filter: new Uint8Array(8) },
    { ...state.programs, filter: new Uint8Array() },
  ]) {
    const { run, workspace } = await sandboxSetting({ sandbox: { holds: true, programs } });
    expect((await run('touch ran')).exitCode).not.toBe(0);
    expect(await readdir(workspace)).toEqual([]);
  }
  const { wrap: real, filter } = state.programs;
  const offline = await sandboxSetting({
    sandbox: { holds: true, programs: { wrap: real, filter } },
    allowedDomains: ['example.com'],
  });
  await expect(offline.run('touch ran')).rejects.toThrow(BoundsError);
});

test('a sandbox with a network needs only bubblewrap and socat', async () => {
  const folder = await newFolder();
  const { wrap, relay = '' } = (await realSandbox()).programs;
  for (const program of [wrap, relay, '/usr/bin/which']) await symlink(program, join(folder, basename(program)));
  vi.stubEnv('PATH', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const state = await trySandbox({ environment: { PATH: folder }, needsNetwork: true });
  expect(state).toMatchObject({ holds: true });
  const { run } = await sandboxSetting({ sandbox: state, allowedDomains: ['example.com'] });
  expect(await run('echo ran')).toMatchObject({ stdout: 'ran\n' });
});

test('if socat does not work and commands may reach the network, there is no sandbox', async () => {
  const folder = await newFolder();
  await symlink((await realSandbox()).programs.wrap, join(folder, 'bwrap'));
  await symlink('/bin/false', join(folder, 'socat'));
  const state = await trySandbox({ environment: { PATH: folder }, needsNetwork: true });
  const failure = 'The command did not run: the relay of the sandbox has ended.';
  expect(state.holds || wordsIn('en', state.reason)).toBe(sandboxWords.en.fails({ failure, mend: 'relay' }));
});
