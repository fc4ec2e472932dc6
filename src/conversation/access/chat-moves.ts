import type { Conversation } from '../../contract.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { InboxStore } from '../inbox.ts';
import type { MovedChats } from './access.ts';

interface ChatMoveParts extends ConversationCore {
  readonly inbox: Pick<InboxStore, 'move'>;
  readonly movedChats: MovedChats;
}

/** Resolves once the move to this chat id is stored. Idempotent. */
export type MoveChat = (from: Conversation, chatId: string) => Promise<void>;

/** Moves conversations whose chats got new ids from the platform, and tells the owners what to change in the config. */
export function chatMover({ inbox, movedChats, rules, ownersChats, clock, log, deliver }: ChatMoveParts): MoveChat {
  return async (from, chatId) => {
    const outdated = rules.outdatedId(from, chatId);
    const conversationId = movedChats.add(from, chatId);
    const to = outdated === undefined ? [] : (await ownersChats.best()).map(({ principal }) => principal);
    const notice = outdated === undefined ? undefined : { to, markdown: words(from, outdated, chatId) };
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
