/* What owners have chosen for groups that the config does not name. They are few, so all are in memory. */

import { type Conversation, conversationId } from '../../contract.ts';
import type { MovedChats } from './moved-chats.ts';

/** When addressed · to all that is said · not at all. */
export type GroupAnswer = 'mentioned' | 'everything' | 'leave';

export const groupAnswers: readonly GroupAnswer[] = ['mentioned', 'everything', 'leave'];

/** A group of which the owners were asked. */
export interface AskedGroup {
  /** Of the chat, without threads. */
  readonly conversationId: string;
  readonly channel: string;
  readonly tenant?: string | undefined;
  readonly chatId: string;
  readonly title?: string | undefined;
  /** The newest request about it. */
  readonly requestId: string;
  /** Undefined while nobody has chosen. */
  readonly choice?: GroupAnswer | undefined;
  /** Everybody there is heard, not only the owners and the people whom they let in. */
  readonly isOpen: boolean;
  readonly chosenBy?: string | undefined;
  readonly chosenByName?: string | undefined;
  readonly chosenAt?: number | undefined;
}

/** What is chosen, and for which group: by the request that asks, which then must be open, or by its conversation. */
export interface Choosing {
  readonly of: { readonly requestId: string } | { readonly conversationId: string };
  readonly choice: GroupAnswer;
  readonly isOpen: boolean;
}

export interface GroupChoices {
  /** The newest one holds. */
  note(group: AskedGroup): void;
  /** That of the chat or, if there is none, that of its whole server. */
  of(conversation: Conversation): AskedGroup | undefined;
  all(): readonly AskedGroup[];
}

export function createGroupChoices(stored: readonly AskedGroup[], idOf: MovedChats['idOf']): GroupChoices {
  const groups = new Map(stored.map((group) => [group.conversationId, group]));
  return {
    note: (group) => void groups.set(group.conversationId, group),
    of(conversation) {
      const { threadId: _thread, ...chat } = conversation;
      const { tenant } = chat;
      const own = groups.get(idOf(chat));
      if (own?.choice !== undefined || tenant === undefined) return own;
      return groups.get(conversationId({ ...chat, chatId: tenant })) ?? own;
    },
    all: () => [...groups.values()],
  };
}
