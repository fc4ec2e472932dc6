import type { ChannelAdapter, ChannelHealth, ChannelHost } from '../../contract.ts';
import type { Core } from '../../engine/feature.ts';
import { type Clock, endsWithin, type TimeLimit } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { escapeMarkdown, inlineCode, messageOf, oneLine } from '../../lib/plain-text.ts';
import { durationWords } from '../../lib/time-words.ts';
import { noRedaction, type Redactor } from '../../tools/guard/redact/redact.ts';

interface WatchParts extends Pick<Core, 'clock' | 'log'> {
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly health: HealthBoard;
  /** The host of one session of a channel, which ends with the signal. */
  readonly hostOf: (channel: string, over: AbortSignal) => ChannelHost;
  readonly tellOwners: TellOwners;
  /** Called on a second or later refusal, if all channels are refused and none has connected since the start. */
  readonly allRefused: (reason: string) => void;
}

interface Watched {
  readonly name: string;
  readonly adapter: ChannelAdapter;
  /** The longest silence allowed. In ms. */
  readonly limit: number;
  /** Ends the current session. */
  session: AbortController;
  /** Reconnects since it was last seen connected. */
  rebuilds: number;
  rebuilding?: Promise<void> | undefined;
  /** Since when it has failed to connect. */
  failingSince?: number | undefined;
  /** Consecutive refusals by its platform, and the time of the first. */
  refusals: number;
  refusedSince: number;
  /** The current session has ended with a refusal. */
  isOver: boolean;
  /** Since when it has been connected, interruptions other than refusals included. */
  connectedSince?: number | undefined;
}

/** How much longer than its heartbeat a channel may stay silent. In ms. */
const grace = 15_000;
/** The longest pause between reconnects of a silent channel. In ms. */
const longestPause = 600_000;
/** The time limit for stopping or starting a channel. In ms. */
const patience = 5_000;
/** The same at shutdown. */
const lastPatience = 3_000;
/** Owners are told of a channel that has failed for this long while another one works. In ms. */
const longestFailing = 1_800_000;
/** The pauses after consecutive refusals, in ms; `longestRetryPause` after more of them. */
const retryPauses = [5_000, 60_000, 300_000] as const;
/** A connection must hold for this long to reset the refusals. In ms. */
const steady = 300_000;

/**
 * Starts, watches and stops the channels. A channel that promises heartbeats and falls silent is stopped and started
 * again on the same adapter, with growing pauses while that does not help. So is a channel that its platform refuses: a
 * refusal may be an error of the platform, or be fixed there. Owners are told of the second refusal in a row, and when
 * it is over.
 */
export function createChannelWatch({ adapters, health, hostOf, tellOwners, allRefused, clock, log }: WatchParts) {
  const channels = new Map([...adapters].map(([name, adapter]) => [name, watched(name, adapter)]));
  const troubles = createChannelTroubles(tellOwners, clock);
  const ending = new AbortController();
  /** Whether any channel has connected since the start. */
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
      if (dueAt(channel) > now) continue;
      channel.rebuilding = rebuild(channel).finally(() => {
        channel.rebuilding = undefined;
        begin();
      });
    }
    begin();
  }

  /** When a refused channel is retried; for any other, when its silence becomes too long. */
  function dueAt(channel: Watched): number {
    const state = health.of(channel.name);
    if (state === undefined || channel.rebuilding !== undefined) return Number.POSITIVE_INFINITY;
    if (state.retryAt !== undefined) return state.retryAt;
    return state.heardAt + Math.max(channel.limit, Math.min(longestPause, channel.limit * 2 ** channel.rebuilds));
  }

  /** Never throws: failures are reported and retried later. */
  async function rebuild(channel: Watched): Promise<void> {
    const { name, adapter } = channel;
    // The old session accepts no more events: the platform redelivers them to the new one.
    channel.session.abort();
    const state = health.of(name);
    const isRetry = state?.retryAt !== undefined;
    // It counts as refused until it reports its health; if it never does, it is retried.
    if (isRetry) health.report(name, state.health, clock.now() + longestRetryPause);
    else tellSilence(channel);
    const limits = { clock, milliseconds: patience, signal: ending.signal };
    await attempt(name, 'stopped', () => adapter.stop(), limits);
    if (ending.signal.aborted) return;

    const failure = await attempt(name, 'started', () => connect(channel), limits);
    if (failure === undefined) return;
    channel.session.abort();
    const words = messageOf(failure);
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

  /** Tells owners if the channel needs them, or has failed for long while others work. */
  function fails(channel: Watched, reason: string, needsOwner?: boolean): void {
    channel.failingSince ??= clock.now();
    health.report(channel.name, { status: 'failing', reason, needsOwner });
    const othersWork = health.all().some((state) => state.health.status === 'connected');
    if (needsOwner === true) troubles.begin(channel.name, reason, clock.now());
    else if (othersWork && clock.now() - channel.failingSince >= longestFailing)
      troubles.begin(channel.name, reason, channel.failingSince);
  }

  /** Only the first refusal of a session counts. */
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

  /** Resolves with the error if the work fails within the time limit. */
  async function attempt(name: string, deed: string, work: () => Promise<void>, limits: TimeLimit): Promise<unknown> {
    try {
      if (await endsWithin(work(), limits)) return undefined;
    } catch (error) {
      log.error({ channel: name, err: error }, `a channel could not be ${deed}`);
      return error;
    }
    if (limits.signal?.aborted !== true) log.warn({ channel: name }, `a channel was not ${deed} in time`);
    return undefined;
  }

  async function connect(channel: Watched): Promise<void> {
    channel.session = new AbortController();
    channel.isOver = false;
    await channel.adapter.start(hostOf(channel.name, channel.session.signal));
  }

  /** Never throws: the store is closed after it, whatever happens to a channel. */
  async function end(channel: Watched): Promise<void> {
    await channel.rebuilding;
    await attempt(channel.name, 'stopped', () => channel.adapter.stop(), { clock, milliseconds: lastPatience });
    channel.session.abort();
  }

  return {
    /** Connects a channel for the first time. Throws what its adapter throws. */
    start,

    /** Connects and watches one more channel, or replaces the one of that name. Throws what its adapter throws. */
    async add(name: string, adapter: ChannelAdapter): Promise<void> {
      const { signal } = ending;
      if (signal.aborted) return;
      channels.set(name, watched(name, adapter));
      if (!(await endsWithin(start(name), { clock, milliseconds: patience, signal })))
        log.warn({ channel: name }, 'a channel was not started in time');
      begin();
    },

    /** Stops a channel for good, within 3 s. Its events are rejected from now on. Never throws. */
    async remove(name: string): Promise<void> {
      const channel = channels.get(name);
      channels.delete(name);
      channel?.session.abort();
      if (channel !== undefined) await end(channel);
    },

    /** The config no longer has the channel: nothing is told of it any more. */
    forget(name: string): void {
      health.forget(name);
      troubles.forget(name);
    },

    /** Starts watching for silent channels. */
    begin,

    /** The clock was set back: this delays no check and no retry. */
    clockSet(): void {
      health.clockSet();
      begin();
    },

    heard(name: string, reported: ChannelHealth): void {
      const channel = channels.get(name);
      if (channel === undefined) return;
      switch (reported.status) {
        case 'connecting':
          // A refused channel counts as refused until it connects.
          if (health.of(name)?.retryAt === undefined) health.report(name, reported);
          return;
        case 'connected':
          wasConnected = true;
          channel.connectedSince ??= clock.now();
          channel.failingSince = undefined;
          channel.rebuilds = 0;
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

    /** Stops all channels, in little more than 3 s. Events are accepted until then, but not afterwards. */
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

/** Sends a message to the owners; with `notOnRefused`, only on channels that their platform does not refuse. */
export type TellOwners = (markdown: string, notOnRefused?: boolean) => void;

/** Channel faults that need a person: owners are told once when one begins, and when it ends. */
function createChannelTroubles(tell: TellOwners, clock: Clock) {
  /** Since when, and the message sent, by channel. */
  const open = new Map<string, { readonly since: number; readonly words: string }>();
  return {
    /** The channel has not received as it should since that instant. */
    begin(name: string, reason: string, since: number): void {
      if (open.has(name)) return;
      const words = `⚠️ The channel ${inlineCode(name)} needs you. ${escapeMarkdown(oneLine(reason, 600))}`;
      open.set(name, { since, words });
      tell(words, true);
    },

    forget: (name: string): void => void open.delete(name),

    /** The channel works again. Repeats the other open faults, since its owners may have no other chat. */
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
  /** Since when the status is unchanged. */
  readonly since: number;
  /** When it was last reported. */
  readonly heardAt: number;
  /** When a refused channel is retried. */
  readonly retryAt?: number;
}

/** The longest pause before a refused channel is retried. In ms. */
const longestRetryPause = 900_000;

interface BoardParts {
  readonly clock: Clock;
  readonly log: Log;
  /** A platform's error message may repeat what it was sent. */
  readonly redact?: Redactor;
}

export type HealthBoard = ReturnType<typeof createHealthBoard>;

/** The health of each channel's connection, as reported by the channel. `connected`: the last receive succeeded. */
export function createHealthBoard({ clock, log, redact = noRedaction }: BoardParts) {
  const states = new Map<string, ChannelState>();
  /** The promises that wait for a report. */
  let waiting: readonly { readonly isDone: () => boolean; readonly resolve: () => void }[] = [];

  function areSettled(): boolean {
    return [...states.values()].every(({ health: { status } }) => status === 'connected' || status === 'dead');
  }

  function whenDone(isDone: () => boolean): Promise<void> {
    if (isDone()) return Promise.resolve();
    return new Promise((resolve) => {
      waiting = [...waiting, { isDone, resolve }];
    });
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
      for (const { isDone, resolve } of waiting) if (isDone()) resolve();
      waiting = waiting.filter(({ isDone }) => !isDone());
    },

    /** The clock was set back: no stored time stays later than now, and no retry is delayed by it. */
    clockSet(): void {
      const now = clock.now();
      for (const [name, state] of states) {
        const { retryAt } = state;
        const [since, heardAt] = [Math.min(state.since, now), Math.min(state.heardAt, now)];
        states.set(name, { ...state, since, heardAt, retryAt: retryAt && Math.min(retryAt, now + longestRetryPause) });
      }
    },

    /** The channel was removed on purpose. */
    forget: (name: string): void => void states.delete(name),

    all: (): readonly ChannelState[] => [...states.values()],

    of: (name: string): ChannelState | undefined => states.get(name),

    /** Resolves once each channel is connected or refused, which may never happen. */
    whenConnected: () => whenDone(areSettled),

    /** Resolves once none of these is still connecting for the first time, which may never happen. */
    whenTried: (names: readonly string[]) =>
      whenDone(() => names.every((name) => states.get(name)?.health.status !== 'connecting')),
  };
}
