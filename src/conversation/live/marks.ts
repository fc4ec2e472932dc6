import { type ChannelAdapter, ChannelError, type Conversation, type MessageMark } from '../../contract.ts';
import { KeyedWorker } from '../../lib/background.ts';
import type { Log } from '../../lib/log.ts';

interface MarksParts {
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly log: Log;
}

interface Chat {
  readonly place: Conversation;
  /** Marks still to be shown, by message: a newer one replaces one not shown yet. */
  readonly wanted: Map<string, MessageMark>;
  /** The messages being worked on. */
  readonly working: Set<string>;
}

export type Marks = ReturnType<typeof createMarks>;

/**
 * Marks people's messages, on channels that can: seen, being worked on, done. Best effort: a failed mark is not
 * retried.
 */
export function createMarks({ adapters, log }: MarksParts) {
  const chats = new Map<string, Chat>();
  const lanes = new KeyedWorker(show);

  /** Undefined if the channel has no marks. */
  function open(conversationId: string, place: Conversation): Chat | undefined {
    if (adapters.get(place.channel)?.mark === undefined) return undefined;
    const chat = chats.get(conversationId) ?? { place, wanted: new Map(), working: new Set() };
    chats.set(conversationId, chat);
    return chat;
  }

  async function show(conversationId: string, signal: AbortSignal): Promise<void> {
    const chat = chats.get(conversationId);
    if (chat === undefined) return;
    const { place, wanted, working } = chat;
    for (let [next] = wanted; next !== undefined && !signal.aborted; [next] = wanted) {
      const [messageId, mark] = next;
      wanted.delete(messageId);
      try {
        await adapters.get(place.channel)?.mark?.(place, messageId, mark);
      } catch (error) {
        const level = error instanceof ChannelError ? 'debug' : 'warn';
        log[level]({ err: error, chat: place.chatId, mark }, 'a message could not be marked');
      }
    }
    if (wanted.size === 0 && working.size === 0) chats.delete(conversationId);
  }

  return {
    /** The message is stored, and work on it has not begun. */
    seen(conversationId: string, place: Conversation, messageId: string | undefined): void {
      const chat = messageId === undefined ? undefined : open(conversationId, place);
      if (chat === undefined || messageId === undefined || chat.working.has(messageId)) return;
      chat.wanted.set(messageId, 'seen');
      lanes.wake(conversationId);
    },

    /** The messages are being worked on, until `settled`. */
    working(conversationId: string, place: Conversation, messageIds: readonly string[]): void {
      const chat = messageIds.length === 0 ? undefined : open(conversationId, place);
      const fresh = messageIds.filter((id) => chat?.working.has(id) === false);
      for (const id of fresh) {
        chat?.working.add(id);
        chat?.wanted.set(id, 'working');
      }
      if (fresh.length > 0) lanes.wake(conversationId);
    },

    /** The work in the conversation is done. */
    settled(conversationId: string): void {
      const chat = chats.get(conversationId);
      if (chat === undefined || chat.working.size === 0) return;
      for (const id of chat.working) chat.wanted.set(id, 'done');
      chat.working.clear();
      lanes.wake(conversationId);
    },

    /** Shows no more marks. Resolves when the one in flight has ended. */
    async stop(): Promise<void> {
      lanes.abortAll('stopping');
      await lanes.close();
    },
  };
}
