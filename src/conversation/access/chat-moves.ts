import { type Conversation, conversationId as nameOf } from '../../contract.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { InboxStore } from '../inbox.ts';
import type { ConfiguredAccess } from './configured-access.ts';

export interface ChatMovesDependencies {
  readonly inbox: Pick<InboxStore, 'move' | 'formerly'>;
  readonly rules: ConfiguredAccess;
  /** The owners who can be reached. */
  readonly owners: () => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** Told after something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
}

/** Goes on with conversations whose chats the platform has given another id, and tells the owners what to write. */
export class ChatMoves {
  readonly #dependencies: ChatMovesDependencies;

  constructor(dependencies: ChatMovesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves once it is stored that the conversation goes on in the chat with this id. Said again, it changes nothing. */
  async moved(from: Conversation, chatId: string): Promise<void> {
    const { inbox, rules, owners, clock, log, deliver } = this.#dependencies;
    const name = nameOf(from);
    const conversationId = inbox.formerly(name) ?? name;
    const outdated = rules.outdatedId(from, chatId);
    const notice = outdated === undefined ? {} : { notice: { to: owners(), markdown: words(from, outdated, chatId) } };
    deliver(await inbox.move({ from, conversationId, chatId, ...notice, at: clock.now() }));
    log.info({ conversation: conversationId, chatId }, 'a chat has another id now');
  }
}

function words({ channel, title }: Conversation, outdated: string, chatId: string): string {
  const group = title === undefined ? 'A group' : `The group ${escapeMarkdown(oneLine(title, 60))}`;
  return [
    `${group} has another id now: ${inlineCode(chatId)}. I go on there as before.`,
    `When you edit my config, write that id in place of ${inlineCode(outdated)} in ${inlineCode(`channels.${channel}.groups`)}.`,
  ].join(' ');
}
