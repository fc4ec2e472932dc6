import type { Conversation } from '../../contract.ts';
import type { LiveView } from '../../engine/feature.ts';
import { at, type ChatViewParts, endThought, showStatus, type ViewContext } from './chat-view.ts';
import { openTurn } from './live-turn.ts';
import type { Marks } from './message-marks.ts';

interface ChannelViewParts extends ChatViewParts {
  readonly marks: Marks;
}

/** Answers that come sooner show no typing sign. In ms. */
const typingAfter = 700;
/** Platforms remove the sign after about 5 s. In ms. */
const typingEvery = 4_000;

/** Shows on the channels what runs are doing, as far as each channel can. */
export function createChannelView(parts: ChannelViewParts): LiveView {
  const { cards, marks, deliver } = parts;
  const view: ViewContext = { parts, thoughts: new Map() };
  return {
    showStatus: (chat, status) => showStatus(chat, status, view),
    openTurn: (scope, tools, options) => openTurn(view, { scope, tools, options }),
    showWorking: (conversation) => showTyping(conversation, parts),
    showCall(chat, call) {
      endThought(chat.conversationId, view);
      at(chat, view, (adapter, to) => adapter.showCall?.(to, call));
    },
    showResult: (chat, result) => at(chat, view, (adapter, to) => adapter.showResult?.(to, result)),
    closed(chat, reason, failure) {
      endThought(chat.conversationId, view);
      if (reason === 'failed') at(chat, view, (adapter, to) => adapter.showFailure?.(to, failure));
      deliver([chat.conversationId]);
    },
    showTaken: (conversation, conversationId, messageIds) => marks.working(conversationId, conversation, messageIds),
    settled(conversationId, hasWorkers) {
      endThought(conversationId, view);
      marks.settled(conversationId);
      if (!hasWorkers) cards.settled(conversationId);
    },
  };
}

/** Shows the sign until the returned function is called. */
function showTyping(conversation: Conversation, { adapters, clock, log, movedChats }: ChannelViewParts): () => void {
  const adapter = adapters.get(conversation.channel);
  if (adapter?.showTyping === undefined) return () => {};
  let cancel = (): void => {};
  const show = (): void => {
    cancel = clock.after(typingEvery, show);
    adapter
      .showTyping?.(movedChats.conversationNow(conversation))
      .catch((error: unknown) => log.debug({ err: error }, 'typing could not be shown'));
  };
  cancel = clock.after(typingAfter, show);
  return () => cancel();
}
