import { type ChannelAdapter, ChannelError, type ChannelHealth, type ChannelHost } from '../../contract.ts';
import type { Core } from '../../engine/feature.ts';
import { type Clock, endsWithin, type TimeLimit } from '../../lib/clock.ts';
import { escapeMarkdown, messageOf, oneLine } from '../../lib/plain-text.ts';
import { durationWords } from '../../lib/time-words.ts';
import { type InLanguage, type Words, wordsIn } from '../../lib/words.ts';
import { type HealthBoard, longestRetryPause } from './health-board.ts';
import { healthWords } from './words.ts';

interface WatchParts extends Pick<Core, 'clock' | 'log'> {
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly health: HealthBoard;
  /** The host of one session of a channel, which ends with the signal. */
  readonly hostOf: (channel: string, over: AbortSignal) => ChannelHost;
  readonly tellOwners: TellOwners;
  /** Called on a second or later refusal, if all channels are refused and none has connected since the start. */
  readonly allRefused: (reason: Words) => void;
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
export interface ChannelWatch {
  /** Connects a channel for the first time. Throws what its adapter throws. */
  start(name: string): Promise<void>;
  /** Connects and watches one more channel, or replaces the one of that name. Throws what its adapter throws. */
  add(name: string, adapter: ChannelAdapter): Promise<void>;
  /** Stops a channel for good, within 3 s. Its events are rejected from now on. Never throws. */
  remove(name: string): Promise<void>;
  /** The config no longer has the channel: nothing is told of it any more. */
  forget(name: string): void;
  /** Starts watching for silent channels. */
  begin(): void;
  /** The clock was set back: this delays no check and no retry. */
  clockSet(): void;
  /** The channel reports its health. */
  heard(name: string, reported: ChannelHealth): void;
  /** Stops all channels, in little more than 3 s. Events are accepted until then, but not afterwards. */
  stop(): Promise<void>;
}

interface WatchState extends WatchParts {
  readonly channels: Map<string, Watched>;
  readonly troubles: ChannelTroubles;
  readonly ending: AbortController;
  /** Whether any channel has connected since the start. */
  wasConnected: boolean;
  callOff: () => void;
}

export function createChannelWatch(parts: WatchParts): ChannelWatch {
  const { adapters, health, tellOwners, clock } = parts;
  const watch: WatchState = {
    ...parts,
    channels: new Map([...adapters].map(([name, adapter]) => [name, watched(name, adapter)])),
    troubles: createChannelTroubles(tellOwners, clock),
    ending: new AbortController(),
    wasConnected: false,
    callOff: () => {},
  };
  return {
    start: (name) => start(name, watch),
    add: (name, adapter) => add(name, adapter, watch),
    remove: (name) => remove(name, watch),
    forget(name) {
      health.forget(name);
      watch.troubles.forget(name);
    },
    begin: () => begin(watch),
    clockSet() {
      health.clockSet();
      begin(watch);
    },
    heard: (name, reported) => heard(name, reported, watch),
    async stop() {
      watch.ending.abort();
      watch.callOff();
      await Promise.all([...watch.channels.values()].map((channel) => end(channel, watch)));
    },
  };
}

async function start(name: string, watch: WatchState): Promise<void> {
  watch.health.report(name, { status: 'connecting' });
  const channel = watch.channels.get(name);
  if (channel !== undefined) await connect(channel, watch);
}

async function add(name: string, adapter: ChannelAdapter, watch: WatchState): Promise<void> {
  const { channels, clock, log, ending } = watch;
  const { signal } = ending;
  if (signal.aborted) return;
  channels.set(name, watched(name, adapter));
  if (!(await endsWithin(start(name, watch), { clock, milliseconds: patience, signal })))
    log.warn({ channel: name }, 'a channel was not started in time');
  begin(watch);
}

async function remove(name: string, watch: WatchState): Promise<void> {
  const channel = watch.channels.get(name);
  watch.channels.delete(name);
  channel?.session.abort();
  if (channel !== undefined) await end(channel, watch);
}

/** Looks again when the next channel is due. */
function begin(watch: WatchState): void {
  const { channels, clock, ending } = watch;
  watch.callOff();
  if (ending.signal.aborted) return;
  const next = Math.min(...[...channels.values()].map((channel) => dueAt(channel, watch)));
  if (next === Number.POSITIVE_INFINITY) return;
  watch.callOff = clock.after(Math.max(0, next - clock.now()), () => look(watch));
}

function look(watch: WatchState): void {
  const now = watch.clock.now();
  for (const channel of watch.channels.values()) {
    if (dueAt(channel, watch) > now) continue;
    channel.rebuilding = rebuild(channel, watch).finally(() => {
      channel.rebuilding = undefined;
      begin(watch);
    });
  }
  begin(watch);
}

/** When a refused channel is retried; for any other, when its silence becomes too long. */
function dueAt({ name, rebuilding, limit, rebuilds }: Watched, { health }: WatchState): number {
  const state = health.of(name);
  if (state === undefined || rebuilding !== undefined) return Number.POSITIVE_INFINITY;
  if (state.retryAt !== undefined) return state.retryAt;
  return state.heardAt + Math.max(limit, Math.min(longestPause, limit * 2 ** rebuilds));
}

/** Never throws: failures are reported and retried later. */
async function rebuild(channel: Watched, watch: WatchState): Promise<void> {
  const { name, adapter } = channel;
  const { health, clock, ending } = watch;
  // The old session accepts no more events: the platform redelivers them to the new one.
  channel.session.abort();
  const state = health.of(name);
  const isRetry = state?.retryAt !== undefined;
  // It counts as refused until it reports its health; if it never does, it is retried.
  if (isRetry) health.report(name, state.health, clock.now() + longestRetryPause);
  else tellSilence(channel, watch);
  const limits = { clock, milliseconds: patience, signal: ending.signal };
  await attempt(name, { deed: 'stopped', work: () => adapter.stop(), limits }, watch);
  if (ending.signal.aborted) return;

  const failure = await attempt(name, { deed: 'started', work: () => connect(channel, watch), limits }, watch);
  if (failure === undefined) return;
  channel.session.abort();
  const words = failure instanceof ChannelError ? failure.words : messageOf(failure);
  const stillSilent: InLanguage = (language) => healthWords[language].silentStill({ reason: wordsIn(language, words) });
  if (isRetry) refused(channel, words, watch);
  else fails(channel, { reason: stillSilent }, watch);
}

function tellSilence(channel: Watched, watch: WatchState): void {
  const { health, clock, log } = watch;
  const { name } = channel;
  const silence = clock.now() - (health.of(name)?.heardAt ?? clock.now());
  channel.rebuilds += 1;
  log.warn(
    { channel: name, silence: durationWords(silence), rebuilds: channel.rebuilds },
    'a channel has fallen silent: it is reconnected',
  );
  const reason: InLanguage = (language) => healthWords[language].silent({ time: durationWords(silence, language) });
  fails(channel, { reason }, watch);
}

/** Tells owners if the channel needs them, or has failed for long while others work. */
function fails(
  channel: Watched,
  { reason, needsOwner }: { readonly reason: Words; readonly needsOwner?: boolean | undefined },
  { health, troubles, clock }: WatchState,
): void {
  channel.failingSince ??= clock.now();
  health.report(channel.name, { status: 'failing', reason, needsOwner });
  const othersWork = health.all().some((state) => state.health.status === 'connected');
  if (needsOwner === true) troubles.begin(channel.name, reason, clock.now());
  else if (othersWork && clock.now() - channel.failingSince >= longestFailing)
    troubles.begin(channel.name, reason, channel.failingSince);
}

/** Only the first refusal of a session counts. */
function refused(channel: Watched, reason: Words, watch: WatchState): void {
  if (channel.isOver) return;
  const { health, troubles, clock } = watch;
  const { name } = channel;
  const now = clock.now();
  const held = channel.connectedSince === undefined ? 0 : now - channel.connectedSince;
  if (held >= steady) channel.refusals = 0;
  if (channel.refusals === 0) channel.refusedSince = now;
  channel.connectedSince = undefined;
  channel.isOver = true;
  health.report(name, { status: 'dead', reason }, now + (retryPauses[channel.refusals] ?? longestRetryPause));
  channel.refusals += 1;
  begin(watch);
  if (channel.refusals < 2) return;
  const retried: InLanguage = (language) => healthWords[language].retried({ reason: wordsIn(language, reason) });
  troubles.begin(name, retried, channel.refusedSince);
  if (!watch.wasConnected && health.all().every((state) => state.health.status === 'dead')) watch.allRefused(reason);
}

interface Work {
  readonly deed: string;
  readonly work: () => Promise<void>;
  readonly limits: TimeLimit;
}

/** Resolves with the error if the work fails within the time limit. */
async function attempt(name: string, { deed, work, limits }: Work, { log }: WatchState): Promise<unknown> {
  try {
    if (await endsWithin(work(), limits)) return undefined;
  } catch (error) {
    log.error({ channel: name, err: error }, `a channel could not be ${deed}`);
    return error;
  }
  if (limits.signal?.aborted !== true) log.warn({ channel: name }, `a channel was not ${deed} in time`);
  return undefined;
}

async function connect(channel: Watched, { hostOf }: WatchState): Promise<void> {
  channel.session = new AbortController();
  channel.isOver = false;
  await channel.adapter.start(hostOf(channel.name, channel.session.signal));
}

/** Never throws: the store is closed after it, whatever happens to a channel. */
async function end(channel: Watched, watch: WatchState): Promise<void> {
  await channel.rebuilding;
  const limits = { clock: watch.clock, milliseconds: lastPatience };
  await attempt(channel.name, { deed: 'stopped', work: () => channel.adapter.stop(), limits }, watch);
  channel.session.abort();
}

function heard(name: string, reported: ChannelHealth, watch: WatchState): void {
  const { channels, health, troubles, clock } = watch;
  const channel = channels.get(name);
  if (channel === undefined) return;
  switch (reported.status) {
    case 'connecting':
      // A refused channel counts as refused until it connects.
      if (health.of(name)?.retryAt === undefined) health.report(name, reported);
      return;
    case 'connected':
      watch.wasConnected = true;
      channel.connectedSince ??= clock.now();
      channel.failingSince = undefined;
      channel.rebuilds = 0;
      health.report(name, reported);
      troubles.end(name);
      return;
    case 'failing':
      fails(channel, reported, watch);
      return;
    case 'dead':
      refused(channel, reported.reason, watch);
  }
}

function watched(name: string, adapter: ChannelAdapter): Watched {
  const { heartbeat = Number.POSITIVE_INFINITY } = adapter.capabilities;
  const session = new AbortController();
  const refused = { refusals: 0, refusedSince: 0, isOver: false };
  return { name, adapter, limit: heartbeat + grace, session, rebuilds: 0, ...refused };
}

/** Sends a message to the owners; with `notOnRefused`, only on channels that their platform does not refuse. */
export type TellOwners = (markdown: Words, notOnRefused?: boolean) => void;

/** Channel faults that need a person: owners are told once when one begins, and when it ends. */
interface ChannelTroubles {
  /** The channel has not received as it should since that instant. */
  begin(name: string, reason: Words, since: number): void;
  forget(name: string): void;
  /** The channel works again. Repeats the other open faults, since its owners may have no other chat. */
  end(name: string): void;
}

function createChannelTroubles(tell: TellOwners, clock: Clock): ChannelTroubles {
  /** Since when, and the message sent, by channel. */
  const open = new Map<string, { readonly since: number; readonly words: InLanguage }>();
  return {
    begin(name, reason, since) {
      if (open.has(name)) return;
      const words: InLanguage = (language) => {
        const plain = escapeMarkdown(oneLine(wordsIn(language, reason), 600));
        return healthWords[language].channelNeedsYou({ channel: name, reason: plain });
      };
      open.set(name, { since, words });
      tell(words, true);
    },
    forget: (name) => void open.delete(name),
    end(name) {
      const trouble = open.get(name);
      if (trouble === undefined) return;
      open.delete(name);
      const time = clock.now() - trouble.since;
      tell((language) => healthWords[language].channelWorks({ channel: name, time: durationWords(time, language) }));
      for (const { words } of open.values()) tell(words, true);
    },
  };
}
