/* What one chat is shown while a run works there, if its channel runs and can show it: calls, reasoning, a reply. */

import type { ChannelAdapter, Conversation, ToolStatus } from '../../contract.ts';
import type { Chat, JudgedCall } from '../../engine/feature.ts';
import { createRedactedStream, type RedactedStream } from '../../tools/guard/redact/redacted-output.ts';
import type { MoveChat } from '../access/chat-moves.ts';
import type { MovedChats } from '../access/moved-chats.ts';
import type { ConversationCore } from '../conversation-core.ts';
import { canEdit, type EditingAdapter, type LiveTarget } from './live-message.ts';
import type { LiveReplies, LiveReply } from './live-replies.ts';
import type { ToolCards } from './tool-cards.ts';

export interface ChatViewParts extends ConversationCore {
  readonly live: LiveReplies;
  readonly cards: ToolCards;
  readonly secrets: readonly string[];
  readonly movedChats: Pick<MovedChats, 'conversationNow'>;
  readonly moved: MoveChat;
}

export interface ViewContext {
  readonly parts: ChatViewParts;
  /** The reasoning being shown, by conversation. */
  readonly thoughts: Map<string, RedactedStream>;
}

/** Calls `show` with the conversation as it is now, and nothing else of it, if its channel runs. */
export function at<Result>(
  { channel, tenant, chatId, threadId, kind, title }: Chat,
  { parts: { adapters, movedChats } }: ViewContext,
  show: (adapter: ChannelAdapter, to: Conversation) => Result,
): Result | undefined {
  const adapter = adapters.get(channel);
  return adapter && show(adapter, movedChats.conversationNow({ channel, tenant, chatId, threadId, kind, title }));
}

/** Where something is shown for a while: it follows the chat. */
function liveTarget(adapter: EditingAdapter, begun: Conversation, { parts }: ViewContext): LiveTarget {
  const { movedChats, moved } = parts;
  return {
    adapter,
    get to() {
      return movedChats.conversationNow(begun);
    },
    moved: (chatId) => moved(movedChats.conversationNow(begun), chatId),
  };
}

/** A text as it grows, without secrets. */
export function redactedStream({ parts }: ViewContext, show: (delta: string) => void): RedactedStream {
  return createRedactedStream(parts.redact, parts.secrets, show);
}

/** Something else follows: flushes the rest of the reasoning. */
export function endThought(conversationId: string, { thoughts }: ViewContext): void {
  thoughts.get(conversationId)?.end();
  thoughts.delete(conversationId);
}

export function showStatus(chat: Chat, status: ToolStatus, view: ViewContext): void {
  const { conversationId } = chat;
  endThought(conversationId, view);
  at(chat, view, (adapter, to) => {
    adapter.showStatus?.(to, status);
    if (hasCards(adapter, view)) view.parts.cards.show(conversationId, liveTarget(adapter, to, view), status);
  });
}

/** The turn of these calls is stored. */
export function showJudged(chat: Chat, calls: readonly JudgedCall[], view: ViewContext): void {
  at(chat, view, (adapter, to) => {
    if (hasCards(adapter, view)) view.parts.cards.judged(chat.conversationId, liveTarget(adapter, to, view), calls);
  });
}

function hasCards(adapter: ChannelAdapter, { parts: { config } }: ViewContext): adapter is EditingAdapter {
  return config.delivery.tool_cards && adapter.showStatus === undefined && canEdit(adapter);
}

export function showThinking(chat: Chat, delta: string, view: ViewContext): void {
  const { conversationId } = chat;
  const { thoughts } = view;
  const thought =
    thoughts.get(conversationId) ??
    redactedStream(view, (words) => at(chat, view, (adapter, to) => adapter.showThinking?.(to, words)));
  thoughts.set(conversationId, thought);
  thought.push(delta);
}

/** Undefined if the channel cannot show an unfinished reply. */
export function openReply(chat: Chat, replyTo: string | undefined, view: ViewContext): LiveReply | undefined {
  const { conversationId } = chat;
  const { live, config } = view.parts;
  endThought(conversationId, view);
  return at(chat, view, (adapter, to) => {
    const target = config.delivery.stream && canEdit(adapter) ? liveTarget(adapter, to, view) : undefined;
    const openStream = (refused: () => void) => adapter.openStream?.(to, refused);
    const native = live.openNative(conversationId, openStream, { adapter, target, replyTo });
    if (native !== undefined || target === undefined) return native;
    return live.openEdited(conversationId, target, replyTo);
  });
}
