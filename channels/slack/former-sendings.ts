import { z } from 'zod';
import { ChannelError, type Conversation, conversationId, type OutboundMessage } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import type { SlackApi } from './api.ts';

/** As the message's own id stands in the metadata of what is sent. */
export function metadataOf(messageId: string): object {
  return { event_type: eventType, event_payload: { id: messageId } };
}

const eventType = 'keyturn_message';
/** More than that are not remembered, and may be sent twice. */
const mostDoubtful = 1_000;
/** Of so many places it is remembered what a former process has sent there. */
const mostPlaces = 1_000;
const messageShape = z.object({
  ts: z.string(),
  metadata: z.object({ event_type: z.literal(eventType), event_payload: z.object({ id: z.string() }) }),
});

/**
 * Remembers which messages may have been sent although nobody knows, and finds them. What is sent carries its message's id
 * in the metadata, so that it is sent only once if its answer was lost, or if the process ended before it came.
 */
export class FormerSendings {
  readonly #api: Pick<SlackApi, 'call'>;
  readonly #clock: Clock;
  /** When each was first sent, by the message's id. */
  readonly #doubtful = new Remembered<string, number>(mostDoubtful);
  /** What stood in a place when it was looked for what a former process may have sent: the `ts` by the message's id. */
  readonly #stood = new Remembered<string, ReadonlyMap<string, string>>(mostPlaces);

  constructor(api: Pick<SlackApi, 'call'>, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** Sends, unless it finds what a former try has sent. Answers with the `ts`. */
  async once(
    to: Conversation,
    { id: messageId, mayStandSince }: Pick<OutboundMessage, 'id' | 'mayStandSince'>,
    send: () => Promise<string>,
  ): Promise<string> {
    const stood = mayStandSince === undefined ? undefined : await this.#stoodBefore(to, messageId, mayStandSince);
    const doubtfulSince = this.#doubtful.get(messageId);
    // Where the history cannot be read, a message that stands there twice is better than one that is missing.
    const found = stood ?? (doubtfulSince && (await this.#recent(to, doubtfulSince)).get(messageId));
    const begun = this.#clock.now();
    try {
      const ts = found || (await send());
      this.#doubtful.delete(messageId);
      return ts;
    } catch (error) {
      this.#heed(error, messageId, begun);
      throw error;
    }
  }

  /** What the server has failed at may have been done all the same. */
  #heed(error: unknown, messageId: string, begun: number): void {
    if (!(error instanceof ChannelError)) return;
    const { type } = error.fault;
    if (type === 'permanent') this.#doubtful.delete(messageId);
    const isDoubtful = type === 'ambiguous' || type === 'transient';
    if (isDoubtful && !this.#doubtful.has(messageId)) this.#doubtful.set(messageId, begun);
  }

  /** Looks once in each place: nothing else sends there by now, and the oldest message is the first to be sent. */
  async #stoodBefore(to: Conversation, messageId: string, since: number): Promise<string | undefined> {
    const place = conversationId(to);
    const stood = this.#stood.get(place) ?? (await this.#recent(to, since));
    this.#stood.set(place, stood);
    return stood.get(messageId);
  }

  /** Ours. Reading is repeated once, at once: every failure counts against the message, which would wait longer and longer. */
  async #recent(to: Conversation, since: number): Promise<ReadonlyMap<string, string>> {
    const messages = await recentMessages(this.#api, to, since).catch((error: unknown) => {
      if (!(error instanceof ChannelError) || error.fault.type !== 'transient') throw error;
      return recentMessages(this.#api, to, since);
    });
    const own = messages.flatMap((message) => messageShape.safeParse(message).data ?? []);
    return new Map(own.map(({ ts, metadata }) => [metadata.event_payload.id, ts]));
  }
}

/** Slack's clock may differ from ours by so much, in seconds. */
const clockSkew = 60;
const newest = 100;
/** The answers in a thread come with the oldest first. */
const mostAnswers = 200;

const messagesShape = z.object({ messages: z.array(z.unknown()).catch([]) });

/**
 * What was said in a place since then: the newest 100 messages, or the first 200 of a thread. Nothing where the bot may not
 * read it. Throws `ChannelError` if that can be tried again.
 */
export async function recentMessages(
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
