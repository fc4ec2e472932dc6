import { ChannelError } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { Perishable } from '../../src/lib/remembered.ts';
import { bestEffort } from '../kit/retries.ts';
import { absence, isRefused, readStatus, type SlackApi, toChannelError } from './api.ts';
import { type Content, contentOf, shownMarkdown } from './content.ts';
import type { Place } from './workspaces.ts';

/** So long does Slack take answers at such an address, in milliseconds, and so often. */
const lifetime = 30 * 60_000;
const uses = 5;
const mostCommands = 1_000;

/** The name under which a slash command is answered in private: who gave it, and what makes it one of its kind. */
export function commandKey(userId: string, once: string): string {
  return `${userId}:${once}`;
}

/** The one person that a message is for, if it is for one alone. */
export function commanderOf(privateTo: string | undefined): string | undefined {
  return privateTo?.split(':')[0];
}

/** The addresses at which commands can be answered, also where the bot is not. Each holds for 30 minutes and five answers. */
export class ResponseUrls {
  readonly #addresses: Perishable<string, { readonly url: string; left: number }>;

  constructor(clock: Clock) {
    this.#addresses = new Perishable({ clock, most: mostCommands });
  }

  remember(key: string, url: string): void {
    this.#addresses.set(key, { url, left: uses }, lifetime);
  }

  /** The address, which is used now. Undefined where none holds any more. */
  take(key: string): string | undefined {
    const address = this.#addresses.get(key);
    if (address === undefined || address.left === 0) return undefined;
    address.left -= 1;
    return address.url;
  }
}

const method = 'answering a command';

/** Answers a slash command at the address that came with it, to the person who gave it and nobody else. Throws `ChannelError`. */
export async function respond(api: Pick<SlackApi, 'post'>, url: string, content: Content): Promise<void> {
  const body = JSON.stringify({ ...content, response_type: 'ephemeral', replace_original: false });
  const status = await api.post(method, url, { type: 'application/json', body }, { repeatable: false });
  if (status === 200) return;
  if (status >= 400 && status < 500 && status !== 429)
    throw new ChannelError({ type: 'permanent' }, `Slack, ${method}: it is too late, the server answers ${status}`);
  throw toChannelError(method, readStatus(status), false);
}

export type EphemeralNotices = ReturnType<typeof createNotices>;

/** Says something to one person alone, where they said or pressed something. Best effort: returns at once. */
export function createNotices(background: Background, log: Log) {
  const failure = 'a notice for one person could not be shown';
  return {
    /** Those who only look into a channel can be reached at the address of what they pressed or commanded. */
    show({ workspace: { api }, chatId, shownIn }: Place, user: string, notice: string, responseUrl?: string): void {
      const message = { channel: chatId, user, markdown_text: shownMarkdown(notice), thread_ts: shownIn };
      const show = async (): Promise<void> => {
        try {
          await api.call('chat.postEphemeral', message);
        } catch (error) {
          if (responseUrl === undefined || !isRefused(error, absence)) throw error;
          await respond(api, responseUrl, contentOf({ id: 'notice', kind: 'notice', markdown: notice }));
        }
      };
      background.run(failure, () => bestEffort(show, { log, failure }));
    },
  };
}
