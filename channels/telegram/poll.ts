import { bearable, type ChannelHealth, type ChannelHost } from '../../src/contract.ts';
import { durationWords } from '../../src/lib/duration.ts';
import { ConnectionHealth } from '../kit/connection-health.ts';
import { withTimeout } from '../kit/timeout.ts';
import { type Failure, readFailure } from './failure.ts';
import { Inbound, type OnPressed } from './inbound.ts';
import type { BotIdentity, ReceivingApi } from './receiving.ts';
import type { TelegramSettings } from './settings.ts';
import { updateIdOf } from './update.ts';

const longestPause = 30_000;
const firstPause = 250;
const shortestRest = 1_000;
const conflictPause = 2_000;
/** One conflict after a restart is normal: Telegram still holds the poll of the process that is gone. */
const toleratedConflicts = 2;
/** Conflicts count for so long, in milliseconds: between two of them, this process may well receive something. */
const conflictWindow = 120_000;
const defaultRetrySecs = 5;

/**
 * Receives updates by long polling. An update is confirmed, by asking for what comes after it, only once the host has
 * stored it and all before it; what it could not store comes again. Only a refused token ends it.
 */
export class Poller {
  readonly #api: ReceivingApi;
  readonly #settings: PollSettings;
  readonly #host: ChannelHost;
  readonly #onConnected: () => void;
  readonly #health: ConnectionHealth;
  readonly #inbound: Inbound;
  readonly #deafness: DeafnessCheck;
  #bot: BotIdentity | undefined;
  #greeted = false;
  #offset: number | undefined;
  #isConnected = false;
  #failures = 0;
  /** When the latest conflicts were, in milliseconds since 1970. */
  #conflicts: readonly number[] = [];

  /** `onConnected` is called once, when the bot is known. */
  constructor(
    api: ReceivingApi,
    settings: PollSettings,
    host: ChannelHost,
    { onConnected, onPressed }: { readonly onConnected: () => void; readonly onPressed: OnPressed },
  ) {
    this.#api = api;
    this.#settings = settings;
    this.#host = host;
    this.#onConnected = onConnected;
    this.#health = new ConnectionHealth('telegram', host);
    this.#inbound = new Inbound(host, onPressed);
    this.#deafness = new DeafnessCheck(api, host);
  }

  /** Receives until the signal aborts or the token is refused. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    let former: ChannelHealth | undefined;
    this.#health.tell({ status: 'connecting' });
    while (!signal.aborted) {
      const { pause, health } = await this.#round(signal);
      if (signal.aborted) return;
      this.#isConnected = health.status === 'connected';
      // Each failure is a try of its own; that another process receives goes on without one.
      if (health.status === 'failing' && !(health === contested && former === contested))
        this.#host.log.warn({ reason: health.reason }, 'telegram does not receive');
      former = health;
      this.#health.tell(health);
      if (health.status === 'dead') return;
      await this.#health.pause(pause, signal);
    }
  }

  async #round(signal: AbortSignal): Promise<Outcome> {
    const clock = this.#host.clock;
    const { poll_timeout_secs: pollTimeoutSecs } = this.#settings;
    try {
      this.#bot ??= await this.#connect(signal);
      // The first poll does not wait, so that "connected" is known at once. In a conflict that would only win a moment.
      const timeout = this.#isConnected || this.#latestConflicts.length > 0 ? pollTimeoutSecs : 0;
      const begun = clock.now();
      const updates = await this.#fetch(timeout, signal);
      if (updates.length > 0) return await this.#take(updates, this.#bot);
      // Telegram holds an empty answer back; what does not must not be asked without end.
      const isHasty = timeout > 0 && clock.now() - begun < shortestRest;
      return await this.#rest(this.#bot, isHasty ? shortestRest : 0, signal);
    } catch (error) {
      return this.#judge(readFailure(error));
    }
  }

  async #connect(signal: AbortSignal): Promise<BotIdentity> {
    const api = this.#api;
    const [bot] = await Promise.all([api.getMe(signal), api.deleteWebhook(signal)]);
    if (!this.#greeted) this.#onConnected();
    this.#greeted = true;
    return bot;
  }

  async #fetch(timeout: number, signal: AbortSignal): Promise<readonly unknown[]> {
    const milliseconds = (timeout + this.#settings.poll_grace_secs) * 1000;
    return withTimeout({ clock: this.#host.clock, milliseconds, signal }, (watched) =>
      this.#api.getUpdates(this.#offset, timeout, watched),
    );
  }

  async #take(updates: readonly unknown[], bot: BotIdentity): Promise<Outcome> {
    this.#deafness.broken();
    const ids = updates.map(updateIdOf);
    const unstored = await this.#inbound.take(updates, bot);
    if (unstored === undefined) return this.#confirm(ids, bot);

    const updateId = ids[unstored.index];
    this.#offset = updateId ?? this.#offset;
    this.#host.log.error({ updateId, err: unstored.reason }, 'an update was not stored');
    return this.#backOff('What Telegram delivers cannot be stored. It is fetched again; the log says what is wrong.');
  }

  #confirm(ids: readonly (number | undefined)[], bot: BotIdentity): Outcome {
    const last = ids.findLast((id) => id !== undefined);
    if (last === undefined) return this.#backOff('Telegram sends updates without ids; check api_root.');

    this.#offset = last + 1;
    return this.#succeed(bot, 0);
  }

  /** Nothing has come in. */
  async #rest(bot: BotIdentity, pause: number, signal: AbortSignal): Promise<Outcome> {
    if (await this.#deafness.isDeafness(signal)) {
      this.#api.renew();
      return this.#backOff(deafWords);
    }
    return this.#succeed(bot, pause);
  }

  #succeed({ username }: BotIdentity, pause: number): Outcome {
    this.#failures = 0;
    if (this.#isContested) return { pause, health: contested };
    return { pause, health: { status: 'connected', account: `@${username}` } };
  }

  #judge(failure: Failure): Outcome {
    if (failure.type !== 'refused') return this.#backOff(`Telegram cannot be reached: ${failure.words}.`);

    switch (failure.code) {
      case 401:
      case 404:
        return { pause: 0, health: { status: 'dead', reason: deadWords(failure.words) } };
      case 409:
        return /webhook/i.test(failure.words) ? this.#reconnect() : this.#yieldToOther();
      case 429:
        return this.#waitAsTold(failure.retryAfter ?? defaultRetrySecs);
      default:
        return this.#backOff(`Telegram refuses to deliver: ${failure.words}.`);
    }
  }

  #reconnect(): Outcome {
    // A new connection ends the webhook.
    this.#bot = undefined;
    return this.#backOff(
      'Somebody has set a webhook for this bot. It is ended; if it comes back, end the other program.',
    );
  }

  #waitAsTold(secs: number): Outcome {
    const wait = bearable(secs * 1000);
    const outcome = this.#backOff(`Telegram asks to wait. It is asked again in ${durationWords(wait)}.`);
    return { ...outcome, pause: Math.max(outcome.pause, wait) };
  }

  #yieldToOther(): Outcome {
    this.#conflicts = [...this.#latestConflicts, this.#host.clock.now()];
    const pause = Math.min(longestPause, conflictPause * this.#conflicts.length);
    return { pause, health: this.#isContested ? contested : { status: 'connecting' } };
  }

  get #latestConflicts(): readonly number[] {
    const now = this.#host.clock.now();
    return this.#conflicts.filter((at) => now - at < conflictWindow);
  }

  get #isContested(): boolean {
    return this.#latestConflicts.length > toleratedConflicts;
  }

  #backOff(reason: string): Outcome {
    const pause = Math.min(longestPause, firstPause * 2 ** Math.min(this.#failures, 7));
    this.#failures += 1;
    return { pause, health: { status: 'failing', reason } };
  }
}

type PollSettings = Pick<TelegramSettings, 'poll_timeout_secs' | 'poll_grace_secs'>;

/** What came of one round: how long to wait before the next, in milliseconds, and how the connection is. */
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

/** How long nothing must have come in before Telegram is asked whether that is so, and how often then, in milliseconds. */
const askAfter = 60_000;
const longestAnswer = 5_000;
/** What came in just now may be counted once. */
const enoughSuspicion = 2;

/**
 * Tells silence from deafness: polls can succeed and bring nothing although something waits, when what answers them is not
 * what receives for the bot.
 */
class DeafnessCheck {
  readonly #api: Pick<ReceivingApi, 'countPending'>;
  readonly #host: Pick<ChannelHost, 'clock' | 'log'>;
  #askedAt: number;
  #suspicion = 0;

  constructor(api: Pick<ReceivingApi, 'countPending'>, host: Pick<ChannelHost, 'clock' | 'log'>) {
    this.#api = api;
    this.#host = host;
    this.#askedAt = host.clock.now();
  }

  /** Something has come in. */
  broken(): void {
    this.#askedAt = this.#host.clock.now();
    this.#suspicion = 0;
  }

  /** A poll has brought nothing. Whether something waits nevertheless: asked seldom, and once more before it is said. */
  async isDeafness(signal: AbortSignal): Promise<boolean> {
    const now = this.#host.clock.now();
    if (this.#suspicion === 0 && now - this.#askedAt < askAfter) return false;
    this.#askedAt = now;
    const pending = await this.#ask(signal);
    if (pending !== undefined) this.#suspicion = pending > 0 ? this.#suspicion + 1 : 0;
    return this.#suspicion >= enoughSuspicion;
  }

  /** Undefined if that cannot be known now. */
  async #ask(signal: AbortSignal): Promise<number | undefined> {
    const { clock, log } = this.#host;
    try {
      return await withTimeout({ clock, milliseconds: longestAnswer, signal }, (watched) =>
        this.#api.countPending(watched),
      );
    } catch (error) {
      log.debug({ reason: readFailure(error).words }, 'Telegram does not say how many updates wait');
      return undefined;
    }
  }
}
