import { RESTJSONErrorCodes as Reason } from 'discord.js';
import type { ChannelHost, Conversation } from '../../src/contract.ts';
import { createMarks, type Mark, type ShownMark } from '../kit/marks.ts';
import { acceptRefusal, isRefused } from '../kit/request-failure.ts';
import { bestEffort, retry } from '../kit/retries.ts';
import type { ApiRoute, DiscordApi, Method } from './api.ts';
import { channelIdOf, messageIdFrom } from './outgoing.ts';

/** Reacts with an emoji, in place of the mark. Resolves with the emoji. */
export type React = (to: Conversation, messageId: string, emoji: string) => Promise<string>;

type ReactionApi = Pick<DiscordApi, 'call'>;
type ReactionHost = Pick<ChannelHost, 'clock' | 'log'>;

const markEmoji = { seen: '👀', done: '✅' } as const satisfies Record<ShownMark, string>;

/** A mark takes two requests, and Discord allows four a second. The pause is in ms. */
const patience = { tries: 3, longest: 2_000 };

/** Nothing is wrong with the place. */
const messageReasons = [
  Reason.UnknownMessage,
  Reason.ReactionWasBlocked,
  Reason.MaximumNumberOfReactionsReached,
] as const;

/** The reaction is not there. */
const gone = acceptRefusal(Reason.UnknownEmoji, Reason.UnknownMessage);

export function discordMarks(api: ReactionApi, host: ReactionHost): Mark {
  const change = (method: Method, to: Conversation, messageId: string, mark: ShownMark): Promise<unknown> =>
    patiently(method, reactionOn(to, messageId, markEmoji[mark]), api, host);
  return createMarks({
    add: async (...mark) => void (await change('PUT', ...mark)),
    remove: async (...mark) => void (await change('DELETE', ...mark).catch(gone)),
    isAboutPlace: (error) => !isRefused(error, messageReasons),
    host,
  });
}

export function reacting(api: ReactionApi, host: ReactionHost): React {
  return async (to, messageId, given) => {
    const emoji = whole(given.trim());
    await patiently('PUT', reactionOn(to, messageId, emoji), api, host);
    const mark = reactionOn(to, messageId, markEmoji.seen);
    const quiet = { log: host.log, failure: 'the mark of a message stays beside a reaction' };
    if (emoji !== markEmoji.seen) await bestEffort(() => patiently('DELETE', mark, api, host).catch(gone), quiet);
    return emoji;
  };
}

function patiently(method: Method, route: ApiRoute, api: ReactionApi, { clock }: ReactionHost): Promise<unknown> {
  return retry(() => api.call(method, route, { repeatable: true }), { clock, ...patience });
}

function reactionOn(to: Conversation, messageId: string, emoji: string): ApiRoute {
  const message = `/channels/${channelIdOf(to)}/messages/${messageIdFrom(messageId)}` as const;
  return `${message}/reactions/${encodeURIComponent(emoji)}/@me`;
}

/** Some signs are emoji only with the selector of their form, which models leave out. */
function whole(emoji: string): string {
  const selected = `${emoji}\u{fe0f}`;
  return !isEmoji.test(emoji) && isEmoji.test(selected) ? selected : emoji;
}

const isEmoji = /^\p{RGI_Emoji}$/v;
