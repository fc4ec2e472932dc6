import { Background } from '../../../lib/background.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { CallOutcome } from './call-outcome.ts';
import { CrashRecord, gaveUpWords } from './crash-record.ts';
import { isRefusal, type PluginExecution } from './plugin-means.ts';
import type { PluginCall, PluginProcess, PluginProcessEnd } from './plugin-process.ts';

export interface SupervisorDependencies {
  /**
   * Starts a process that works in this workspace, and can be called; ended by the signal while it begins. What it rejects
   * with is a crash, unless `isRefusal`.
   */
  readonly start: (workspace: string, signal: AbortSignal) => Promise<PluginProcess>;
  /** It has crashed too often: it is not started any more. Called once. */
  readonly gaveUp: (why: string) => void;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to 1. */
  readonly chance?: () => number;
}

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

/**
 * Has the calls of a plugin done by a process that lives on: started when it is first needed, one for a workspace. One
 * that crashed is started again with the next call, after a pause that grows; after five crashes within ten minutes no more.
 */
export class PluginSupervisor implements PluginExecution {
  readonly #dependencies: SupervisorDependencies;
  readonly #background: Background;
  readonly #crashes: CrashRecord;
  readonly #seats = new Map<string, Seat>();
  readonly #ending = new AbortController();
  #uses = 0;
  /** Why no process is started any more. */
  #givenUp: string | undefined;

  constructor(dependencies: SupervisorDependencies) {
    this.#dependencies = dependencies;
    this.#background = new Background(dependencies.log);
    this.#crashes = new CrashRecord(dependencies);
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
    const { clock } = this.#dependencies;
    const pause = this.#seats.has(context.workspace) || this.#givenUp !== undefined ? 0 : this.#crashes.pause();
    const seconds = Math.ceil(pause / 1000);
    if (pause > timeout) return { type: 'not-run', why: `It crashed, and is not started again for ${seconds} s.` };
    if (pause > 0) {
      context.progress(`it crashed, and is started again in ${seconds} s`);
      await sleep(clock, pause, AbortSignal.any([context.signal, this.#ending.signal]));
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
    const process = this.#dependencies.start(workspace, this.#ending.signal);
    const seat: Seat = { process, freed: Promise.resolve(), users: 0, lastUse: 0 };
    this.#seats.set(workspace, seat);
    seat.freed = this.#watch(workspace, seat);
    this.#background.run('a plugin could not be watched', () => seat.freed);
    this.#makeRoom();
    return seat;
  }

  async #watch(workspace: string, seat: Seat): Promise<void> {
    const [started] = await Promise.allSettled([seat.process]);
    if (started.status === 'fulfilled') seat.started = started.value;
    const end = await endOf(started);
    if (this.#seats.get(workspace) === seat) this.#seats.delete(workspace);
    this.#dependencies.log.debug({ crash: end.isCrash }, 'a process of a plugin has ended');
    if (end.isCrash && !this.#ending.signal.aborted) this.#crashed(end.why);
  }

  #crashed(why: string): void {
    const { log, gaveUp } = this.#dependencies;
    const isTooOften = this.#crashes.crashed();
    if (this.#givenUp !== undefined) return;
    // What it printed is for nobody to read in the log.
    log.warn({ again: !isTooOften }, 'a plugin crashed');
    if (!isTooOften) return;
    this.#givenUp = gaveUpWords;
    gaveUp(why);
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
