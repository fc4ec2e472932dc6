import type { Application } from './application.ts';
import type { BotAccount } from './bot-account.ts';
import type { Identify, SessionStartLimit } from './gateway-record.ts';
import { knownIntents } from './intents.ts';
import type { DiscordTimes } from './times.ts';

interface Dependencies {
  readonly account: BotAccount;
  readonly application: Application;
  readonly times: DiscordTimes;
  readonly now: () => number;
}

/** Decides which IDENTIFY begins a session, and writes each of them down. */
export class SessionStarts {
  readonly #dependencies: Dependencies;
  #identifies: readonly Identify[] = [];
  limit: SessionStartLimit = { total: 1000, remaining: 1000, resetAfter: 0, maxConcurrency: 1 };

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  get identifies(): readonly Identify[] {
    return this.#identifies;
  }

  /** Takes one from those that are left if it begins a session. */
  take(asked: { readonly token: string; readonly intents: number }): Identify['outcome'] {
    const outcome = this.#outcome(asked);
    const at = this.#dependencies.now();
    this.#identifies = [...this.#identifies, { at, intents: asked.intents, outcome }];
    if (outcome === 'ready') this.limit = { ...this.limit, remaining: this.limit.remaining - 1 };
    return outcome;
  }

  /** The last one still says how long the next has to wait. */
  forget(): void {
    this.#identifies = this.#identifies.slice(-1);
  }

  #outcome({ token, intents }: { readonly token: string; readonly intents: number }): Identify['outcome'] {
    const { account, application, times, now } = this.#dependencies;
    if (token !== account.token) return 4004;
    if ((intents & ~knownIntents) !== 0) return 4013;
    if (!application.mayBeTold(intents)) return 4014;
    const last = this.#identifies.findLast(({ outcome }) => outcome === 'ready');
    if (last !== undefined && now() - last.at < times.identify) return 'invalid';
    if (this.limit.remaining > 0) return 'ready';
    // Discord takes the token away from a bot that begins too often.
    account.resetToken();
    return 4004;
  }
}
