import type { ChannelAdapter, ChannelHealth, ChannelHost } from '../../contract.ts';
import type { Clock } from '../../lib/clock.ts';
import { durationWords } from '../../lib/duration.ts';
import { endsWithin } from '../../lib/ends-within.ts';
import type { Log } from '../../lib/log.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { HealthBoard } from './health-board.ts';

export interface WatchDependencies {
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly health: HealthBoard;
  /** What Keyturn is to one session of a channel, which is over with the signal. */
  readonly hostOf: (channel: string, over: AbortSignal) => ChannelHost;
  readonly troubles: ChannelTroubles;
  /** Every platform has refused us twice, and none has ever taken us since the start. */
  readonly allRefused: (reason: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

interface Watched {
  readonly name: string;
  readonly adapter: ChannelAdapter;
  /** How long it may say nothing, in milliseconds. */
  readonly limit: number;
  /** Ends the session that goes on. */
  session: AbortController;
  /** How often it was reconnected since it was last seen connected. */
  rebuilds: number;
  rebuilding?: Promise<void>;
  readonly refusals: Refusals;
}

/** How much longer than it promised a channel may say nothing, in milliseconds. */
const grace = 15_000;
/** A channel that stays silent is reconnected at least so often, in milliseconds. */
const longestPause = 600_000;
/** How long stopping or starting a channel may take before it goes on without, in milliseconds. */
const patience = 5_000;
/** The same when the process ends. */
const lastPatience = 3_000;

/**
 * Starts and stops the channels. One that promises to say again and again how it is, and falls silent, is deaf: it is
 * stopped and started again on the same adapter, ever more seldom while that does not help. So is one that its platform
 * refuses: a refusal may be an error of the platform, or be mended there. Owners are told of the second refusal in a row,
 * and when it is over.
 */
export class ChannelWatch {
  readonly #dependencies: WatchDependencies;
  readonly #channels: Map<string, Watched>;
  readonly #ending = new AbortController();
  /** One of them was connected since the start. */
  #wasConnected = false;
  #callOff = (): void => {};

  constructor(dependencies: WatchDependencies) {
    this.#dependencies = dependencies;
    this.#channels = new Map([...dependencies.adapters].map(([name, adapter]) => [name, watched(name, adapter)]));
  }

  /** Connects a channel for the first time. Throws what its adapter throws. */
  async start(name: string): Promise<void> {
    const { health } = this.#dependencies;
    health.report(name, { status: 'connecting' });
    const channel = this.#channels.get(name);
    if (channel !== undefined) await this.#connect(channel);
  }

  /** Connects one more channel and watches it, or a new one in place of the one of that name. Throws what its adapter throws. */
  async add(name: string, adapter: ChannelAdapter): Promise<void> {
    const { clock, log } = this.#dependencies;
    const { signal } = this.#ending;
    if (signal.aborted) return;
    this.#channels.set(name, watched(name, adapter));
    if (!(await endsWithin(this.start(name), { clock, milliseconds: patience, signal })))
      log.warn({ channel: name }, 'a channel was not started in time');
    this.begin();
  }

  /** Ends a channel for good, within 3 s. Nothing that it brings is taken any more. Never throws. */
  async remove(name: string): Promise<void> {
    const channel = this.#channels.get(name);
    this.#channels.delete(name);
    channel?.session.abort();
    if (channel !== undefined) await this.#end(channel);
  }

  /** From now on, channels that fall silent are noticed. */
  begin(): void {
    this.#callOff();
    if (this.#ending.signal.aborted) return;
    const { clock } = this.#dependencies;
    const next = Math.min(...[...this.#channels.values()].map((channel) => this.#dueAt(channel)));
    if (next === Number.POSITIVE_INFINITY) return;
    this.#callOff = clock.after(Math.max(0, next - clock.now()), () => this.#look());
  }

  /** Takes what a channel tells of itself. */
  heard(name: string, reported: ChannelHealth): void {
    const { health, troubles, clock } = this.#dependencies;
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    switch (reported.status) {
      case 'connecting':
        // It is refused until it is seen connected: a try is no news.
        if (channel.refusals.retryAt === undefined) health.report(name, reported);
        return;
      case 'connected':
        this.#wasConnected = true;
        channel.refusals.lives(clock.now(), true);
        health.report(name, reported);
        troubles.isWell(name);
        return;
      case 'failing':
        channel.refusals.lives(clock.now(), false);
        health.report(name, reported);
        if (reported.needsOwner === true) troubles.needsOwner(name, reported.reason);
        return;
      case 'dead':
        this.#refused(channel, reported.reason);
    }
  }

  /** Stops all channels, in little more than 3 s. What they bring until then is taken; afterwards nothing is. */
  async stop(): Promise<void> {
    this.#ending.abort();
    this.#callOff();
    await Promise.all([...this.#channels.values()].map((channel) => this.#end(channel)));
  }

  #look(): void {
    const now = this.#dependencies.clock.now();
    for (const channel of this.#channels.values()) {
      if (this.#isConnected(channel)) channel.rebuilds = 0;
      if (this.#dueAt(channel) > now) continue;
      channel.rebuilding = this.#rebuild(channel).finally(() => {
        delete channel.rebuilding;
        this.begin();
      });
    }
    this.begin();
  }

  /** When the channel is tried again if it was refused; else, when it counts as deaf if it goes on saying nothing. */
  #dueAt(channel: Watched): number {
    const { health } = this.#dependencies;
    const state = health.of(channel.name);
    if (state === undefined || channel.rebuilding !== undefined) return Number.POSITIVE_INFINITY;
    if (channel.refusals.retryAt !== undefined) return channel.refusals.retryAt;
    const rebuilds = this.#isConnected(channel) ? 0 : channel.rebuilds;
    return state.heardAt + Math.max(channel.limit, Math.min(longestPause, channel.limit * 2 ** rebuilds));
  }

  #isConnected({ name }: Watched): boolean {
    return this.#dependencies.health.of(name)?.health.status === 'connected';
  }

  /** Never throws: what goes wrong is told, and tried again later. */
  async #rebuild(channel: Watched): Promise<void> {
    const { clock } = this.#dependencies;
    const { name, adapter } = channel;
    // From here on the old session is given nothing more: the platform delivers it again, to the new one.
    channel.session.abort();
    const isRetry = channel.refusals.retryAt !== undefined;
    if (isRetry) channel.refusals.retry(clock.now());
    else this.#tellSilence(channel);
    await this.#attempt(name, 'stopped', () => adapter.stop());
    if (this.#ending.signal.aborted) return;

    const failure = await this.#attempt(name, 'started', () => this.#connect(channel));
    if (failure === undefined) return;
    channel.session.abort();
    const words = failure instanceof Error ? failure.message : String(failure);
    if (isRetry) this.#refused(channel, words);
    else
      this.#report(name, `It has fallen silent and could not be started again, which is tried again later: ${words}`);
  }

  #tellSilence(channel: Watched): void {
    const { health, clock, log } = this.#dependencies;
    const { name } = channel;
    const silence = durationWords(clock.now() - (health.of(name)?.heardAt ?? clock.now()));
    channel.rebuilds += 1;
    log.warn({ channel: name, silence, rebuilds: channel.rebuilds }, 'a channel has fallen silent: it is reconnected');
    this.#report(name, `It has fallen silent: nothing was heard from it for ${silence}. It is being reconnected.`);
  }

  #report(name: string, reason: string): void {
    this.#dependencies.health.report(name, { status: 'failing', reason });
  }

  #refused({ name, refusals }: Watched, reason: string): void {
    const { health, troubles, clock, allRefused } = this.#dependencies;
    if (!refusals.refused(clock.now())) return;
    health.report(name, { status: 'dead', reason }, refusals.retryAt);
    this.begin();
    if (refusals.count < 2) return;
    troubles.refused(name, reason, refusals.since);
    if (!this.#wasConnected && health.all().every((state) => state.health.status === 'dead')) allRefused(reason);
  }

  /** What it fails with, if it fails within the time that it has. */
  async #attempt(name: string, deed: string, work: () => Promise<void>): Promise<unknown> {
    const { clock, log } = this.#dependencies;
    const { signal } = this.#ending;
    try {
      if (await endsWithin(work(), { clock, milliseconds: patience, signal })) return undefined;
    } catch (error) {
      log.error({ channel: name, err: error }, `a channel could not be ${deed}`);
      return error;
    }
    if (!signal.aborted) log.warn({ channel: name }, `a channel was not ${deed} in time`);
    return undefined;
  }

  async #connect(channel: Watched): Promise<void> {
    channel.session = new AbortController();
    channel.refusals.began();
    await channel.adapter.start(this.#dependencies.hostOf(channel.name, channel.session.signal));
  }

  /** Never throws: what is stored is closed after it, whatever becomes of a channel. */
  async #end(channel: Watched): Promise<void> {
    const { clock, log } = this.#dependencies;
    const { name, adapter } = channel;
    await channel.rebuilding;
    try {
      if (!(await endsWithin(adapter.stop(), { clock, milliseconds: lastPatience })))
        log.warn({ channel: name }, 'a channel did not stop in time');
    } catch (error) {
      log.error({ channel: name, err: error }, 'a channel could not be stopped');
    }
    channel.session.abort();
  }
}

function watched(name: string, adapter: ChannelAdapter): Watched {
  const { heartbeat = Number.POSITIVE_INFINITY } = adapter.capabilities;
  const session = new AbortController();
  return { name, adapter, limit: heartbeat + grace, session, rebuilds: 0, refusals: new Refusals() };
}

/** Says something to the owners; with `notOnRefused`, only on channels that their platform does not refuse. */
export type TellOwners = (markdown: string, notOnRefused?: boolean) => void;

/** What is wrong with channels and needs a person: the owners are told when it begins, once, and when it is over. */
export class ChannelTroubles {
  readonly #tell: TellOwners;
  readonly #clock: Clock;
  /** Since when, by the names of the channels. */
  readonly #open = new Map<string, number>();

  constructor(tell: TellOwners, clock: Clock) {
    this.#tell = tell;
    this.#clock = clock;
  }

  /** The platform refuses the channel, and has since that instant. */
  refused(name: string, reason: string, since: number): void {
    this.#begin(name, `${reason} It is tried again and again, at least every 15 minutes.`, since);
  }

  /** The channel receives, but not as it should. */
  needsOwner(name: string, reason: string): void {
    this.#begin(name, reason, this.#clock.now());
  }

  /** The channel receives as it should. */
  isWell(name: string): void {
    const since = this.#open.get(name);
    if (since === undefined) return;
    this.#open.delete(name);
    this.#tell(`✅ The channel ${inlineCode(name)} works again, after ${durationWords(this.#clock.now() - since)}.`);
  }

  #begin(name: string, words: string, since: number): void {
    if (this.#open.has(name)) return;
    this.#open.set(name, since);
    this.#tell(`⚠️ The channel ${inlineCode(name)} needs you. ${escapeMarkdown(oneLine(words, 600))}`, true);
  }
}

/** How long after each refusal in a row a channel is tried again, in milliseconds. */
const pauses = [5_000, 60_000, 300_000] as const;
const longestRetryPause = 900_000;
/** A connection that held for less is no end of the refusals, in milliseconds. */
const steady = 300_000;

/** How often its platform has refused a channel in a row, and when it is tried again. Instants are milliseconds since 1970. */
class Refusals {
  #count = 0;
  #since = 0;
  /** The session that goes on has been refused, and has ended by that. */
  #isOver = false;
  #retryAt: number | undefined;
  #connectedSince: number | undefined;

  get count(): number {
    return this.#count;
  }

  /** When the first of them was. */
  get since(): number {
    return this.#since;
  }

  /** When it is started again because it was refused; undefined while it is not. */
  get retryAt(): number | undefined {
    return this.#retryAt;
  }

  /** Another session begins. */
  began(): void {
    this.#isOver = false;
  }

  /** The channel tries by itself again, or is connected. */
  lives(now: number, isConnected: boolean): void {
    this.#retryAt = undefined;
    if (isConnected) this.#connectedSince ??= now;
  }

  /** It is tried again, and counts as refused until it says how it is; if it never does, it is tried once more. */
  retry(now: number): void {
    this.#retryAt = now + longestRetryPause;
  }

  /** Whether that is news: a session can be refused once. */
  refused(now: number): boolean {
    if (this.#isOver) return false;
    const held = this.#connectedSince === undefined ? 0 : now - this.#connectedSince;
    if (held >= steady) this.#count = 0;
    if (this.#count === 0) this.#since = now;
    this.#connectedSince = undefined;
    this.#isOver = true;
    this.#retryAt = now + (pauses[this.#count] ?? longestRetryPause);
    this.#count += 1;
    return true;
  }
}
