import { ChannelError, type Conversation, type MessageMark } from '../../contract.ts';
import { KeyedWorker } from '../../lib/background.ts';
import type { ConversationCore } from '../conversation-core.ts';

/**
 * Marks people's messages, on channels that can: seen, being worked on, done. Best effort: a failed mark is not
 * retried. Does nothing where the channel has no marks.
 */
export interface Marks {
  /** The message is stored, and work on it has not begun. */
  seen(conversationId: string, conversation: Conversation, messageId: string | undefined): void;
  /** The messages are being worked on, until `settled`. */
  working(conversationId: string, conversation: Conversation, messageIds: readonly string[]): void;
  /**
   * Sets the model's own reaction in place of a mark. Resolves with the reaction that stands there. Throws `ChannelError`,
   * and if the channel has no reactions.
   */
  react(conversationId: string, message: ReactableMessage, emoji: string): Promise<string>;
  /** The work in the conversation is done. */
  settled(conversationId: string): void;
  /** Shows no more marks. Resolves when the one in flight has ended. */
  stop(): Promise<void>;
}

/** A message of a person, and where it stands. */
export interface ReactableMessage {
  readonly messageId: string;
  readonly conversation: Conversation;
}

interface MarkedChat {
  readonly conversation: Conversation;
  /** Marks still to be shown, by message: a newer one replaces one not shown yet. */
  readonly wanted: Map<string, MessageMark>;
  /** The messages being worked on. */
  readonly working: Set<string>;
}

interface MarksContext extends Pick<ConversationCore, 'adapters' | 'log'> {
  readonly chats: Map<string, MarkedChat>;
  readonly lanes: KeyedWorker;
}

export function createMarks({ adapters, log }: Pick<ConversationCore, 'adapters' | 'log'>): Marks {
  const lanes = new KeyedWorker((conversationId, signal) => show(conversationId, signal, marks));
  const marks: MarksContext = { adapters, log, chats: new Map(), lanes };
  return {
    seen(conversationId, conversation, messageId) {
      if (messageId !== undefined) mark(conversationId, { conversation, messageIds: [messageId], as: 'seen' }, marks);
    },
    working: (conversationId, conversation, messageIds) =>
      mark(conversationId, { conversation, messageIds, as: 'working' }, marks),
    react: (conversationId, message, emoji) => react({ conversationId, ...message, emoji }, marks),
    settled: (conversationId) => settled(conversationId, marks),
    async stop() {
      lanes.abortAll('stopping');
      await lanes.close();
    },
  };
}

interface Marking {
  readonly conversation: Conversation;
  readonly messageIds: readonly string[];
  readonly as: 'seen' | 'working';
}

/** Leaves messages alone that are being worked on. */
function mark(
  conversationId: string,
  { conversation, messageIds, as }: Marking,
  { adapters, chats, lanes }: MarksContext,
): void {
  if (adapters.get(conversation.channel)?.mark === undefined) return;
  const chat = chats.get(conversationId) ?? { conversation, wanted: new Map(), working: new Set() };
  const fresh = messageIds.filter((id) => !chat.working.has(id));
  if (fresh.length === 0) return;
  chats.set(conversationId, chat);
  for (const id of fresh) {
    chat.wanted.set(id, as);
    if (as === 'working') chat.working.add(id);
  }
  lanes.wake(conversationId);
}

interface Reacting extends ReactableMessage {
  readonly conversationId: string;
  readonly emoji: string;
}

/** After a mark that is being shown; none comes later. */
async function react(
  { conversationId, conversation, messageId, emoji }: Reacting,
  { adapters, chats, lanes }: MarksContext,
): Promise<string> {
  const adapter = adapters.get(conversation.channel);
  if (adapter?.react === undefined) throw new Error(`the channel ${conversation.channel} has no reactions`);
  chats.get(conversationId)?.wanted.delete(messageId);
  await lanes.whenIdle(conversationId);
  const reaction = await adapter.react(conversation, messageId, emoji);
  const chat = chats.get(conversationId);
  chat?.working.delete(messageId);
  if (chat?.working.size === 0 && chat.wanted.size === 0) chats.delete(conversationId);
  return reaction;
}

function settled(conversationId: string, { chats, lanes }: MarksContext): void {
  const chat = chats.get(conversationId);
  if (chat === undefined || chat.working.size === 0) return;
  for (const id of chat.working) chat.wanted.set(id, 'done');
  chat.working.clear();
  lanes.wake(conversationId);
}

async function show(
  conversationId: string,
  signal: AbortSignal,
  { adapters, chats, log }: MarksContext,
): Promise<void> {
  const chat = chats.get(conversationId);
  if (chat === undefined) return;
  const { conversation, wanted, working } = chat;
  for (let [next] = wanted; next !== undefined && !signal.aborted; [next] = wanted) {
    const [messageId, as] = next;
    wanted.delete(messageId);
    try {
      await adapters.get(conversation.channel)?.mark?.(conversation, messageId, as);
    } catch (error) {
      const level = error instanceof ChannelError ? 'debug' : 'warn';
      log[level]({ err: error, chat: conversation.chatId, mark: as }, 'a message could not be marked');
    }
  }
  if (wanted.size === 0 && working.size === 0) chats.delete(conversationId);
}
