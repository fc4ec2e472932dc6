import { z } from 'zod';
import { ChannelError, type Conversation, conversationId, type OutboundMessage } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import { lenient, list, optionalText } from '../kit/read-payload.ts';
import type { SlackApi } from './api.ts';

export function metadataOf(messageId: string): object {
  return { event_type: eventType, event_payload: { id: messageId } };
}

const eventType = 'keyturn_message';
/** More than that are not remembered, and may be sent twice. */
const mostDoubtful = 1_000;
/** Of so many places it is remembered what a former process has sent there, and how often looking has failed. */
const mostPlaces = 1_000;
/** After so many looks at a place that failed one after the other, messages go out without one. */
const mostFailedLooks = 8;
const file = z.object({ id: z.string(), user: optionalText, name: optionalText, size: lenient(z.number()) });
const messageShape = z.object({
  ts: z.string(),
  files: list(file),
  metadata: lenient(z.object({ event_type: z.literal(eventType), event_payload: z.object({ id: z.string() }) })),
});

/** What stands in a place and may be ours. */
export interface Standing {
  /** The `ts` by the id of the message. */
  readonly messages: ReadonlyMap<string, string>;
  readonly files: readonly z.output<typeof file>[];
}

/** What seems to stand where the history cannot be read. */
const unreadable: Standing = { messages: new Map(), files: [] };

/**
 * Remembers which messages may have been sent although nobody knows, and finds them. A text carries its message's id in the
 * metadata, so that it is sent only once if its answer was lost, or if the process ended before it came.
 */
export function createFormerSendings(api: Pick<SlackApi, 'call'>, clock: Clock) {
  /** When each was first sent, by the message's id. */
  const doubtful = new Remembered<string, number>(mostDoubtful);
  /** What stood in a place when it was looked for what a former process may have sent. */
  const stood = new Remembered<string, Standing>(mostPlaces);
  const failedLooks = new Remembered<string, number>(mostPlaces);

  /** What the server has failed at may have been done all the same. */
  function noteFailure(error: unknown, messageId: string, begun: number): void {
    if (!(error instanceof ChannelError)) return;
    const { type } = error.fault;
    if (type === 'permanent') doubtful.delete(messageId);
    const isDoubtful = type === 'ambiguous' || type === 'transient';
    if (isDoubtful && !doubtful.has(messageId)) doubtful.set(messageId, begun);
  }

  /** Looks once in each place: nothing else sends there by now, and the oldest message is the first to be sent. */
  async function stoodBefore(to: Conversation, since: number): Promise<Standing> {
    const place = conversationId(to);
    const standing = stood.get(place) ?? (await recent(to, since));
    if (standing !== unreadable) stood.set(place, standing);
    return standing;
  }

  /**
   * Looks once more, at once, where that fails, and then with each try to send; throws `ChannelError` until then. At last it
   * goes on as if nothing stood there: a message that stands there twice is better than one that never comes.
   */
  async function recent(to: Conversation, since: number): Promise<Standing> {
    const place = conversationId(to);
    for (let failed = failedLooks.get(place) ?? 0; ; ) {
      try {
        const messages = await recentMessages(api, to, since);
        failedLooks.delete(place);
        return standingIn(messages.flatMap((message) => messageShape.safeParse(message).data ?? []));
      } catch (error) {
        // Where Slack asks to wait, that is done.
        if (!(error instanceof ChannelError) || error.fault.type !== 'transient') throw error;
        failed += 1;
        failedLooks.set(place, failed);
        if (failed >= mostFailedLooks) return unreadable;
        if (failed % 2 === 0) throw error;
      }
    }
  }

  return {
    /** Sends, unless it finds what a former try has sent. Answers with what `find` or `send` gives: how Slack names it. */
    async once(
      to: Conversation,
      { id: messageId, mayStandSince }: Pick<OutboundMessage, 'id' | 'mayStandSince'>,
      send: () => Promise<string>,
      find: (standing: Standing) => string | undefined | Promise<string | undefined> = ({ messages }) =>
        messages.get(messageId),
    ): Promise<string> {
      const standing = mayStandSince === undefined ? undefined : await find(await stoodBefore(to, mayStandSince));
      const doubtfulSince = doubtful.get(messageId);
      const found = standing ?? (doubtfulSince && (await find(await recent(to, doubtfulSince))));
      const begun = clock.now();
      try {
        const sent = found || (await send());
        doubtful.delete(messageId);
        return sent;
      } catch (error) {
        noteFailure(error, messageId, begun);
        throw error;
      }
    },
  };
}

export type FormerSendings = ReturnType<typeof createFormerSendings>;

function standingIn(messages: readonly z.output<typeof messageShape>[]): Standing {
  return {
    messages: new Map(messages.flatMap(({ ts, metadata }) => (metadata ? [[metadata.event_payload.id, ts]] : []))),
    files: messages.flatMap(({ files }) => files),
  };
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
