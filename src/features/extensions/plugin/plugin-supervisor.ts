import { backOff } from '../../../lib/back-off.ts';
import { Background } from '../../../lib/background.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
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

/** How long a program may take until it answers the greeting, in milliseconds. */
const startTimeout = 30_000;
/** Workspaces that have a process at the same time. Where all conversations share one folder, there is one process. */
const mostProcesses = 4;

interface Seat {
  readonly process: Promise<PluginProcess>;
  started?: PluginProcess;
  /** Resolves when the place is free again, and what has happened is taken note of. */
  freed: Promise<void>;
  /** Calls that use it, or are about to. */
  users: number;
  /** Counts what came, the later the higher. */
  lastUse: number;
}

interface SupervisorEvents {
  /** Rejects with `PluginRefusal` if the folder is not what was trusted any more. */
  readonly verify: () => Promise<void>;
  /** It has crashed too often: it is not started any more. Called once. */
  readonly gaveUp: () => void;
}

/**
 * Has the calls of a plugin done by a process that lives on: started when it is first needed, one for a workspace. One
 * that crashed is started again with the next call, after a pause that grows; after five crashes within ten minutes no more.
 */
export function supervisedProgram(
  plugin: FoundPlugin,
  { clock, workspaceAt, nodePath, startProcess, log: parentLog }: PluginMeans,
  { verify, gaveUp }: SupervisorEvents,
): PluginExecution {
  const log = parentLog.child({ plugin: plugin.manifest.name });
  const background = new Background(log);
  const crashes = crashRecord(clock);
  const seats = new Map<string, Seat>();
  const ending = new AbortController();
  let uses = 0;
  let hasGivenUp = false;

  async function untilAllowed({ context, timeout }: PluginCall): Promise<CallOutcome | undefined> {
    const pause = seats.has(context.workspace) || hasGivenUp ? 0 : crashes.pause();
    const seconds = Math.ceil(pause / 1000);
    if (pause > timeout) return { type: 'not-run', why: `It crashed, and is not started again for ${seconds} s.` };
    if (pause > 0) {
      context.progress(`it crashed, and is started again in ${seconds} s`);
      await sleep(clock, pause, AbortSignal.any([context.signal, ending.signal]));
    }
    if (context.signal.aborted) return { type: 'stopped' };
    if (ending.signal.aborted) return { type: 'not-run', why: isOff };
    return hasGivenUp ? { type: 'not-run', why: gaveUpWords } : undefined;
  }

  function seatFor(workspace: string): Seat {
    const seat = seats.get(workspace) ?? begin(workspace);
    uses += 1;
    seat.lastUse = uses;
    seat.users += 1;
    return seat;
  }

  function begin(workspace: string): Seat {
    const seat: Seat = { process: start(workspace), freed: Promise.resolve(), users: 0, lastUse: 0 };
    seats.set(workspace, seat);
    seat.freed = watch(workspace, seat);
    background.run('a plugin could not be watched', () => seat.freed);
    makeRoom();
    return seat;
  }

  /** What it rejects with is a crash, unless `isRefusal`. */
  async function start(workspace: string): Promise<PluginProcess> {
    const { signal } = ending;
    await workspaceAt(workspace).prepare();
    await verify();
    if (signal.aborted) throw new PluginRefusal(isOff);
    const request = { ...programRequest(plugin, workspace, nodePath), callId: `plugin-${newId(12)}` };
    const process = pluginProcess(await startProcess(request), clock, log);
    const stop = (): void => background.run('a plugin that began could not be ended', () => process.stop());
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const failure = await process.initialize(workspace, startTimeout);
    signal.removeEventListener('abort', stop);
    if (signal.aborted) throw new PluginRefusal(isOff);
    if (failure !== undefined) throw new Error(failure);
    return process;
  }

  async function watch(workspace: string, seat: Seat): Promise<void> {
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
    if (hasGivenUp) return;
    // What it printed is for nobody to read in the log.
    log.warn({ again: !isTooOften }, 'a plugin crashed');
    hasGivenUp = isTooOften;
    if (isTooOften) gaveUp();
  }

  /** Where there are too many, the one that was not used for the longest time goes, if nothing is done there. */
  function makeRoom(): void {
    if (seats.size <= mostProcesses) return;
    const idle = [...seats].filter(([, { users, lastUse }]) => users === 0 && lastUse > 0);
    const [oldest] = idle.sort(([, one], [, other]) => one.lastUse - other.lastUse);
    if (oldest === undefined) return;
    const [workspace, { process }] = oldest;
    seats.delete(workspace);
    background.run('a process of a plugin could not be ended', async () => (await process).stop());
  }

  return {
    async execute(call) {
      const before = seats.get(call.context.workspace);
      if (before?.started?.isGone() === true) await before.freed;
      const obstacle = await untilAllowed(call);
      if (obstacle !== undefined) return obstacle;
      const seat = seatFor(call.context.workspace);
      try {
        const outcome = await (await seat.process).execute(call);
        if (outcome.type === 'answered') crashes.worked();
        return outcome;
      } catch (cause) {
        return { type: 'not-run', why: startFailure(cause) };
      } finally {
        seat.users -= 1;
      }
    },
    /** Ends what runs. Nothing is started any more. */
    async stop() {
      ending.abort();
      const started = await Promise.allSettled([...seats.values()].map(({ process }) => process));
      await Promise.all(started.map((seat) => (seat.status === 'fulfilled' ? seat.value.stop() : undefined)));
      await background.settled();
    },
  };
}

const isOff = 'It is off by now.';

function startFailure(cause: unknown): string {
  if (isRefusal(cause)) return cause.message;
  return cause instanceof Error ? `It could not be started: ${cause.message}.` : 'It could not be started.';
}

/** So many crashes within so much time (in milliseconds) are too many. */
const mostCrashes = 5;
const crashWindow = 10 * 60_000;

/** What people and models read of a plugin that has crashed too often. */
export const gaveUpWords =
  'It has crashed five times within ten minutes. It is off until Keyturn is started again, or an owner ends the trust and gives it again.';

/** What has become of a plugin's processes lately, and when the next may be started. `chance`: from 0 to 1. */
export function crashRecord(clock: Clock, chance?: () => number) {
  let lately: readonly number[] = [];
  let inARow = 0;
  let notBefore = 0;
  return {
    /** A process crashed. Returns whether it has crashed too often to be started again. */
    crashed(): boolean {
      const now = clock.now();
      lately = [...lately.filter((at) => at > now - crashWindow), now];
      inARow += 1;
      notBefore = now + backOff(inARow, { chance });
      return lately.length >= mostCrashes;
    },
    worked(): void {
      inARow = 0;
    },
    /** How long it must not be started yet, in milliseconds. */
    pause: (): number => Math.max(0, notBefore - clock.now()),
  };
}
