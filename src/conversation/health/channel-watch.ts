import type { ChannelAdapter, ChannelHost } from '../../contract.ts';
import type { Clock } from '../../lib/clock.ts';
import { durationWords } from '../../lib/duration.ts';
import { endsWithin } from '../../lib/ends-within.ts';
import type { Log } from '../../lib/log.ts';
import type { HealthBoard } from './health-board.ts';

export interface WatchDependencies {
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly health: HealthBoard;
  /** What Keyturn is to one session of a channel, which is over with the signal. */
  readonly hostOf: (channel: string, over: AbortSignal) => ChannelHost;
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
  /** How often it was connected anew since it was seen connected. */
  rebuilds: number;
  rebuilding?: Promise<void>;
}

/** How much longer than it promised a channel may say nothing, in milliseconds. */
const grace = 15_000;
/** A channel that stays silent is connected anew at least so often, in milliseconds. */
const longestPause = 600_000;
/** How long stopping or starting a channel may take before it goes on without, in milliseconds. */
const patience = 5_000;
/** The same when the process ends. */
const lastPatience = 3_000;

/**
 * Starts and stops the channels. One that promises to say again and again how it is, and falls silent, is deaf: it is
 * stopped and started anew on the same adapter, ever more seldom while that does not help. One that the platform has
 * shut out is left alone.
 */
export class ChannelWatch {
  readonly #dependencies: WatchDependencies;
  readonly #channels: Map<string, Watched>;
  readonly #ending = new AbortController();
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

  /** Connects one more channel and watches it, or one anew in place of the one of that name. Throws what its adapter throws. */
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
    const next = Math.min(...[...this.#channels.values()].map((channel) => this.#deafAt(channel)));
    if (next === Number.POSITIVE_INFINITY) return;
    this.#callOff = clock.after(Math.max(0, next - clock.now()), () => this.#look());
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
      if (this.#deafAt(channel) > now) continue;
      channel.rebuilding = this.#rebuild(channel).finally(() => {
        delete channel.rebuilding;
        this.begin();
      });
    }
    this.begin();
  }

  /** When the channel counts as deaf if it goes on saying nothing. */
  #deafAt(channel: Watched): number {
    const { health, clock } = this.#dependencies;
    const state = health.of(channel.name);
    if (state === undefined || channel.rebuilding !== undefined) return Number.POSITIVE_INFINITY;
    if (state.health.status === 'dead') return clock.now() + channel.limit;
    const rebuilds = this.#isConnected(channel) ? 0 : channel.rebuilds;
    return state.heardAt + Math.max(channel.limit, Math.min(longestPause, channel.limit * 2 ** rebuilds));
  }

  #isConnected({ name }: Watched): boolean {
    return this.#dependencies.health.of(name)?.health.status === 'connected';
  }

  /** Never throws: what goes wrong is told, and tried again later. */
  async #rebuild(channel: Watched): Promise<void> {
    const { health, clock, log } = this.#dependencies;
    const { name, adapter } = channel;
    const silence = durationWords(clock.now() - (health.of(name)?.heardAt ?? clock.now()));
    // From here on the old session is given nothing more: the platform delivers it again, to the new one.
    channel.session.abort();
    channel.rebuilds += 1;
    log.warn(
      { channel: name, silence, rebuilds: channel.rebuilds },
      'a channel has fallen silent: it is connected anew',
    );
    const reason = `It has fallen silent: nothing was heard from it for ${silence}. It is connected anew.`;
    health.report(name, { status: 'failing', reason });
    await this.#attempt(name, 'stopped', () => adapter.stop());
    if (this.#ending.signal.aborted) return;

    const failure = await this.#attempt(name, 'started', () => this.#connect(channel));
    if (failure === undefined) return;
    channel.session.abort();
    const words = failure instanceof Error ? failure.message : String(failure);
    const again = `It has fallen silent and could not be started again, which is tried again later: ${words}`;
    health.report(name, { status: 'failing', reason: again });
  }

  /** What it fails with, if it fails within the time that it has. */
  async #attempt(name: string, deed: string, work: () => Promise<void>): Promise<unknown> {
    const { clock, log } = this.#dependencies;
    const { signal } = this.#ending;
    try {
      if (await endsWithin(work(), { clock, milliseconds: patience, signal })) return undefined;
    } catch (error) {
      log.error({ channel: name, err: error }, `a silent channel could not be ${deed}`);
      return error;
    }
    if (!signal.aborted) log.warn({ channel: name }, `a silent channel was not ${deed} in time`);
    return undefined;
  }

  async #connect(channel: Watched): Promise<void> {
    channel.session = new AbortController();
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
  return { name, adapter, limit: heartbeat + grace, session: new AbortController(), rebuilds: 0 };
}
