import { z } from 'zod';
import { ChannelError, type Conversation, conversationId, type OutboundMessage } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import { lenient, list, optionalText } from '../kit/read-payload.ts';
import type { SlackApi } from './api.ts';

/** Undefined for a preview, which has no id yet. */
export function metadataOf(messageId: string): object | undefined {
  return messageId === '' ? undefined : { event_type: eventType, event_payload: { id: messageId } };
}

const eventType = 'keyturn_message';
/** Messages beyond this many are forgotten and may be sent twice. */
const mostDoubtful = 1_000;
/** Conversations whose failed lookups are remembered. */
const mostConversations = 1_000;
/** After this many failed lookups in a row, a conversation's messages are sent without one. */
const mostFailedLooks = 8;
/** Lookups for one send: a failed one is repeated at once. */
const looksPerSend = 2;
const file = z.object({ id: z.string(), user: optionalText, name: optionalText, size: lenient(z.number()) });
const messageShape = z.object({
  ts: z.string(),
  files: list(file),
  user: optionalText,
  streaming_state: optionalText,
  metadata: lenient(z.object({ event_type: z.literal(eventType), event_payload: z.object({ id: z.string() }) })),
});

/** Recent messages of a conversation that may be ours. */
export interface Standing {
  /** `ts` by our message id. */
  readonly messages: ReadonlyMap<string, string>;
  readonly files: readonly z.output<typeof file>[];
  /** Messages that still grow, of anybody. */
  readonly growing: readonly { readonly ts: string; readonly user?: string | undefined }[];
}

/** Finds our message among those of a conversation: Slack's id of it. */
type Find = (standing: Standing) => string | undefined | Promise<string | undefined>;

/**
 * Finds messages that may already have been sent: their answer was lost, or the process ended before it came. A text
 * carries our message id in its metadata, so a retry does not duplicate it.
 */
export class FormerSendings {
  readonly #api: Pick<SlackApi, 'call'>;
  readonly #clock: Clock;
  /** By message id: when a send with unknown outcome began. */
  readonly #doubtful = new Remembered<string, number>(mostDoubtful);
  readonly #failedLooks = new Remembered<string, number>(mostConversations);

  constructor(api: Pick<SlackApi, 'call'>, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** Sends, unless an earlier send is found. Resolves with Slack's id, from `find` or `send`. */
  async once(
    to: Conversation,
    { id, mayStandSince = this.#doubtful.get(id) }: Pick<OutboundMessage, 'id' | 'mayStandSince'>,
    send: () => Promise<string>,
    find: Find = ({ messages }) => messages.get(id),
  ): Promise<string> {
    const found = mayStandSince === undefined ? undefined : await find(await this.#recent(to, mayStandSince));
    const begun = this.#clock.now();
    try {
      const sent = found ?? (await send());
      this.#doubtful.delete(id);
      return sent;
    } catch (error) {
      this.#noteFailure(error, id, begun);
      // In an outage both fail: looking is worth a try again.
      this.#failedLooks.delete(conversationId(to));
      throw error;
    }
  }

  /** After a server failure the message may have been sent. */
  #noteFailure(error: unknown, messageId: string, begun: number): void {
    if (!(error instanceof ChannelError)) return;
    const { type } = error.fault;
    if (type === 'permanent') this.#doubtful.delete(messageId);
    const isDoubtful = type === 'ambiguous' || type === 'transient';
    if (isDoubtful && !this.#doubtful.has(messageId)) this.#doubtful.set(messageId, begun);
  }

  /**
   * Throws `ChannelError` until looking has failed `mostFailedLooks` times in a row; then acts as if nothing was sent,
   * since twice is better than never.
   */
  async #recent(to: Conversation, since: number): Promise<Standing> {
    const id = conversationId(to);
    for (let looks = 1; ; looks += 1) {
      try {
        const messages = await recentMessages(this.#api, to, since);
        this.#failedLooks.delete(id);
        return standingIn(messages.flatMap((message) => messageShape.safeParse(message).data ?? []));
      } catch (error) {
        // Rate limits are passed on, to wait.
        if (!(error instanceof ChannelError) || error.fault.type !== 'transient') throw error;
        const failed = (this.#failedLooks.get(id) ?? 0) + 1;
        this.#failedLooks.set(id, failed);
        if (failed >= mostFailedLooks) return standingIn([]);
        if (looks === looksPerSend) throw error;
      }
    }
  }
}

function standingIn(messages: readonly z.output<typeof messageShape>[]): Standing {
  return {
    messages: new Map(messages.flatMap(({ ts, metadata }) => (metadata ? [[metadata.event_payload.id, ts]] : []))),
    files: messages.flatMap(({ files }) => files),
    growing: messages.filter(({ streaming_state: state }) => state === 'in_progress'),
  };
}

/** Allowed difference between Slack's clock and ours, in seconds. */
const clockSkew = 60;
const newest = 100;
/** Replies come oldest first. */
const mostAnswers = 200;

const messagesShape = z.object({ messages: z.array(z.unknown()).catch([]) });

/**
 * Messages of a conversation since `since`: the newest 100, or the first 200 of a thread. Empty if the bot may not read it.
 * Throws `ChannelError` if a retry may help.
 */
async function recentMessages(
  api: Pick<SlackApi, 'call'>,
  { chatId, threadId }: Conversation,
  since: number,
): Promise<readonly unknown[]> {
  const range = { channel: chatId, oldest: (since / 1000 - clockSkew).toFixed(6), include_all_metadata: true };
  try {
    const answer = await (threadId
      ? api.call('conversations.replies', { ...range, ts: threadId, limit: mostAnswers }, { repeatable: true })
      : api.call('conversations.history', { ...range, limit: newest }, { repeatable: true }));
    return messagesShape.safeParse(answer).data?.messages ?? [];
  } catch (error) {
    if (error instanceof ChannelError && error.fault.type === 'permanent') return [];
    throw error;
  }
}
