/*
 * Tells the service manager that has started this process how it is, as systemd's `sd_notify` describes it: started, reads
 * its config again, ends, and, while the daemon answers, that it is alive. Node opens no datagram sockets of the kind that
 * it wants, so `systemd-notify`, which comes with systemd, sends for us: one short process for each notice.
 */

import { spawn } from 'node:child_process';
import { type Clock, endsWithin } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { messageOf } from '../lib/plain-text.ts';
import { programOnPath } from '../lib/programs.ts';
import type { Language } from '../lib/words.ts';
import { cliWords } from './words.ts';

export interface SupervisorParts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Of the status line. */
  readonly language: Language;
  readonly clock: Clock;
  readonly log: Log;
}

/** Whoever has started this process, and waits for its notices. None of these waits, or throws. */
export interface Supervisor {
  /** It works. From here on the supervisor is told that it is alive, as long as `answers` resolves with true. */
  started(answers: () => Promise<boolean>): void;
  /** It reads its config again. */
  reloading(): void;
  /** It has read it. */
  reloaded(): void;
  /** It ends, and needs no watching any more. */
  ending(): void;
}

/** Where `systemd-notify` is if the `PATH` of a service does not say so. */
const usualFolders = '/usr/bin:/bin';
/** How long one notice may take, in ms: systemd may be busy, and the next one waits for it. */
const patience = 20_000;

/** Undefined if nobody waits for notices. */
export function createSupervisor(parts: SupervisorParts): Supervisor | undefined {
  const { environment, language, log } = parts;
  const say = cliWords[language];
  const socket = environment.NOTIFY_SOCKET;
  if (socket === undefined || socket === '') return undefined;
  const program = programOnPath('systemd-notify', `${environment.PATH ?? ''}:${usualFolders}`);
  if (program === undefined) {
    log.warn({}, 'NOTIFY_SOCKET is set, but there is no systemd-notify: nobody is told that Keyturn runs');
    return undefined;
  }
  const state: NoticeState = { parts, program, socket, sent: Promise.resolve(), isEnding: false };
  return {
    started(answers) {
      send(['READY=1', `STATUS=${say.supervised.runs}`], state);
      const every = watchdogInterval(environment);
      if (every !== undefined) watch(answers, every, state);
    },
    reloading: () => send(['RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`], state),
    reloaded: () => send(['READY=1'], state),
    ending() {
      state.isEnding = true;
      send(['STOPPING=1', `STATUS=${say.supervised.ends}`], state);
    },
  };
}

interface NoticeState {
  readonly parts: SupervisorParts;
  readonly program: string;
  readonly socket: string;
  /** The notices so far: they arrive in their order. */
  sent: Promise<void>;
  isEnding: boolean;
}

/** Half of the time after which the supervisor takes the process for dead, in ms. Undefined if it does not watch. */
function watchdogInterval({ WATCHDOG_USEC: microseconds }: SupervisorParts['environment']): number | undefined {
  const milliseconds = Number(microseconds) / 2000;
  return Number.isFinite(milliseconds) && milliseconds >= 1 ? milliseconds : undefined;
}

/** A loop that hangs runs no timer, and a database that hangs answers nothing: then nothing is sent. */
function watch(answers: () => Promise<boolean>, every: number, state: NoticeState): void {
  const { clock } = state.parts;
  clock.after(every, () => {
    if (!state.isEnding) void feed(answers, state).then(() => watch(answers, every, state));
  });
}

async function feed(answers: () => Promise<boolean>, state: NoticeState): Promise<void> {
  const isAlive = await answers().catch(() => false);
  if (isAlive) send(['WATCHDOG=1'], state);
  else state.parts.log.error({}, 'the database does not answer, so the supervisor is not told that Keyturn is alive');
}

function send(assignments: readonly string[], state: NoticeState): void {
  const { clock, log } = state.parts;
  state.sent = state.sent.then(async () => {
    try {
      await endsWithin(notify(assignments, state), { clock, milliseconds: patience });
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the supervisor could not be told how Keyturn is');
    }
  });
}

/** Gets nothing of the environment but where to send it. */
function notify(assignments: readonly string[], { program, socket }: NoticeState): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, assignments, { stdio: 'ignore', env: { NOTIFY_SOCKET: socket } });
    child.unref();
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`systemd-notify ended with ${code ?? signal}`)),
    );
  });
}
