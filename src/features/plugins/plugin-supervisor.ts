import { Background } from '../../lib/background.ts';
import { backOff, type Clock, sleep } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { FoundPlugin } from './plugin-manifest.ts';
import {
  type CallOutcome,
  isRefusal,
  type PluginCall,
  type PluginExecution,
  type PluginMeans,
  PluginRefusal,
  programRequest,
} from './plugin-means.ts';
import { type PluginProcess, pluginProcess } from './plugin-process.ts';
import { pluginWords } from './words.ts';

/** How long a program may take to answer `initialize`, in ms. */
const startTimeout = 30_000;
/** The most processes, one per workspace. If all conversations share a folder, there is one. */
const mostProcesses = 4;

interface Seat {
  readonly process: Promise<PluginProcess>;
  started?: PluginProcess;
  /** Resolves when the process has ended and its end is recorded. */
  freed: Promise<void>;
  /** Calls that use it or are about to. */
  users: number;
}

interface SupervisorEvents {
  /** Rejects with `PluginRefusal` if the folder is no longer what was trusted. */
  readonly verify: () => Promise<void>;
  /** It crashed too often and is not started again. Called once. */
  readonly gaveUp: () => void;
}

interface Supervisor extends SupervisorEvents {
  readonly plugin: FoundPlugin;
  readonly means: PluginMeans;
  readonly log: Log;
  readonly background: Background;
  readonly crashes: CrashRecord;
  /** By workspace, the least recently used first. */
  readonly seats: Map<string, Seat>;
  readonly alive: Set<PluginProcess>;
  readonly ending: AbortController;
  hasGivenUp: boolean;
}

/**
 * Runs a plugin's calls in long-lived processes, started on first use, one per workspace. After a crash, the next call
 * starts it again, with a growing pause; after five crashes within ten minutes it stays off.
 */
export function supervisedProgram(
  plugin: FoundPlugin,
  means: PluginMeans,
  { verify, gaveUp }: SupervisorEvents,
): PluginExecution {
  const log = means.log.child({ plugin: plugin.manifest.name });
  const supervisor: Supervisor = {
    plugin,
    means,
    verify,
    gaveUp,
    log,
    background: new Background(log),
    crashes: crashRecord(means.clock),
    seats: new Map(),
    alive: new Set(),
    ending: new AbortController(),
    hasGivenUp: false,
  };
  return {
    execute: (call) => execute(call, supervisor),
    /** Ends all processes and starts no more. */
    stop: () => stop(supervisor),
  };
}

async function execute(call: PluginCall, supervisor: Supervisor): Promise<CallOutcome> {
  const { workspace } = call.context;
  const before = supervisor.seats.get(workspace);
  if (before?.started?.isGone() === true) await before.freed;
  const obstacle = await untilAllowed(call, supervisor);
  if (obstacle !== undefined) return obstacle;
  const seat = seatFor(workspace, supervisor);
  try {
    const outcome = await (await seat.process).execute(call);
    if (outcome.type === 'answered') supervisor.crashes.worked();
    return outcome;
  } catch (cause) {
    return { type: 'not-run', why: startFailure(cause) };
  } finally {
    seat.users -= 1;
  }
}

async function stop({ ending, alive, background }: Supervisor): Promise<void> {
  ending.abort();
  await Promise.all([...alive].map((process) => process.stop()));
  await background.settled();
}

async function untilAllowed(
  { context, timeout }: PluginCall,
  supervisor: Supervisor,
): Promise<CallOutcome | undefined> {
  const { seats, crashes, means, ending } = supervisor;
  const pause = seats.has(context.workspace) || supervisor.hasGivenUp ? 0 : crashes.pause();
  const seconds = Math.ceil(pause / 1000);
  if (pause > timeout) return { type: 'not-run', why: `It crashed, and is not started again for ${seconds} s.` };
  if (pause > 0) {
    context.progress((language) => pluginWords[language].startsAgain({ seconds }));
    await sleep(means.clock, pause, AbortSignal.any([context.signal, ending.signal]));
  }
  if (context.signal.aborted) return { type: 'stopped' };
  return supervisor.hasGivenUp ? { type: 'not-run', why: pluginWords.en.gaveUp } : undefined;
}

function seatFor(workspace: string, supervisor: Supervisor): Seat {
  const { seats, background } = supervisor;
  const found = seats.get(workspace);
  const seat = found ?? { process: start(workspace, supervisor), freed: Promise.resolve(), users: 0 };
  seats.delete(workspace);
  seats.set(workspace, seat);
  seat.users += 1;
  if (found === undefined) {
    seat.freed = watch(workspace, seat, supervisor);
    background.run('a plugin could not be watched', () => seat.freed);
    makeRoom(supervisor);
  }
  return seat;
}

/** A rejection is a crash, unless `isRefusal`. */
async function start(workspace: string, supervisor: Supervisor): Promise<PluginProcess> {
  const { plugin, means, verify, alive, log, ending } = supervisor;
  const { signal } = ending;
  await means.workspaceAt(workspace).prepare();
  await verify();
  const request = { ...programRequest(plugin, workspace), callId: `plugin-${newId(12)}` };
  const process = pluginProcess(await means.startProcess(request), means.clock, log);
  alive.add(process);
  void process.over.then(() => alive.delete(process));
  if (signal.aborted) await process.stop();
  const failure = await process.initialize(workspace, startTimeout);
  if (signal.aborted) throw new PluginRefusal('It is off by now.');
  if (failure !== undefined) throw new Error(failure);
  return process;
}

async function watch(workspace: string, seat: Seat, supervisor: Supervisor): Promise<void> {
  const { seats, crashes, log, ending } = supervisor;
  const [started] = await Promise.allSettled([seat.process]);
  let isCrash = started.status === 'rejected' && !isRefusal(started.reason);
  if (started.status === 'fulfilled') {
    seat.started = started.value;
    isCrash = (await started.value.over).isCrash;
  }
  if (seats.get(workspace) === seat) seats.delete(workspace);
  log.debug({ crash: isCrash }, 'a process of a plugin has ended');
  if (!isCrash || ending.signal.aborted) return;
  const isTooOften = crashes.crashed();
  if (supervisor.hasGivenUp) return;
  // Its output is not logged.
  log.warn({ again: !isTooOften }, 'a plugin crashed');
  supervisor.hasGivenUp = isTooOften;
  if (isTooOften) supervisor.gaveUp();
}

/** Above the limit, stops the least recently used idle process. */
function makeRoom({ seats, background }: Supervisor): void {
  const [oldest] = [...seats].filter(([, { users }]) => users === 0);
  if (seats.size <= mostProcesses || oldest === undefined) return;
  const [workspace, { process }] = oldest;
  seats.delete(workspace);
  background.run('a process of a plugin could not be ended', async () => (await process).stop());
}

function startFailure(cause: unknown): string {
  if (isRefusal(cause)) return cause.message;
  return cause instanceof Error ? `It could not be started: ${cause.message}.` : 'It could not be started.';
}

/** This many crashes within the window (in ms) are too many. */
const mostCrashes = 5;
const crashWindow = 10 * 60_000;

/** Records crashes, and says when the next process may start. */
export interface CrashRecord {
  /** Records a crash. Returns whether there were too many. */
  crashed(): boolean;
  worked(): void;
  /** The time until the next start is allowed, in ms. */
  pause(): number;
}

/** `chance`: from 0 to 1. */
export function crashRecord(clock: Clock, chance?: () => number): CrashRecord {
  let lately: readonly number[] = [];
  let inARow = 0;
  let notBefore = 0;
  return {
    crashed() {
      const now = clock.now();
      lately = [...lately.filter((at) => at > now - crashWindow), now];
      inARow += 1;
      notBefore = now + backOff(inARow, { chance });
      return lately.length >= mostCrashes;
    },
    worked() {
      inARow = 0;
    },
    pause: () => Math.max(0, notBefore - clock.now()),
  };
}
