import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '../../../lib/words.ts';

/** A Keyturn with a process and a folder of its own. */
export interface DemoDaemon {
  readonly workspace: string;
  /** Starts a process. */
  start(): number;
  /** Ends it at once, as a power failure does. Resolves with the signal that has ended it. */
  kill(): Promise<NodeJS.Signals | null>;
  /** The same, without waiting for its end. */
  endNow(): void;
  /** Rejects if the process ends by itself, with what it has said. */
  failed(): Promise<never>;
}

export interface DemoPlace {
  readonly folder: string;
  readonly language: Language;
  /** The fake Telegram. */
  readonly root: string;
  readonly token: string;
  readonly owner: number;
}

interface DaemonState extends DemoPlace {
  readonly process: NodeJS.Process;
  child: ChildProcess | undefined;
  isKilled: boolean;
  said: string;
}

/** Enough for the sentences with which a start fails. */
const longestTail = 2_000;

export function createDemoDaemon(place: DemoPlace, process: NodeJS.Process): DemoDaemon {
  const state: DaemonState = { ...place, process, child: undefined, isKilled: false, said: '' };
  const workspace = join(place.folder, 'workspace');
  mkdirSync(workspace, { mode: 0o700 });
  writeFileSync(configOf(place), JSON.stringify(config(place)), { mode: 0o600 });
  return {
    workspace,
    start: () => start(state),
    kill: () => kill(state),
    endNow: () => void state.child?.kill('SIGKILL'),
    failed: () => failed(state),
  };
}

function configOf({ folder }: DemoPlace): string {
  return join(folder, 'config.json');
}

function config({ language, root: api_root, token, owner }: DemoPlace) {
  return {
    language,
    model: 'offline',
    owners: [`telegram:${owner}`],
    channels: { telegram: { enabled: true, token, api_root }, terminal: { enabled: false } },
    data: { backups: 0 },
  };
}

/** It ends when this process does, however that ends: see `KEYTURN_STARTER_PIPE` in `src/start.js`. */
function start(state: DaemonState): number {
  const { process, folder } = state;
  const [, entry = ''] = process.argv;
  const { PATH, SystemRoot } = process.env;
  const child = spawn(process.execPath, [...process.execArgv, entry, '--config', configOf(state)], {
    cwd: folder,
    env: { PATH, SystemRoot, HOME: folder, KEYTURN_STARTER_PIPE: '3' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  Object.assign(state, { child, isKilled: false, said: '' });
  for (const output of [child.stdout, child.stderr])
    output?.on('data', (chunk) => {
      state.said = `${state.said}${String(chunk)}`.slice(-longestTail);
    });
  return child.pid ?? 0;
}

async function kill(state: DaemonState): Promise<NodeJS.Signals | null> {
  const { child } = state;
  if (child === undefined) return null;
  state.isKilled = true;
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  return child.signalCode;
}

async function failed(state: DaemonState): Promise<never> {
  const { child } = state;
  if (child !== undefined && child.exitCode === null) await once(child, 'exit');
  // Killed on purpose: the next process is another matter.
  if (state.isKilled) return new Promise<never>(() => {});
  throw new Error(state.said);
}
