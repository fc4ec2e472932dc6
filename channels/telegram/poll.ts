import type { ChannelHealth } from '../../src/contract.ts';
import { sleep } from '../../src/lib/clock.ts';
import { type Failure, readFailure } from './failure.ts';
import { Inbound, type InboundDependencies } from './inbound.ts';
import type { BotIdentity, ReceivingApi } from './receiving.ts';
import { Silence } from './silence.ts';
import { updateIdOf } from './update.ts';
import { watched } from './watchdog.ts';

export interface PollerDependencies extends InboundDependencies {
  readonly api: ReceivingApi;
  readonly pollTimeoutSecs: number;
  /** How long a poll may be silent beyond what Telegram was asked to wait. */
  readonly pollGraceSecs: number;
  /** Called once, when the bot is known. */
  readonly onConnected: () => void;
}

const longestPause = 30_000;
const firstPause = 250;
const shortestRest = 1_000;
const conflictPause = 2_000;
/** One conflict after a restart is normal: Telegram still holds the poll of the process that is gone. */
const toleratedConflicts = 5;
const defaultRetrySecs = 5;

/**
 * Receives updates by long polling. An update is confirmed, by asking for what comes after it, only once the host has
 * stored it and all before it; what it could not store comes again. Only a refused token ends it.
 */
export class Poller {
  readonly #dependencies: PollerDependencies;
  readonly #inbound: Inbound;
  readonly #silence: Silence;
  #bot: BotIdentity | undefined;
  #greeted = false;
  #offset: number | undefined;
  #isConnected = false;
  #failures = 0;
  #conflicts = 0;

  constructor(dependencies: PollerDependencies) {
    const { api, host } = dependencies;
    this.#dependencies = dependencies;
    this.#inbound = new Inbound(dependencies);
    this.#silence = new Silence({
      countPending: (signal) => api.countPending(signal),
      clock: host.clock,
      log: host.log,
    });
  }

  /** Receives until the signal aborts or the token is refused. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    const { host } = this.#dependencies;
    host.reportHealth({ status: 'connecting' });
    while (!signal.aborted) {
      const outcome = await this.#round(signal);
      if (signal.aborted) return;
      if (outcome.health !== undefined) this.#report(outcome.health);
      if (outcome.health?.status === 'dead') return;
      await this.#pause(outcome, signal);
    }
  }

  /** In a long pause it says again and again why it does not receive: who is silent is taken for deaf. */
  async #pause({ pause, health }: Outcome, signal: AbortSignal): Promise<void> {
    const { host } = this.#dependencies;
    for (let left = pause; left > 0 && !signal.aborted; left -= longestPause) {
      await sleep(host.clock, Math.min(left, longestPause), signal);
      if (left > longestPause && health !== undefined && !signal.aborted) host.reportHealth(health);
    }
  }

  #report(health: ChannelHealth): void {
    const { host } = this.#dependencies;
    this.#isConnected = health.status === 'connected';
    if (health.status === 'failing') host.log.warn({ reason: health.reason }, 'telegram does not receive');
    host.reportHealth(health);
  }

  async #round(signal: AbortSignal): Promise<Outcome> {
    const { host, pollTimeoutSecs } = this.#dependencies;
    try {
      this.#bot ??= await this.#connect(signal);
      // The first poll does not wait, so that "connected" is known at once. In a conflict that would only win a moment.
      const timeout = this.#isConnected || this.#conflicts > 0 ? pollTimeoutSecs : 0;
      const begun = host.clock.now();
      const updates = await this.#fetch(timeout, signal);
      this.#conflicts = 0;
      if (updates.length > 0) return await this.#take(updates, this.#bot);
      // Telegram holds an empty answer back; what does not must not be asked without end.
      const isHasty = timeout > 0 && host.clock.now() - begun < shortestRest;
      return await this.#rest(this.#bot, isHasty ? shortestRest : 0, signal);
    } catch (error) {
      return this.#judge(readFailure(error));
    }
  }

  async #connect(signal: AbortSignal): Promise<BotIdentity> {
    const { api, onConnected } = this.#dependencies;
    const [bot] = await Promise.all([api.getMe(signal), api.deleteWebhook(signal)]);
    if (!this.#greeted) onConnected();
    this.#greeted = true;
    return bot;
  }

  async #fetch(timeout: number, signal: AbortSignal): Promise<readonly unknown[]> {
    const { api, host, pollGraceSecs } = this.#dependencies;
    const milliseconds = (timeout + pollGraceSecs) * 1000;
    return watched({ clock: host.clock, milliseconds, signal }, (watchedSignal) =>
      api.getUpdates(this.#offset, timeout, watchedSignal),
    );
  }

  async #take(updates: readonly unknown[], bot: BotIdentity): Promise<Outcome> {
    const { host } = this.#dependencies;
    this.#silence.broken();
    const ids = updates.map(updateIdOf);
    const unstored = await this.#inbound.take(updates, bot);
    if (unstored === undefined) return this.#confirm(ids, bot);

    const updateId = ids[unstored.index];
    this.#offset = updateId ?? this.#offset;
    host.log.error({ updateId, err: unstored.reason }, 'an update was not stored');
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
    if (await this.#silence.isDeafness(signal)) {
      this.#dependencies.api.renew();
      return this.#backOff(deafWords);
    }
    return this.#succeed(bot, pause);
  }

  #succeed({ username }: BotIdentity, pause: number): Outcome {
    this.#failures = 0;
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
    // Connecting anew ends the webhook.
    this.#bot = undefined;
    return this.#backOff(
      'Somebody has set a webhook for this bot. It is ended; if it comes back, end the other program.',
    );
  }

  #waitAsTold(secs: number): Outcome {
    const outcome = this.#backOff('Telegram asks to wait.');
    return { ...outcome, pause: Math.max(outcome.pause, secs * 1000) };
  }

  #yieldToOther(): Outcome {
    this.#conflicts += 1;
    const pause = Math.min(longestPause, conflictPause * this.#conflicts);
    if (this.#conflicts <= toleratedConflicts) return { pause, health: { status: 'connecting' } };
    return { pause, health: { status: 'failing', reason: conflictWords } };
  }

  #backOff(reason: string): Outcome {
    const pause = Math.min(longestPause, firstPause * 2 ** Math.min(this.#failures, 7));
    this.#failures += 1;
    return { pause, health: { status: 'failing', reason } };
  }
}

/** What came of one round: how long to wait before the next, in milliseconds, and how the connection is. */
interface Outcome {
  readonly pause: number;
  readonly health?: ChannelHealth;
}

const conflictWords =
  'Another process receives with the same token, so messages go astray. Stop the other one; ' +
  'if you know of none, revoke the token at @BotFather (/revoke) and put the new one into channels.telegram.token.';

const deafWords =
  'Telegram has messages for the bot and delivers none of them. The connection is made anew; ' +
  'if that does not help, check api_root and the proxy.';

function deadWords(words: string): string {
  return (
    `Telegram does not accept the token (${words}). Take it from @BotFather (/mybots, API Token), ` +
    'put it into channels.telegram.token and restart.'
  );
}
