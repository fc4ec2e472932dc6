import { bearable, type ChannelHealth, type ChannelHost } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import { backOff, withTimeout } from '../../src/lib/clock.ts';
import { type InLanguage, type Words, wordsIn } from '../../src/lib/words.ts';
import { createHealth } from '../kit/connection-health.ts';
import { type Announcements, createAnnouncements } from './announcements.ts';
import type { SendingApi } from './api.ts';
import { readFailure } from './failure.ts';
import { updateIdOf } from './parse.ts';
import type { BotIdentity, ReadingApi } from './reading-api.ts';
import type { TelegramSettings } from './settings.ts';
import { createUpdateStore, type UpdateStore } from './update-store.ts';
import { telegramWords } from './words.ts';

const longestPause = 30_000;
const pauses = { firstPause: 250, longestPause, chance: () => 1 };
const shortestRest = 1_000;
const conflictPause = 2_000;
/** One conflict after a restart is normal: Telegram still holds the previous process's poll. */
const toleratedConflicts = 2;
/** Conflicts count this long, in ms. Between two of them, this process may receive updates. */
const conflictWindow = 120_000;

export interface PollOptions {
  readonly settings: TelegramSettings;
  readonly reading: ReadingApi;
  readonly sending: SendingApi;
  readonly host: ChannelHost;
  readonly background: Background;
  /** Told the bot's name, once it is known. */
  readonly session: { username?: string };
}

/** A bot that polls. */
interface Polling extends PollOptions {
  readonly signal: AbortSignal;
  readonly store: UpdateStore;
  readonly isDeafAfter: (received: number) => Promise<boolean>;
  bot: BotIdentity | undefined;
  readonly announcements: Announcements;
  /** The first update that is not confirmed. */
  offset: number | undefined;
  isConnected: boolean;
  failures: number;
  /** Times of the latest conflicts, ms since 1970. */
  conflicts: readonly number[];
}

/** The result of a round. */
interface Outcome {
  /** Before the next one, in ms. */
  readonly pause: number;
  readonly health: ChannelHealth;
  /** Another process receives with the same token. */
  readonly isContested?: boolean;
}

/**
 * Long-polls for updates until the signal aborts or the token is refused. Updates are confirmed, by the next offset,
 * only after the host has stored them; others are delivered again. Never rejects.
 */
export async function poll(options: PollOptions, signal: AbortSignal): Promise<void> {
  const { reading, host } = options;
  const channel = createHealth('telegram', host);
  const polling: Polling = {
    ...options,
    signal,
    store: createUpdateStore({ ...options, secret: options.settings.token }),
    isDeafAfter: deafnessCheck(reading, host, signal),
    bot: undefined,
    announcements: createAnnouncements(options, signal),
    offset: undefined,
    isConnected: false,
    failures: 0,
    conflicts: [],
  };
  let wasContested = false;
  channel.tell({ status: 'connecting' });
  while (!signal.aborted) {
    const { pause, health, isContested = false } = await round(polling);
    if (signal.aborted) return;
    polling.isConnected = health.status === 'connected';
    // Log each failure, but a continuing conflict only once.
    if (health.status === 'failing' && !(isContested && wasContested))
      host.log.warn({ reason: wordsIn('en', health.reason) }, 'telegram does not receive');
    wasContested = isContested;
    channel.tell(health);
    if (health.status === 'dead') return;
    await channel.pause(pause, signal);
  }
}

async function round(polling: Polling): Promise<Outcome> {
  const { reading, settings, host, signal, isDeafAfter } = polling;
  try {
    polling.bot ??= await connect(polling);
    const { bot, isConnected, offset, announcements } = polling;
    announcements.refresh();
    // The first poll returns at once, to report "connected" early; not in a conflict, where that proves nothing.
    const timeout = isConnected || latestConflicts(polling).length > 0 ? settings.poll_timeout_secs : 0;
    const milliseconds = (timeout + settings.poll_grace_secs) * 1000;
    const begun = host.clock.now();
    const fetch = (watched: AbortSignal) => reading.getUpdates(offset, timeout, watched);
    const updates = await withTimeout({ clock: host.clock, milliseconds, signal }, fetch);
    if (await isDeafAfter(updates.length)) {
      reading.renew();
      return fail((language) => telegramWords[language].deaf, polling);
    }
    if (updates.length > 0) return await take(updates, bot, polling);
    // Telegram holds empty answers back; do not hammer servers that do not.
    const isHasty = timeout > 0 && host.clock.now() - begun < shortestRest;
    return succeed(bot, isHasty ? shortestRest : 0, polling);
  } catch (error) {
    return judge(error, polling);
  }
}

async function connect(polling: Polling): Promise<BotIdentity> {
  const { reading, signal } = polling;
  const [found] = await Promise.all([reading.getMe(signal), reading.deleteWebhook(signal)]);
  polling.session.username = found.username;
  return found;
}

async function take(updates: readonly unknown[], receiver: BotIdentity, polling: Polling): Promise<Outcome> {
  const unstored = await polling.store(updates, receiver);
  if (unstored !== undefined) {
    const { updateId, reason } = unstored;
    polling.offset = updateId ?? polling.offset;
    polling.host.log.error({ updateId, err: reason }, 'an update was not stored');
    return fail((language) => telegramWords[language].cannotStore, polling);
  }
  const last = updates.map(updateIdOf).findLast((id) => id !== undefined);
  if (last === undefined) return fail((language) => telegramWords[language].noIds, polling);
  polling.offset = last + 1;
  return succeed(receiver, 0, polling);
}

function succeed({ username }: BotIdentity, pause: number, polling: Polling): Outcome {
  polling.failures = 0;
  if (isContested(polling)) return contested(pause);
  return { pause, health: { status: 'connected', account: `@${username}` } };
}

function fail(reason: Words, polling: Polling): Outcome {
  polling.failures += 1;
  return { pause: backOff(polling.failures, pauses), health: { status: 'failing', reason } };
}

function judge(error: unknown, polling: Polling): Outcome {
  const { fault, words, code } = readFailure(error);
  const because =
    (key: 'unreachable' | 'refusesToDeliver' | 'tokenRefused'): InLanguage =>
    (language) =>
      telegramWords[language][key]({ why: wordsIn(language, words) });
  if (code === undefined) return fail(because('unreachable'), polling);
  const said = String(code);
  if (said.startsWith('409 ')) return /webhook/i.test(said) ? reconnect(polling) : yieldToOther(polling);
  if (fault !== 'lost' && fault.type === 'auth')
    return { pause: 0, health: { status: 'dead', reason: because('tokenRefused') } };
  if (fault === 'lost' || fault.type !== 'rate-limited') return fail(because('refusesToDeliver'), polling);
  const wait = bearable(fault.retryAfter);
  const outcome = fail((language) => telegramWords[language].asksToWait({ wait }), polling);
  return { ...outcome, pause: Math.max(outcome.pause, wait) };
}

/** Connecting deletes the webhook. */
function reconnect(polling: Polling): Outcome {
  polling.bot = undefined;
  return fail((language) => telegramWords[language].webhookRemoved, polling);
}

function yieldToOther(polling: Polling): Outcome {
  polling.conflicts = [...latestConflicts(polling), polling.host.clock.now()];
  const pause = Math.min(longestPause, conflictPause * polling.conflicts.length);
  return isContested(polling) ? contested(pause) : { pause, health: { status: 'connecting' } };
}

function contested(pause: number): Outcome {
  const reason: InLanguage = (language) => telegramWords[language].contested;
  return { pause, health: { status: 'failing', reason, needsOwner: true }, isContested: true };
}

function isContested(polling: Polling): boolean {
  return latestConflicts(polling).length > toleratedConflicts;
}

function latestConflicts({ conflicts, host }: Polling): readonly number[] {
  return conflicts.filter((at) => host.clock.now() - at < conflictWindow);
}

/** How long without updates before asking for the pending count, and the timeout of that request, in ms. */
const askAfter = 60_000;
const longestAnswer = 5_000;
/** A single count may include an update that has just arrived. */
const enoughSuspicion = 2;

/**
 * Detects polls that succeed but deliver nothing although updates are pending, which happens if another server answers
 * them. Takes the number of updates of a poll and resolves with whether delivery is broken. Asks rarely, and twice
 * before it says so.
 */
function deafnessCheck(
  api: Pick<ReadingApi, 'countPending'>,
  { clock, log }: ChannelHost,
  signal: AbortSignal,
): (received: number) => Promise<boolean> {
  let askedAt = clock.now();
  let suspicion = 0;
  return async (received: number): Promise<boolean> => {
    if (received > 0) suspicion = 0;
    else if (suspicion === 0 && clock.now() - askedAt < askAfter) return false;
    askedAt = clock.now();
    if (received > 0) return false;
    try {
      const pending = await withTimeout({ clock, milliseconds: longestAnswer, signal }, api.countPending);
      suspicion = pending > 0 ? suspicion + 1 : 0;
    } catch (error) {
      log.debug({ reason: wordsIn('en', readFailure(error).words) }, 'Telegram does not say how many updates wait');
    }
    return suspicion >= enoughSuspicion;
  };
}
