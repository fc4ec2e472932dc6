import { backOff } from '../../../lib/back-off.ts';
import { Background } from '../../../lib/background.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import type { Log } from '../../../lib/log.ts';
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
import { PluginProcess, type PluginProcessEnd } from './plugin-process.ts';

/** How long a program may take until it answers the greeting, in milliseconds. */
const startTimeout = 30_000;

/** The place of a process that is there for a workspace. */
interface Seat {
  readonly process: Promise<PluginProcess>;
  /** Set when it has begun. */
  started?: PluginProcess;
  /** Resolves when the place is free again, and what has happened is taken note of. */
  freed: Promise<void>;
  /** Calls that use it, or are about to. */
  users: number;
  /** Counts what came, the later the higher. */
  lastUse: number;
}

/** Workspaces that have a process at the same time. Where all conversations share one folder, there is one process. */
const mostProcesses = 4;

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
export class PluginSupervisor implements PluginExecution {
  readonly #plugin: FoundPlugin;
  readonly #means: PluginMeans;
  readonly #events: SupervisorEvents;
  readonly #log: Log;
  readonly #background: Background;
  readonly #crashes: CrashRecord;
  readonly #seats = new Map<string, Seat>();
  readonly #ending = new AbortController();
  #uses = 0;
  /** Why no process is started any more. */
  #givenUp: string | undefined;

  constructor(plugin: FoundPlugin, means: PluginMeans, events: SupervisorEvents) {
    this.#plugin = plugin;
    this.#means = means;
    this.#events = events;
    this.#log = means.log.child({ plugin: plugin.manifest.name });
    this.#background = new Background(this.#log);
    this.#crashes = new CrashRecord(means.clock);
  }

  /** Never rejects. */
  async execute(call: PluginCall): Promise<CallOutcome> {
    const before = this.#seats.get(call.context.workspace);
    if (before?.started?.isGone === true) await before.freed;
    const obstacle = await this.#pause(call);
    if (obstacle !== undefined) return obstacle;
    const seat = this.#seatFor(call.context.workspace);
    try {
      const outcome = await (await seat.process).execute(call);
      if (outcome.type === 'answered') this.#crashes.worked();
      return outcome;
    } catch (cause) {
      return { type: 'not-run', why: startFailure(cause) };
    } finally {
      seat.users -= 1;
    }
  }

  /** Ends what runs. Nothing is started any more. */
  async stop(): Promise<void> {
    this.#ending.abort();
    const started = await Promise.allSettled([...this.#seats.values()].map(({ process }) => process));
    await Promise.all(started.map((seat) => (seat.status === 'fulfilled' ? seat.value.stop() : undefined)));
    await this.#background.settled();
  }

  /** Waits until there may be a process; says why not, if there will be none or it takes too long. */
  async #pause({ context, timeout }: PluginCall): Promise<CallOutcome | undefined> {
    const pause = this.#seats.has(context.workspace) || this.#givenUp !== undefined ? 0 : this.#crashes.pause();
    const seconds = Math.ceil(pause / 1000);
    if (pause > timeout) return { type: 'not-run', why: `It crashed, and is not started again for ${seconds} s.` };
    if (pause > 0) {
      context.progress(`it crashed, and is started again in ${seconds} s`);
      await sleep(this.#means.clock, pause, AbortSignal.any([context.signal, this.#ending.signal]));
    }
    if (context.signal.aborted) return { type: 'stopped' };
    if (this.#ending.signal.aborted) return { type: 'not-run', why: 'It is off by now.' };
    return this.#givenUp === undefined ? undefined : { type: 'not-run', why: this.#givenUp };
  }

  #seatFor(workspace: string): Seat {
    const seat = this.#seats.get(workspace) ?? this.#begin(workspace);
    this.#uses += 1;
    seat.lastUse = this.#uses;
    seat.users += 1;
    return seat;
  }

  #begin(workspace: string): Seat {
    const process = this.#start(workspace, this.#ending.signal);
    const seat: Seat = { process, freed: Promise.resolve(), users: 0, lastUse: 0 };
    this.#seats.set(workspace, seat);
    seat.freed = this.#watch(workspace, seat);
    this.#background.run('a plugin could not be watched', () => seat.freed);
    this.#makeRoom();
    return seat;
  }

  /** Ended by the signal while it begins. What it rejects with is a crash, unless `isRefusal`. */
  async #start(workspace: string, signal: AbortSignal): Promise<PluginProcess> {
    const { clock, workspaceAt, nodePath, startProcess } = this.#means;
    await workspaceAt(workspace).prepare();
    await this.#events.verify();
    if (signal.aborted) throw new PluginRefusal('It is off by now.');
    const request = programRequest(this.#plugin, workspace, nodePath);
    const process = new PluginProcess(
      await startProcess({ ...request, callId: `plugin-${newId(12)}` }),
      clock,
      this.#log,
    );
    const stop = (): void => this.#background.run('a plugin that began could not be ended', () => process.stop());
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const failure = await process.initialize(workspace, startTimeout);
    signal.removeEventListener('abort', stop);
    if (signal.aborted) throw new PluginRefusal('It is off by now.');
    if (failure !== undefined) throw new Error(failure);
    return process;
  }

  async #watch(workspace: string, seat: Seat): Promise<void> {
    const [started] = await Promise.allSettled([seat.process]);
    if (started.status === 'fulfilled') seat.started = started.value;
    const end = await endOf(started);
    if (this.#seats.get(workspace) === seat) this.#seats.delete(workspace);
    this.#log.debug({ crash: end.isCrash }, 'a process of a plugin has ended');
    if (end.isCrash && !this.#ending.signal.aborted) this.#crashed();
  }

  #crashed(): void {
    const isTooOften = this.#crashes.crashed();
    if (this.#givenUp !== undefined) return;
    // What it printed is for nobody to read in the log.
    this.#log.warn({ again: !isTooOften }, 'a plugin crashed');
    if (!isTooOften) return;
    this.#givenUp = gaveUpWords;
    this.#events.gaveUp();
  }

  /** Where there are too many, the one that was not used for the longest time goes, if nothing is done there. */
  #makeRoom(): void {
    if (this.#seats.size <= mostProcesses) return;
    const [oldest] = [...this.#seats].sort(([, one], [, other]) => one.lastUse - other.lastUse).filter(isIdle);
    if (oldest === undefined) return;
    const [workspace, { process }] = oldest;
    this.#seats.delete(workspace);
    this.#background.run('a process of a plugin could not be ended', async () => (await process).stop());
  }
}

function isIdle([, { users, lastUse }]: readonly [string, Seat]): boolean {
  return users === 0 && lastUse > 0;
}

async function endOf(started: PromiseSettledResult<PluginProcess>): Promise<PluginProcessEnd> {
  if (started.status === 'fulfilled') return started.value.over;
  return { isCrash: !isRefusal(started.reason), why: startFailure(started.reason) };
}

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

/** What has become of a plugin's processes lately, and when the next may be started. */
export class CrashRecord {
  readonly #clock: Clock;
  readonly #chance: (() => number) | undefined;
  #crashes: readonly number[] = [];
  /** Since it last did what it should. */
  #inARow = 0;
  #notBefore = 0;

  /** `chance`: from 0 to 1. */
  constructor(clock: Clock, chance?: () => number) {
    this.#clock = clock;
    this.#chance = chance;
  }

  /** A process crashed. Returns whether it has crashed too often to be started again. */
  crashed(): boolean {
    const now = this.#clock.now();
    this.#crashes = [...this.#crashes.filter((at) => at > now - crashWindow), now];
    this.#inARow += 1;
    this.#notBefore = now + backOff(this.#inARow, { chance: this.#chance });
    return this.#crashes.length >= mostCrashes;
  }

  /** A call was answered. */
  worked(): void {
    this.#inARow = 0;
  }

  /** How long it must not be started yet, in milliseconds. */
  pause(): number {
    return Math.max(0, this.#notBefore - this.#clock.now());
  }
}
