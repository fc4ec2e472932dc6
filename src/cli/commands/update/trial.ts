import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { anyNode, faultOf, lastLines, type ProgramRun, type RunOptions, runProgram } from './installation.ts';

/** How the program that is in place now is run, whichever version that is. */
export interface OwnProgram {
  readonly start: string;
  readonly options: RunOptions;
  /** Names the config, if the operator did. */
  readonly config: readonly string[];
}

export function runOwn({ start, options, config }: OwnProgram, args: readonly string[]): ProgramRun {
  return runProgram(anyNode(options.environment), [start, ...args, ...config], options);
}

export type Part = 'version' | 'config' | 'data' | 'start' | 'service';

export interface Unfit {
  readonly part: Part;
  readonly fault: string;
}

export interface Trial {
  /** With the data. Undefined if there is none yet. */
  readonly backup: string | undefined;
  readonly hasConfig: boolean;
  readonly clock: Clock;
  /** What to say of a start that takes too long. */
  readonly tooLate: string;
}

/** What the newer version cannot do, tried without the data itself. Undefined if it can do all. */
export async function tryOut(own: OwnProgram, trial: Trial): Promise<Unfit | undefined> {
  const { backup, hasConfig } = trial;
  const version = faultOf(runOwn({ ...own, config: [] }, ['--version']), 'keyturn --version');
  if (version !== undefined) return { part: 'version', fault: version };
  const config = hasConfig ? faultOf(runOwn(own, ['config', 'check']), 'config check') : undefined;
  if (config !== undefined) return { part: 'config', fault: config };
  const data = backup === undefined ? undefined : dataFault(own, backup);
  if (data !== undefined) return { part: 'data', fault: data };
  const start = await startFault(own, trial);
  return start === undefined ? undefined : { part: 'start', fault: start };
}

/** A version that does not know how is not blamed for it: its command line is wrong then. */
function dataFault(own: OwnProgram, backup: string): string | undefined {
  const run = runOwn(own, ['update', '--try', backup]);
  return run.code === misused ? undefined : faultOf(run, 'keyturn update --try');
}

const misused = 2;
const pause = 250;
/** How long a start may take, in looks. A small machine loads a new version for the first time. */
const mostLooks = 480;

/** Starts it in an empty folder, with no model and no channel, until it answers. */
async function startFault({ start, options }: OwnProgram, { clock, tooLate }: Trial): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'keyturn-update-'));
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify({ model: 'offline', gateway: { enabled: true, port: 0 } }), { mode: 0o600 });
  const own = { start, options: { ...options, cwd: folder }, config: ['--config', file] };
  const environment = forTrial(options.environment);
  const child = spawn(anyNode(environment), [start, ...own.config], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const state: Started = { said: '', end: undefined };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    state.said += text;
  });
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      state.end = error.message;
      resolve();
    });
    child.once('close', (code, signal) => {
      state.end = `${code ?? signal}`;
      resolve();
    });
  });
  try {
    const answered = await answers(own, state, clock);
    const why = lastLines(state.said);
    if (!answered) return why || (state.end ?? tooLate);
    child.kill('SIGTERM');
    await ended;
    return state.end === '0' ? undefined : why || state.end;
  } finally {
    child.kill('SIGKILL');
    await ended;
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** It tells no one that it has started, neither the supervisor nor the collector of traces. */
function forTrial(environment: RunOptions['environment']): RunOptions['environment'] {
  const kept = Object.entries(environment).filter(([name]) => name !== 'NOTIFY_SOCKET' && !name.startsWith('OTEL_'));
  return { ...Object.fromEntries(kept), OTEL_SDK_DISABLED: 'true' };
}

interface Started {
  said: string;
  /** Undefined while it runs. */
  end: string | undefined;
}

async function answers(own: OwnProgram, state: Started, clock: Clock): Promise<boolean> {
  for (let left = mostLooks; left > 0 && state.end === undefined; left -= 1) {
    if (runOwn(own, ['status', '--json']).code === 0) return true;
    await sleep(clock, pause);
  }
  return false;
}

/** Whether the process that works with the config is of this version, once it has had time. */
export async function runsAs(own: OwnProgram, version: string, clock: Clock): Promise<boolean> {
  for (let left = mostLooks; left > 0; left -= 1) {
    const { code, stdout } = runOwn(own, ['status', '--json']);
    if (code === 0 && stdout.includes(`"version": ${JSON.stringify(version)}`)) return true;
    await sleep(clock, pause);
  }
  return false;
}
