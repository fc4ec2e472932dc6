import type { ChannelAdapter, ChannelHealth, ChannelHost } from '../../contract.ts';
import type { Core } from '../../engine/feature.ts';
import { type Clock, endsWithin } from '../../lib/clock.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { durationWords } from '../../lib/time-words.ts';
import type { HealthBoard } from './health-board.ts';

interface WatchDependencies extends Pick<Core, 'clock' | 'log'> {
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly health: HealthBoard;
  /** What Keyturn is to one session of a channel, which is over with the signal. */
  readonly hostOf: (channel: string, over: AbortSignal) => ChannelHost;
  readonly troubles: ChannelTroubles;
  /** Every platform has refused us twice, and none has ever taken us since the start. */
  readonly allRefused: (reason: string) => void;
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
  /** Since when it has not been connected, though it tries. */
  failingSince: number | undefined;
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
/** A channel that fails for so long is told to owners, if another one works. In milliseconds. */
const longestFailing = 1_800_000;

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

  /** The clock was set back: what is silent or refused now is looked after no later for that. */
  clockSet(): void {
    const { health, clock } = this.#dependencies;
    health.clockSet();
    for (const { refusals } of this.#channels.values()) refusals.clockSet(clock.now());
    this.begin();
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
        channel.failingSince = undefined;
        health.report(name, reported);
        troubles.isWell(name);
        return;
      case 'failing':
        channel.refusals.lives(clock.now(), false);
        this.#fails(channel, reported.reason, reported.needsOwner);
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
      this.#fails(channel, `It has fallen silent and could not be started again, which is tried again later: ${words}`);
  }

  #tellSilence(channel: Watched): void {
    const { health, clock, log } = this.#dependencies;
    const { name } = channel;
    const silence = durationWords(clock.now() - (health.of(name)?.heardAt ?? clock.now()));
    channel.rebuilds += 1;
    log.warn({ channel: name, silence, rebuilds: channel.rebuilds }, 'a channel has fallen silent: it is reconnected');
    this.#fails(channel, `It has fallen silent: nothing was heard from it for ${silence}. It is being reconnected.`);
  }

  /** Owners are told of a channel that has failed for long while others work. */
  #fails(channel: Watched, reason: string, needsOwner?: boolean): void {
    const { health, troubles, clock } = this.#dependencies;
    channel.failingSince ??= clock.now();
    health.report(channel.name, { status: 'failing', reason, needsOwner });
    const othersWork = health.all().some((state) => state.health.status === 'connected');
    if (needsOwner === true) troubles.needsOwner(channel.name, reason, clock.now());
    else if (othersWork && clock.now() - channel.failingSince >= longestFailing)
      troubles.needsOwner(channel.name, reason, channel.failingSince);
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
  return {
    name,
    adapter,
    limit: heartbeat + grace,
    session,
    rebuilds: 0,
    failingSince: undefined,
    refusals: new Refusals(),
  };
}

/** Says something to the owners; with `notOnRefused`, only on channels that their platform does not refuse. */
export type TellOwners = (markdown: string, notOnRefused?: boolean) => void;

/** What is wrong with channels and needs a person: the owners are told when it begins, once, and when it is over. */
export class ChannelTroubles {
  readonly #tell: TellOwners;
  readonly #clock: Clock;
  /** Since when, and what was said, by the names of the channels. */
  readonly #open = new Map<string, { readonly since: number; readonly words: string }>();

  constructor(tell: TellOwners, clock: Clock) {
    this.#tell = tell;
    this.#clock = clock;
  }

  /** The platform refuses the channel, and has since that instant. */
  refused(name: string, reason: string, since: number): void {
    this.#begin(name, `${reason} It is tried again and again, at least every 15 minutes.`, since);
  }

  /** The channel receives not as it should, or nothing, since that instant. */
  needsOwner(name: string, reason: string, since: number): void {
    this.#begin(name, reason, since);
  }

  /** The channel receives as it should. Its owners may have had no other chat where they could be told of the others. */
  isWell(name: string): void {
    const trouble = this.#open.get(name);
    if (trouble === undefined) return;
    this.#open.delete(name);
    const time = durationWords(this.#clock.now() - trouble.since);
    this.#tell(`✅ The channel ${inlineCode(name)} works again, after ${time}.`);
    for (const { words } of this.#open.values()) this.#tell(words, true);
  }

  #begin(name: string, reason: string, since: number): void {
    if (this.#open.has(name)) return;
    const words = `⚠️ The channel ${inlineCode(name)} needs you. ${escapeMarkdown(oneLine(reason, 600))}`;
    this.#open.set(name, { since, words });
    this.#tell(words, true);
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

  clockSet(now: number): void {
    if (this.#retryAt !== undefined) this.#retryAt = Math.min(this.#retryAt, now + longestRetryPause);
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
