import { RESTJSONErrorCodes as Reason } from 'discord-api-types/v10';
import { ChannelError, type Conversation, type MessageMark } from '../../../src/contract.ts';
import { type Clock, sleep } from '../../../src/lib/clock.ts';
import { Remembered } from '../../../src/lib/remembered.ts';
import type { ApiRoute, DiscordApi, Method } from '../web-api/api.ts';
import { refusalCode } from '../web-api/failure.ts';
import { messageIdFrom, placeOf } from './outgoing.ts';

export interface MarksDependencies {
  readonly api: Pick<DiscordApi, 'call'>;
  readonly clock: Clock;
}

/** How each mark is shown below a message. */
const markEmoji = { seen: '👀', working: '⏳', done: '✅' } as const satisfies Record<MessageMark, string>;
const order = ['seen', 'working', 'done'] as const satisfies readonly MessageMark[];

const mostRemembered = 1_000;
/** One mark takes two requests, and Discord takes four a second: the second one waits that long at most. */
const longestPause = 2_000;
const mostTries = 3;

/** Marks messages of people with a reaction of the bot's own, one at a time. */
export class Marks {
  readonly #dependencies: MarksDependencies;
  readonly #shown = new Remembered<string, MessageMark>(mostRemembered);

  constructor(dependencies: MarksDependencies) {
    this.#dependencies = dependencies;
  }

  /** Puts the mark in place of the one that was there. */
  async show(to: Conversation, messageId: string, mark: MessageMark): Promise<void> {
    const message: ApiRoute = `/channels/${placeOf(to)}/messages/${messageIdFrom(messageId)}`;
    const before = this.#shown.get(messageId);
    if (before === mark) return;
    await this.#call('PUT', message, mark);
    this.#shown.set(messageId, mark);
    // A former process may have left any of those that come before it.
    const former = before === undefined ? order.slice(0, order.indexOf(mark)) : [before];
    for (const other of former) await this.#takeAway(message, other);
  }

  async #takeAway(message: ApiRoute, mark: MessageMark): Promise<void> {
    try {
      await this.#call('DELETE', message, mark);
    } catch (error) {
      const code = refusalCode(error);
      if (code !== Reason.UnknownEmoji && code !== Reason.UnknownMessage) throw error;
    }
  }

  async #call(method: Method, message: ApiRoute, mark: MessageMark): Promise<void> {
    const { api, clock } = this.#dependencies;
    const route: ApiRoute = `${message}/reactions/${encodeURIComponent(markEmoji[mark])}/@me`;
    for (let tries = 1; ; tries += 1) {
      try {
        await api.call(method, route, { repeatable: true });
        return;
      } catch (error) {
        const pause = error instanceof ChannelError && error.fault.type === 'rate-limited' && error.fault.retryAfter;
        if (pause === false || pause > longestPause || tries >= mostTries) throw error;
        await sleep(clock, pause);
      }
    }
  }
}
