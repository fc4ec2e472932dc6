import { type Conversation, conversationId as nameOf } from '../../contract.ts';
import type { Core } from '../../engine/feature.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { InboxStore } from '../inbox.ts';
import type { ConfiguredAccess } from './access.ts';

/** A conversation goes on under another id. */
interface Move {
  /** The new id. */
  readonly id: string;
  readonly conversationId: string;
}

export type MovedChats = ReturnType<typeof createMovedChats>;

/** Knows the chats whose id the platform has changed. They are few, so all are in memory. */
export function createMovedChats(stored: readonly Move[]) {
  const moves = new Map(stored.map(({ id, conversationId }) => [id, conversationId]));

  /** The id of a conversation. A chat keeps its first one when the platform gives it another. */
  function idOf(conversation: Conversation): string {
    const name = nameOf(conversation);
    return moves.get(name) ?? name;
  }

  return {
    idOf,
    /** The former ids of a chat, the first one first. */
    formerChats({ threadId: _thread, ...chat }: Conversation): readonly string[] {
      const name = nameOf(chat);
      const first = moves.get(name);
      if (first === undefined) return [];
      const later = [...moves].flatMap(([id, conversationId]) => (conversationId === first && id !== name ? id : []));
      return [first, ...later.toSorted()].map(chatIdOf);
    },
    /** Returns the id of the conversation that goes on as `chatId`. */
    add(from: Conversation, chatId: string): string {
      const conversationId = idOf(from);
      const id = nameOf({ ...from, chatId });
      if (id !== conversationId) moves.set(id, conversationId);
      return conversationId;
    },
  };
}

/** The chat of a conversation id without a thread. */
function chatIdOf(name: string): string {
  return decodeURIComponent(name.slice(name.lastIndexOf(':') + 1));
}

interface ChatMoveParts extends Pick<Core, 'clock' | 'log' | 'deliver'> {
  readonly inbox: Pick<InboxStore, 'move'>;
  readonly movedChats: MovedChats;
  readonly rules: ConfiguredAccess;
  /** The owners who can be reached. */
  readonly owners: () => readonly string[];
}

/** Resolves once the move to this chat id is stored. Idempotent. */
export type MoveChat = (from: Conversation, chatId: string) => Promise<void>;

/** Moves conversations whose chats got new ids from the platform, and tells the owners what to change in the config. */
export function chatMover({ inbox, movedChats, rules, owners, clock, log, deliver }: ChatMoveParts): MoveChat {
  return async (from, chatId) => {
    const outdated = rules.outdatedId(from, chatId);
    const conversationId = movedChats.add(from, chatId);
    const notice = outdated === undefined ? undefined : { to: owners(), markdown: words(from, outdated, chatId) };
    deliver(await inbox.move({ from, conversationId, chatId, notice, at: clock.now() }));
    log.info({ conversation: conversationId, chatId }, 'a chat has another id now');
  };
}

function words({ channel, title }: Conversation, outdated: string, chatId: string): string {
  const group = title === undefined ? 'A group' : `The group ${escapeMarkdown(oneLine(title, 60))}`;
  return [
    `${group} has another id now: ${inlineCode(chatId)}. I go on there as before.`,
    `When you edit my config, write that id in place of ${inlineCode(outdated)} in ${inlineCode(`channels.${channel}.groups`)}.`,
  ].join(' ');
}
