import { ChannelError } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { Perishable } from '../../src/lib/remembered.ts';
import { bestEffort } from '../kit/retries.ts';
import { absence, isRefused, readStatus, type SlackApi, toChannelError } from './api.ts';
import { type Content, contentOf, shownMarkdown } from './content.ts';
import type { Place } from './workspaces.ts';

/** Slack's limits for a response URL. Lifetime in ms. */
const lifetime = 30 * 60_000;
const uses = 5;
const mostCommands = 1_000;

/** The `privateTo` of a slash command: who gave it, and a unique id. */
export function commandKey(userId: string, once: string): string {
  return `${userId}:${once}`;
}

/** The only recipient of a private message, if it is one. */
export function commanderOf(privateTo: string | undefined): string | undefined {
  return privateTo?.split(':')[0];
}

/** Response URLs of commands, also valid where the bot is not a member, for 30 minutes and five answers. */
export class ResponseUrls {
  readonly #addresses: Perishable<string, { readonly url: string; left: number }>;

  constructor(clock: Clock) {
    this.#addresses = new Perishable({ clock, most: mostCommands });
  }

  remember(key: string, url: string): void {
    this.#addresses.set(key, { url, left: uses }, lifetime);
  }

  /** Uses the URL once. Undefined if it is unknown, expired or used up. */
  take(key: string): string | undefined {
    const address = this.#addresses.get(key);
    if (address === undefined || address.left === 0) return undefined;
    address.left -= 1;
    return address.url;
  }
}

const method = 'answering a command';

/** Answers a slash command privately at its response URL. Throws `ChannelError`. */
export async function respond(api: Pick<SlackApi, 'post'>, url: string, content: Content): Promise<void> {
  const body = JSON.stringify({ ...content, response_type: 'ephemeral', replace_original: false });
  const status = await api.post(method, url, { type: 'application/json', body }, { repeatable: false });
  if (status === 200) return;
  if (status >= 400 && status < 500 && status !== 429)
    throw new ChannelError({ type: 'permanent' }, `Slack, ${method}: it is too late, the server answers ${status}`);
  throw toChannelError(method, readStatus(status), false);
}

export type ShowNotice = ReturnType<typeof createNotices>;

/**
 * Shows a notice to one person alone, best effort and in the background. Falls back to the response URL for people in
 * channels without the bot.
 */
export function createNotices(background: Background, log: Log) {
  const failure = 'a notice for one person could not be shown';
  return (place: Place, user: string, notice: string, responseUrl?: string): void => {
    const { workspace, chatId: channel, shownIn: thread_ts } = place;
    const show = async (): Promise<void> => {
      try {
        const message = { channel, user, markdown_text: shownMarkdown(notice), thread_ts };
        await workspace.api.call('chat.postEphemeral', message);
      } catch (error) {
        if (responseUrl === undefined || !isRefused(error, absence)) throw error;
        await respond(workspace.api, responseUrl, contentOf({ id: 'notice', kind: 'notice', markdown: notice }));
      }
    };
    background.run(failure, () => bestEffort(show, { log, failure }));
  };
}
