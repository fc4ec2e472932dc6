import { type Conversation, conversationId } from '../../contract.ts';

/** Knows the chats whose id the platform has changed. They are few, so all are in memory. */
export interface MovedChats {
  /** The id of a conversation. A chat keeps its first one when the platform gives it another. */
  idOf(conversation: Conversation): string;
  /** The former ids of a chat, the first one first. */
  formerChats(conversation: Conversation): readonly string[];
  /** Returns the id of the conversation that goes on as `chatId`. */
  add(from: Conversation, chatId: string): string;
  /** The conversation with the chat's id of now. The given one was read while this process runs. */
  conversationNow(conversation: Conversation): Conversation;
}

/** A conversation goes on under another id. */
interface Move {
  /** The new id. */
  readonly id: string;
  readonly conversationId: string;
}

export function createMovedChats(stored: readonly Move[]): MovedChats {
  const moved = new Moves(stored);
  return {
    idOf: (conversation) => moved.idOf(conversation),
    formerChats: (conversation) => moved.formerChats(conversation),
    add: (from, chatId) => moved.add(from, chatId),
    conversationNow: (conversation) => moved.conversationNow(conversation),
  };
}

class Moves implements MovedChats {
  /** Conversation ids, by the ids that their chats got. */
  readonly #conversations: Map<string, string>;
  /** The ids that chats got since this process began, by conversation. */
  readonly #latest = new Map<string, string>();

  constructor(stored: readonly Move[]) {
    this.#conversations = new Map(stored.map((move) => [move.id, move.conversationId]));
  }

  idOf(conversation: Conversation): string {
    const name = conversationId(conversation);
    return this.#conversations.get(name) ?? name;
  }

  formerChats({ threadId: _thread, ...chat }: Conversation): readonly string[] {
    const name = conversationId(chat);
    const first = this.#conversations.get(name);
    if (first === undefined) return [];
    const later = [...this.#conversations].flatMap(([id, conversation]) =>
      conversation === first && id !== name ? id : [],
    );
    return [first, ...later.toSorted()].map(chatIdOf);
  }

  add(from: Conversation, chatId: string): string {
    const first = this.idOf(from);
    const id = conversationId({ ...from, chatId });
    if (id !== first) this.#conversations.set(id, first);
    this.#latest.set(first, chatId);
    return first;
  }

  conversationNow(conversation: Conversation): Conversation {
    const chatId = this.#latest.get(this.idOf(conversation));
    return chatId === undefined ? conversation : { ...conversation, chatId };
  }
}

/** The chat of a conversation id without a thread. */
function chatIdOf(name: string): string {
  return decodeURIComponent(name.slice(name.lastIndexOf(':') + 1));
}
