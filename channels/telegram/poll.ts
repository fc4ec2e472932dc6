import { bearable, type ChannelHealth, type ChannelHost } from '../../src/contract.ts';
import { durationWords } from '../../src/lib/time-words.ts';
import { createHealth } from '../kit/connection-health.ts';
import { withTimeout } from '../kit/timeout.ts';
import { type Failure, readFailure } from './failure.ts';
import { createInbound, type OnPressed } from './inbound.ts';
import type { BotIdentity, ReceivingApi } from './receiving.ts';
import type { TelegramSettings } from './settings.ts';
import { updateIdOf } from './update.ts';

const longestPause = 30_000;
const firstPause = 250;
const shortestRest = 1_000;
const conflictPause = 2_000;
/** One conflict after a restart is normal: Telegram still holds the previous process's poll. */
const toleratedConflicts = 2;
/** Conflicts count this long, in ms. Between two of them, this process may receive updates. */
const conflictWindow = 120_000;
const defaultRetrySecs = 5;

export interface PollOptions {
  readonly api: ReceivingApi;
  readonly settings: Pick<TelegramSettings, 'poll_timeout_secs' | 'poll_grace_secs'>;
  readonly host: ChannelHost;
  /** Called once the bot is known. */
  readonly onConnected: () => void;
  readonly onPressed: OnPressed;
}

/**
 * Long-polls for updates until the signal aborts or the token is refused. Updates are confirmed, by the next offset,
 * only after the host has stored them; others are delivered again. Never rejects.
 */
export async function poll(options: PollOptions, signal: AbortSignal): Promise<void> {
  const { api, settings, host, onConnected, onPressed } = options;
  const { clock, log } = host;
  const channel = createHealth('telegram', host);
  const store = createInbound(host, onPressed);
  const isDeafAfter = deafnessCheck(api, host, signal);
  let bot: BotIdentity | undefined;
  let isGreeted = false;
  let offset: number | undefined;
  let isConnected = false;
  let failures = 0;
  /** Times of the latest conflicts, ms since 1970. */
  let conflicts: readonly number[] = [];

  const latestConflicts = (): readonly number[] => conflicts.filter((at) => clock.now() - at < conflictWindow);
  const isContested = (): boolean => latestConflicts().length > toleratedConflicts;

  async function round(): Promise<Outcome> {
    try {
      bot ??= await connect();
      // The first poll returns at once, to report "connected" early; not in a conflict, where that proves nothing.
      const timeout = isConnected || latestConflicts().length > 0 ? settings.poll_timeout_secs : 0;
      const milliseconds = (timeout + settings.poll_grace_secs) * 1000;
      const begun = clock.now();
      const fetch = (watched: AbortSignal) => api.getUpdates(offset, timeout, watched);
      const updates = await withTimeout({ clock, milliseconds, signal }, fetch);
      if (await isDeafAfter(updates.length)) {
        api.renew();
        return backOff(deafWords);
      }
      if (updates.length > 0) return await take(updates, bot);
      // Telegram holds empty answers back; do not hammer servers that do not.
      const isHasty = timeout > 0 && clock.now() - begun < shortestRest;
      return succeed(bot, isHasty ? shortestRest : 0);
    } catch (error) {
      return judge(readFailure(error));
    }
  }

  async function connect(): Promise<BotIdentity> {
    const [found] = await Promise.all([api.getMe(signal), api.deleteWebhook(signal)]);
    if (!isGreeted) onConnected();
    isGreeted = true;
    return found;
  }

  async function take(updates: readonly unknown[], receiver: BotIdentity): Promise<Outcome> {
    const ids = updates.map(updateIdOf);
    const unstored = await store(updates, receiver);
    if (unstored !== undefined) {
      const updateId = ids[unstored.index];
      offset = updateId ?? offset;
      log.error({ updateId, err: unstored.reason }, 'an update was not stored');
      return backOff('What Telegram delivers cannot be stored. It is fetched again; the log says what is wrong.');
    }
    const last = ids.findLast((id) => id !== undefined);
    if (last === undefined) return backOff('Telegram sends updates without ids; check api_root.');
    offset = last + 1;
    return succeed(receiver, 0);
  }

  function succeed({ username }: BotIdentity, pause: number): Outcome {
    failures = 0;
    if (isContested()) return { pause, health: contested };
    return { pause, health: { status: 'connected', account: `@${username}` } };
  }

  function judge(failure: Failure): Outcome {
    if (failure.type !== 'refused') return backOff(`Telegram cannot be reached: ${failure.words}.`);
    const { code, words, retryAfter = defaultRetrySecs } = failure;
    switch (code) {
      case 401:
      case 404:
        return { pause: 0, health: { status: 'dead', reason: deadWords(words) } };
      case 409:
        return /webhook/i.test(words) ? reconnect() : yieldToOther();
      case 429: {
        const wait = bearable(retryAfter * 1000);
        const outcome = backOff(`Telegram asks to wait. It is asked again in ${durationWords(wait)}.`);
        return { ...outcome, pause: Math.max(outcome.pause, wait) };
      }
      default:
        return backOff(`Telegram refuses to deliver: ${words}.`);
    }
  }

  /** Connecting deletes the webhook. */
  function reconnect(): Outcome {
    bot = undefined;
    return backOff('Somebody has set a webhook for this bot. It was removed; if it comes back, end the other program.');
  }

  function yieldToOther(): Outcome {
    conflicts = [...latestConflicts(), clock.now()];
    const pause = Math.min(longestPause, conflictPause * conflicts.length);
    return { pause, health: isContested() ? contested : { status: 'connecting' } };
  }

  function backOff(reason: string): Outcome {
    const pause = Math.min(longestPause, firstPause * 2 ** Math.min(failures, 7));
    failures += 1;
    return { pause, health: { status: 'failing', reason } };
  }

  let former: ChannelHealth | undefined;
  channel.tell({ status: 'connecting' });
  while (!signal.aborted) {
    const { pause, health } = await round();
    if (signal.aborted) return;
    isConnected = health.status === 'connected';
    // Log each failure, but a continuing conflict only once.
    if (health.status === 'failing' && !(health === contested && former === contested))
      log.warn({ reason: health.reason }, 'telegram does not receive');
    former = health;
    channel.tell(health);
    if (health.status === 'dead') return;
    await channel.pause(pause, signal);
  }
}

/** The result of a round: the pause before the next, in ms, and the health. */
interface Outcome {
  readonly pause: number;
  readonly health: ChannelHealth;
}

const conflictWords =
  'Another process receives with the same token, so messages go astray. Stop the other one; ' +
  'if you know of none, revoke the token at @BotFather (/revoke) and put the new one into channels.telegram.token.';

const contested = { status: 'failing', reason: conflictWords, needsOwner: true } as const;

const deafWords =
  'Telegram has messages for the bot and delivers none of them. A new connection is made; ' +
  'if that does not help, check api_root and the proxy.';

function deadWords(words: string): string {
  return (
    `Telegram does not accept the token (${words}). Take it from @BotFather (/mybots, API Token), ` +
    'put it into channels.telegram.token.'
  );
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
function deafnessCheck(api: Pick<ReceivingApi, 'countPending'>, { clock, log }: ChannelHost, signal: AbortSignal) {
  let askedAt = clock.now();
  let suspicion = 0;
  return async (received: number): Promise<boolean> => {
    if (received > 0) suspicion = 0;
    else if (suspicion === 0 && clock.now() - askedAt < askAfter) return false;
    askedAt = clock.now();
    if (received > 0) return false;
    try {
      const count = (watched: AbortSignal) => api.countPending(watched);
      const pending = await withTimeout({ clock, milliseconds: longestAnswer, signal }, count);
      suspicion = pending > 0 ? suspicion + 1 : 0;
    } catch (error) {
      log.debug({ reason: readFailure(error).words }, 'Telegram does not say how many updates wait');
    }
    return suspicion >= enoughSuspicion;
  };
}
