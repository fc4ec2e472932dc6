import type { Conversation } from '../../contract.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { InboxStore } from '../inbox.ts';
import type { MovedChats } from './moved-chats.ts';
import { chatMoveWords } from './words.ts';

interface ChatMoveParts extends ConversationCore {
  readonly inbox: Pick<InboxStore, 'move'>;
  readonly movedChats: MovedChats;
}

/** Resolves once the move to this chat id is stored. Idempotent. */
export type MoveChat = (from: Conversation, chatId: string) => Promise<void>;

/** Moves conversations whose chats got new ids from the platform, and tells the owners what to change in the config. */
export function chatMover(parts: ChatMoveParts): MoveChat {
  const { inbox, movedChats, rules, ownersChats, readerIn, clock, log, deliver } = parts;
  return async (from, chatId) => {
    const outdated = rules.outdatedId(from, chatId);
    const conversationId = movedChats.add(from, chatId);
    const owners = outdated === undefined ? [] : await ownersChats.best();
    const notices = owners.map((chat) => ({
      conversationId: chat.conversationId,
      markdown: chatMoveWords[readerIn(chat.conversationId).language].moved({
        title: from.title === undefined ? undefined : escapeMarkdown(oneLine(from.title, 60)),
        id: inlineCode(chatId),
        outdated: inlineCode(outdated ?? ''),
        key: inlineCode(`channels.${from.channel}.groups`),
      }),
    }));
    deliver(await inbox.move({ from, conversationId, chatId, notices, at: clock.now() }));
    log.info({ conversation: conversationId, chatId }, 'a chat has another id now');
  };
}
