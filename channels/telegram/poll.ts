import type { ChannelHealth, ChannelHost } from '../../src/contract.ts';
import { sleep } from '../../src/lib/clock.ts';
import type { BotIdentity, TelegramApi } from './api.ts';
import { type Failure, readFailure } from './failure.ts';
import { parseUpdate } from './parse.ts';
import { updateIdOf } from './update.ts';

export interface PollerDependencies {
  readonly api: TelegramApi;
  readonly host: ChannelHost;
  readonly pollTimeoutSecs: number;
  /** Called once, when the bot is known. */
  readonly onConnected: () => void;
  /** Called when a press was stored. Must return at once. */
  readonly onPressed: (pressId: string, notice: string | undefined) => void;
}

/** How long a poll may be silent beyond what Telegram was asked to wait. */
const watchdogGrace = 15_000;
const longestPause = 30_000;
const firstPause = 250;
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
  #bot: BotIdentity | undefined;
  #greeted = false;
  #offset: number | undefined;
  #isConnected = false;
  #failures = 0;
  #conflicts = 0;

  constructor(dependencies: PollerDependencies) {
    this.#dependencies = dependencies;
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
      if (outcome.pause > 0) await sleep(host.clock, outcome.pause, signal);
    }
  }

  #report(health: ChannelHealth): void {
    const { host } = this.#dependencies;
    this.#isConnected = health.status === 'connected';
    if (health.status === 'failing') host.log.warn({ reason: health.reason }, 'telegram does not receive');
    host.reportHealth(health);
  }

  async #round(signal: AbortSignal): Promise<Outcome> {
    try {
      this.#bot ??= await this.#connect(signal);
      const updates = await this.#fetch(signal);
      return await this.#take(updates, this.#bot);
    } catch (error) {
      return this.#judge(readFailure(error));
    }
  }

  async #connect(signal: AbortSignal): Promise<BotIdentity> {
    const { api, onConnected } = this.#dependencies;
    const bot = await api.getMe(signal);
    await api.deleteWebhook(signal);
    if (!this.#greeted) onConnected();
    this.#greeted = true;
    return bot;
  }

  async #fetch(signal: AbortSignal): Promise<readonly unknown[]> {
    const { api, host, pollTimeoutSecs } = this.#dependencies;
    // The first poll does not wait, so that "connected" is known at once. In a conflict that would only win a moment.
    const timeout = this.#isConnected || this.#conflicts > 0 ? pollTimeoutSecs : 0;
    const request = new AbortController();
    const abort = (): void => request.abort();
    // A connection can die without a word; then only the clock tells.
    const callOff = host.clock.after(timeout * 1000 + watchdogGrace, abort);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    try {
      return await api.getUpdates(this.#offset, timeout, request.signal);
    } finally {
      callOff();
      signal.removeEventListener('abort', abort);
    }
  }

  async #take(updates: readonly unknown[], bot: BotIdentity): Promise<Outcome> {
    this.#conflicts = 0;
    // All begin in their order, which the host keeps, and are stored together.
    const stored = await Promise.allSettled(updates.map((update) => this.#store(update, bot)));
    const failed = stored.findIndex(({ status }) => status === 'rejected');
    const ids = updates.map(updateIdOf);
    if (failed === -1) return this.#confirm(ids, bot);

    this.#offset = ids[failed] ?? this.#offset;
    this.#dependencies.host.log.error(
      { updateId: ids[failed], err: reasonOf(stored[failed]) },
      'an update was not stored',
    );
    return this.#backOff('What Telegram delivers cannot be stored. It is fetched again; the log says what is wrong.');
  }

  #confirm(ids: readonly (number | undefined)[], bot: BotIdentity): Outcome {
    const last = ids.findLast((id) => id !== undefined);
    if (ids.length > 0 && last === undefined)
      return this.#backOff('Telegram sends updates without ids; check api_root.');

    this.#failures = 0;
    if (last !== undefined) this.#offset = last + 1;
    return { pause: 0, health: { status: 'connected', account: `@${bot.username}` } };
  }

  async #store(update: unknown, bot: BotIdentity): Promise<void> {
    const { host, onPressed } = this.#dependencies;
    const parsed = parseUpdate(update, bot);
    switch (parsed.type) {
      case 'message':
        await host.receive(parsed.event);
        return;
      case 'press': {
        const { notice } = await host.receive(parsed.event);
        onPressed(parsed.pressId, notice);
        return;
      }
      case 'ignored':
        host.log.debug({ updateId: updateIdOf(update), reason: parsed.reason }, 'an update was ignored');
        return;
      case 'unreadable':
        host.log.warn(
          { updateId: updateIdOf(update), path: parsed.path },
          'an update could not be read and was skipped',
        );
        return;
    }
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
        return { ...this.#backOff('Telegram asks to wait.'), pause: (failure.retryAfter ?? defaultRetrySecs) * 1000 };
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

function deadWords(words: string): string {
  return (
    `Telegram does not accept the token (${words}). Take it from @BotFather (/mybots, API Token), ` +
    'put it into channels.telegram.token and restart.'
  );
}

function reasonOf(settled: PromiseSettledResult<void> | undefined): unknown {
  return settled?.status === 'rejected' ? settled.reason : undefined;
}
