import type { APIUser } from 'discord.js';
import { makeBot, makeToken } from './bot-user.ts';

/** The bot's user, and the token that speaks for it. */
export class BotAccount {
  readonly user: APIUser;
  readonly #first = makeToken();
  #token: string | undefined = this.#first;
  /** How often Discord has taken the token away. */
  resets = 0;

  constructor(username: string) {
    this.user = makeBot(username);
  }

  /** Undefined if there is none that holds. */
  get token(): string | undefined {
    return this.#token;
  }

  /** No token holds any more. */
  resetToken(): void {
    this.#token = undefined;
    this.resets += 1;
  }

  /** The first one holds again. */
  restoreToken(): void {
    this.#token = this.#first;
  }
}
