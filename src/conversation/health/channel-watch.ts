import type { ChannelAdapter, ChannelHealth, ChannelHost } from '../../contract.ts';
import type { Core } from '../../engine/feature.ts';
import { type Clock, endsWithin } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { durationWords } from '../../lib/time-words.ts';
import { noRedaction, type Redactor } from '../../tools/guard/redact/redact.ts';

interface WatchParts extends Pick<Core, 'clock' | 'log'> {
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly health: HealthBoard;
  /** What Keyturn is to one session of a channel, which is over with the signal. */
  readonly hostOf: (channel: string, over: AbortSignal) => ChannelHost;
  readonly tellOwners: TellOwners;
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
  rebuilding?: Promise<void> | undefined;
  /** Since when it has not been connected, though it tries. */
  failingSince?: number | undefined;
  /** How often its platform has refused it in a row, and when the first time. */
  refusals: number;
  refusedSince: number;
  /** The session that goes on has been refused, and has ended by that. */
  isOver: boolean;
  /** Since when it holds a connection, with interruptions that are no refusals. */
  connectedSince?: number | undefined;
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
/** How long after each refusal in a row a channel is tried again, in milliseconds; after more of them `longestRetryPause`. */
const retryPauses = [5_000, 60_000, 300_000] as const;
/** A connection that held for less is no end of the refusals, in milliseconds. */
const steady = 300_000;

/**
 * Starts and stops the channels. One that promises to say again and again how it is, and falls silent, is deaf: it is
 * stopped and started again on the same adapter, ever more seldom while that does not help. So is one that its platform
 * refuses: a refusal may be an error of the platform, or be mended there. Owners are told of the second refusal in a row,
 * and when it is over.
 */
export function createChannelWatch({ adapters, health, hostOf, tellOwners, allRefused, clock, log }: WatchParts) {
  const channels = new Map([...adapters].map(([name, adapter]) => [name, watched(name, adapter)]));
  const troubles = createChannelTroubles(tellOwners, clock);
  const ending = new AbortController();
  /** One of them was connected since the start. */
  let wasConnected = false;
  let callOff = (): void => {};

  async function start(name: string): Promise<void> {
    health.report(name, { status: 'connecting' });
    const channel = channels.get(name);
    if (channel !== undefined) await connect(channel);
  }

  function begin(): void {
    callOff();
    if (ending.signal.aborted) return;
    const next = Math.min(...[...channels.values()].map(dueAt));
    if (next === Number.POSITIVE_INFINITY) return;
    callOff = clock.after(Math.max(0, next - clock.now()), look);
  }

  function look(): void {
    const now = clock.now();
    for (const channel of channels.values()) {
      if (isConnected(channel)) channel.rebuilds = 0;
      if (dueAt(channel) > now) continue;
      channel.rebuilding = rebuild(channel).finally(() => {
        channel.rebuilding = undefined;
        begin();
      });
    }
    begin();
  }

  /** When the channel is tried again if it was refused; else, when it counts as deaf if it goes on saying nothing. */
  function dueAt(channel: Watched): number {
    const state = health.of(channel.name);
    if (state === undefined || channel.rebuilding !== undefined) return Number.POSITIVE_INFINITY;
    if (state.retryAt !== undefined) return state.retryAt;
    const rebuilds = isConnected(channel) ? 0 : channel.rebuilds;
    return state.heardAt + Math.max(channel.limit, Math.min(longestPause, channel.limit * 2 ** rebuilds));
  }

  function isConnected({ name }: Watched): boolean {
    return health.of(name)?.health.status === 'connected';
  }

  /** Never throws: what goes wrong is told, and tried again later. */
  async function rebuild(channel: Watched): Promise<void> {
    const { name, adapter } = channel;
    // From here on the old session is given nothing more: the platform delivers it again, to the new one.
    channel.session.abort();
    const state = health.of(name);
    const isRetry = state?.retryAt !== undefined;
    // It counts as refused until it says how it is; if it never does, it is tried once more.
    if (isRetry) health.report(name, state.health, clock.now() + longestRetryPause);
    else tellSilence(channel);
    await attempt(name, 'stopped', () => adapter.stop());
    if (ending.signal.aborted) return;

    const failure = await attempt(name, 'started', () => connect(channel));
    if (failure === undefined) return;
    channel.session.abort();
    const words = failure instanceof Error ? failure.message : String(failure);
    if (isRetry) refused(channel, words);
    else fails(channel, `It has fallen silent and could not be started again, which is tried again later: ${words}`);
  }

  function tellSilence(channel: Watched): void {
    const { name } = channel;
    const silence = durationWords(clock.now() - (health.of(name)?.heardAt ?? clock.now()));
    channel.rebuilds += 1;
    log.warn({ channel: name, silence, rebuilds: channel.rebuilds }, 'a channel has fallen silent: it is reconnected');
    fails(channel, `It has fallen silent: nothing was heard from it for ${silence}. It is being reconnected.`);
  }

  /** Owners are told of a channel that has failed for long while others work. */
  function fails(channel: Watched, reason: string, needsOwner?: boolean): void {
    channel.failingSince ??= clock.now();
    health.report(channel.name, { status: 'failing', reason, needsOwner });
    const othersWork = health.all().some((state) => state.health.status === 'connected');
    if (needsOwner === true) troubles.begin(channel.name, reason, clock.now());
    else if (othersWork && clock.now() - channel.failingSince >= longestFailing)
      troubles.begin(channel.name, reason, channel.failingSince);
  }

  /** A session can be refused once: what comes after is no news. */
  function refused(channel: Watched, reason: string): void {
    if (channel.isOver) return;
    const { name } = channel;
    const now = clock.now();
    const held = channel.connectedSince === undefined ? 0 : now - channel.connectedSince;
    if (held >= steady) channel.refusals = 0;
    if (channel.refusals === 0) channel.refusedSince = now;
    channel.connectedSince = undefined;
    channel.isOver = true;
    health.report(name, { status: 'dead', reason }, now + (retryPauses[channel.refusals] ?? longestRetryPause));
    channel.refusals += 1;
    begin();
    if (channel.refusals < 2) return;
    const words = `${reason} It is tried again and again, at least every 15 minutes.`;
    troubles.begin(name, words, channel.refusedSince);
    if (!wasConnected && health.all().every((state) => state.health.status === 'dead')) allRefused(reason);
  }

  /** What it fails with, if it fails within the time that it has. */
  async function attempt(name: string, deed: string, work: () => Promise<void>): Promise<unknown> {
    const { signal } = ending;
    try {
      if (await endsWithin(work(), { clock, milliseconds: patience, signal })) return undefined;
    } catch (error) {
      log.error({ channel: name, err: error }, `a channel could not be ${deed}`);
      return error;
    }
    if (!signal.aborted) log.warn({ channel: name }, `a channel was not ${deed} in time`);
    return undefined;
  }

  async function connect(channel: Watched): Promise<void> {
    channel.session = new AbortController();
    channel.isOver = false;
    await channel.adapter.start(hostOf(channel.name, channel.session.signal));
  }

  /** Never throws: what is stored is closed after it, whatever becomes of a channel. */
  async function end(channel: Watched): Promise<void> {
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

  return {
    /** Connects a channel for the first time. Throws what its adapter throws. */
    start,

    /** Connects one more channel and watches it, or a new one in place of the one of that name. Throws what its adapter throws. */
    async add(name: string, adapter: ChannelAdapter): Promise<void> {
      const { signal } = ending;
      if (signal.aborted) return;
      channels.set(name, watched(name, adapter));
      if (!(await endsWithin(start(name), { clock, milliseconds: patience, signal })))
        log.warn({ channel: name }, 'a channel was not started in time');
      begin();
    },

    /** Ends a channel for good, within 3 s. Nothing that it brings is taken any more. Never throws. */
    async remove(name: string): Promise<void> {
      const channel = channels.get(name);
      channels.delete(name);
      channel?.session.abort();
      if (channel !== undefined) await end(channel);
    },

    /** From now on, channels that fall silent are noticed. */
    begin,

    /** The clock was set back: what is silent or refused now is looked after no later for that. */
    clockSet(): void {
      health.clockSet();
      begin();
    },

    heard(name: string, reported: ChannelHealth): void {
      const channel = channels.get(name);
      if (channel === undefined) return;
      switch (reported.status) {
        case 'connecting':
          // It is refused until it is seen connected: a try is no news.
          if (health.of(name)?.retryAt === undefined) health.report(name, reported);
          return;
        case 'connected':
          wasConnected = true;
          channel.connectedSince ??= clock.now();
          channel.failingSince = undefined;
          health.report(name, reported);
          troubles.end(name);
          return;
        case 'failing':
          fails(channel, reported.reason, reported.needsOwner);
          return;
        case 'dead':
          refused(channel, reported.reason);
      }
    },

    /** Stops all channels, in little more than 3 s. What they bring until then is taken; afterwards nothing is. */
    async stop(): Promise<void> {
      ending.abort();
      callOff();
      await Promise.all([...channels.values()].map(end));
    },
  };
}

function watched(name: string, adapter: ChannelAdapter): Watched {
  const { heartbeat = Number.POSITIVE_INFINITY } = adapter.capabilities;
  const session = new AbortController();
  const refused = { refusals: 0, refusedSince: 0, isOver: false };
  return { name, adapter, limit: heartbeat + grace, session, rebuilds: 0, ...refused };
}

/** Says something to the owners; with `notOnRefused`, only on channels that their platform does not refuse. */
export type TellOwners = (markdown: string, notOnRefused?: boolean) => void;

/** What is wrong with channels and needs a person: the owners are told when it begins, once, and when it is over. */
function createChannelTroubles(tell: TellOwners, clock: Clock) {
  /** Since when, and what was said, by the names of the channels. */
  const open = new Map<string, { readonly since: number; readonly words: string }>();
  return {
    /** The channel receives not as it should, or nothing, since that instant. */
    begin(name: string, reason: string, since: number): void {
      if (open.has(name)) return;
      const words = `⚠️ The channel ${inlineCode(name)} needs you. ${escapeMarkdown(oneLine(reason, 600))}`;
      open.set(name, { since, words });
      tell(words, true);
    },

    /** The channel receives as it should. Its owners may have had no other chat where they could be told of the others. */
    end(name: string): void {
      const trouble = open.get(name);
      if (trouble === undefined) return;
      open.delete(name);
      const time = durationWords(clock.now() - trouble.since);
      tell(`✅ The channel ${inlineCode(name)} works again, after ${time}.`);
      for (const { words } of open.values()) tell(words, true);
    },
  };
}

export interface ChannelState {
  readonly name: string;
  readonly health: ChannelHealth;
  /** When it came to be so. */
  readonly since: number;
  /** When that was last said. */
  readonly heardAt: number;
  /** When it is tried again, where the platform has refused it. */
  readonly retryAt?: number;
}

/** The longest pause until a channel is tried again that its platform has refused, in milliseconds. */
const longestRetryPause = 900_000;

interface BoardParts {
  readonly clock: Clock;
  readonly log: Log;
  /** A platform's own words may repeat what it was sent. */
  readonly redact?: Redactor;
}

export type HealthBoard = ReturnType<typeof createHealthBoard>;

/** How each channel's connection is, as it reports it itself: `connected` means that the last receive succeeded. */
export function createHealthBoard({ clock, log, redact = noRedaction }: BoardParts) {
  const states = new Map<string, ChannelState>();
  /** Who waits for all channels to be connected. */
  const waiting: (() => void)[] = [];

  function areSettled(): boolean {
    return [...states.values()].every(({ health: { status } }) => status === 'connected' || status === 'dead');
  }

  function note(name: string, health: ChannelHealth, before: ChannelState | undefined): void {
    const former =
      before === undefined ? {} : { before: before.health.status, beforeSince: new Date(before.since).toISOString() };
    const level = health.status === 'failing' || health.status === 'dead' ? 'warn' : 'info';
    log[level]({ channel: name, ...health, ...former }, `channel ${health.status}`);
  }

  return {
    report(name: string, reported: ChannelHealth, retryAt?: number): void {
      const health = 'reason' in reported ? { ...reported, reason: redact(reported.reason) } : reported;
      const before = states.get(name);
      const now = clock.now();
      const since = before?.health.status === health.status ? before.since : now;
      states.set(name, { name, health, since, heardAt: now, retryAt });
      if (JSON.stringify(before?.health) === JSON.stringify(health)) return;
      note(name, health, before);
      if (areSettled()) for (const resolve of waiting.splice(0)) resolve();
    },

    /** The clock was set back: nothing was later than now, and nothing is tried again later than it would be. */
    clockSet(): void {
      const now = clock.now();
      for (const [name, state] of states) {
        const { retryAt } = state;
        const [since, heardAt] = [Math.min(state.since, now), Math.min(state.heardAt, now)];
        states.set(name, { ...state, since, heardAt, retryAt: retryAt && Math.min(retryAt, now + longestRetryPause) });
      }
    },

    /** The channel runs no more, because nobody wants it to. */
    forget: (name: string): void => void states.delete(name),

    all: (): readonly ChannelState[] => [...states.values()],

    of: (name: string): ChannelState | undefined => states.get(name),

    /** Resolves once all channels are connected that can be: it may never come to that. */
    whenConnected(): Promise<void> {
      if (areSettled()) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}
