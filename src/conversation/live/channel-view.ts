import {
  type ChannelAdapter,
  ChannelError,
  type Conversation,
  type MessageMark,
  type ToolStatus,
} from '../../contract.ts';
import type { Chat, JudgedCall, LiveTurn, LiveView, TurnOptions } from '../../engine/feature.ts';
import { KeyedWorker } from '../../lib/background.ts';
import { newId } from '../../lib/ids.ts';
import type { JsonValue } from '../../lib/json.ts';
import type { ModelEvent } from '../../models/language-model.ts';
import { createRedactedStream, type RedactedStream } from '../../tools/guard/redact/redacted-output.ts';
import type { CallTools } from '../../tools/operator-rules.ts';
import { argumentsSoFar } from '../../tools/runner.ts';
import type { Tool, ToolScope } from '../../tools/tool.ts';
import type { MovedChats } from '../access/access.ts';
import type { MoveChat } from '../access/chat-moves.ts';
import type { ConversationCore } from '../conversation-core.ts';
import { canEdit, type EditingAdapter, type LivePlace } from './live-message.ts';
import type { LiveReplies, LiveReply } from './live-replies.ts';
import type { ToolCards } from './tool-cards.ts';

interface ChannelViewParts extends ConversationCore {
  readonly live: LiveReplies;
  readonly cards: ToolCards;
  readonly marks: Marks;
  readonly secrets: readonly string[];
  readonly movedChats: Pick<MovedChats, 'placeNow'>;
  readonly moved: MoveChat;
}

/** Answers that come sooner show no typing sign. In ms. */
const typingAfter = 700;
/** Platforms remove the sign after about 5 s. In ms. */
const typingEvery = 4_000;

/** Shows on the channels what runs are doing, as far as each channel can. */
export function createChannelView(parts: ChannelViewParts): LiveView {
  const { adapters, live, cards, marks, config, clock, log, deliver, movedChats } = parts;
  /** The reasoning being shown, by conversation. */
  const thoughts = new Map<string, RedactedStream>();

  /** Calls `show` with the place of the chat as it is now, and nothing else of it, if its channel runs. */
  function at<Result>(
    { channel, tenant, chatId, threadId, kind, title }: Chat,
    show: (adapter: ChannelAdapter, to: Conversation) => Result,
  ): Result | undefined {
    const adapter = adapters.get(channel);
    return adapter && show(adapter, movedChats.placeNow({ channel, tenant, chatId, threadId, kind, title }));
  }

  /** Where something is shown for a while: it follows the chat. */
  function livePlace(adapter: EditingAdapter, begun: Conversation): LivePlace {
    return {
      adapter,
      get to() {
        return movedChats.placeNow(begun);
      },
      moved: (chatId) => parts.moved(movedChats.placeNow(begun), chatId),
    };
  }

  function redacted(show: (delta: string) => void): RedactedStream {
    return createRedactedStream(parts.redact, parts.secrets, show);
  }

  function hasCards(adapter: ChannelAdapter): adapter is EditingAdapter {
    return config.delivery.tool_cards && adapter.showStatus === undefined && canEdit(adapter);
  }

  /** Something else follows: flushes the rest of the reasoning. */
  function endThought(conversationId: string): void {
    thoughts.get(conversationId)?.end();
    thoughts.delete(conversationId);
  }

  function showStatus(chat: Chat, status: ToolStatus): void {
    const { conversationId } = chat;
    endThought(conversationId);
    at(chat, (adapter, to) => {
      adapter.showStatus?.(to, status);
      if (hasCards(adapter)) cards.show(conversationId, livePlace(adapter, to), status);
    });
  }

  function showThinking(chat: Chat, delta: string): void {
    const { conversationId } = chat;
    const thought =
      thoughts.get(conversationId) ?? redacted((words) => at(chat, (adapter, to) => adapter.showThinking?.(to, words)));
    thoughts.set(conversationId, thought);
    thought.push(delta);
  }

  /** Undefined if the channel cannot show an unfinished reply. */
  function openReply(chat: Chat, replyTo: string | undefined): LiveReply | undefined {
    const { conversationId } = chat;
    endThought(conversationId);
    return at(chat, (adapter, to) => {
      const place = config.delivery.stream && canEdit(adapter) ? livePlace(adapter, to) : undefined;
      const native = live.openNative(conversationId, (refused) => adapter.openStream?.(to, refused), {
        place,
        replyTo,
      });
      if (native !== undefined || place === undefined) return native;
      return live.openEdited(conversationId, place, replyTo);
    });
  }

  /**
   * Shows one answer while the model writes it: its text from the first visible character, its calls from their first
   * argument. The text and reasoning of a worker are for the run that asked: only its calls are shown.
   */
  function openTurn(scope: ToolScope, tools: CallTools, { replyTo, isHidden }: TurnOptions): LiveTurn {
    const isShown = scope.within === undefined && !isHidden;
    /** The ids under which calls are shown and will be stored, by the model's own ids. */
    const ids = new Map<string, string>();
    /** The tip shown last, by call. */
    const shown = new Map<string, string | undefined>();
    let reply: LiveReply | undefined;
    /** The text on its way to the reply. */
    let words: RedactedStream | undefined;
    let isKept = false;
    let text = '';

    function write(delta: string): void {
      if (text === '' && delta.trim() === '') return;
      if (text === '' && isShown) {
        reply = openReply(scope, replyTo);
        words = reply && redacted(reply.push);
      }
      text += delta;
      words?.push(delta);
    }

    /** Made at the first partial argument of the call. */
    function idOf(modelCallId: string): string {
      const id = ids.get(modelCallId) ?? newId(12);
      ids.set(modelCallId, id);
      return id;
    }

    /** Shows the arguments so far, unless their tip is unchanged. */
    async function announce(call: Extract<ModelEvent, { type: 'partial-call' }>): Promise<void> {
      const callId = idOf(call.modelCallId);
      const found = await tools.of(callId, call.name, scope);
      const tip = isHidden ? undefined : tipOf(found?.tool, call.arguments);
      if (shown.has(callId) && shown.get(callId) === tip) return;
      shown.set(callId, tip);
      showStatus(scope, { callId, toolName: call.name, state: 'wait', tip });
    }

    /** If the tool fails to describe its arguments, shows the arguments. */
    function tipOf(tool: Tool | undefined, args: JsonValue): string | undefined {
      try {
        const tip = tool?.onPartial?.(args, scope);
        if (tip !== undefined) return tip;
      } catch (error) {
        log.debug({ err: error, tool: tool?.name }, 'a tool could not say what is being written for it');
      }
      return argumentsSoFar(args);
    }

    /** Shows what happens to the calls, now that the turn is stored; none if it is abandoned. */
    function stored(calls: readonly JudgedCall[]): void {
      const made = new Set(calls.flatMap(({ callId, fate }) => (fate === 'refused' ? [] : [callId])));
      for (const callId of shown.keys()) if (!made.has(callId)) tools.release(callId);
      if (calls.length > 0 || shown.size > 0)
        at(scope, (adapter, to) => {
          if (hasCards(adapter)) cards.judged(scope.conversationId, livePlace(adapter, to), calls);
        });
      shown.clear();
    }

    return {
      get hasBegun() {
        return text !== '' || ids.size > 0;
      },
      get said() {
        return reply && { id: reply.id, text };
      },
      async hear(event) {
        switch (event.type) {
          case 'text':
            return write(event.delta);
          case 'partial-call':
            return announce(event);
          case 'calls-withdrawn':
            // The model is asked again.
            stored([]);
            return ids.clear();
          case 'text-withdrawn': {
            const withdrawn = reply;
            [reply, words, text] = [undefined, undefined, ''];
            stored([]);
            ids.clear();
            return withdrawn?.abandon();
          }
          case 'reasoning':
            return isShown ? showThinking(scope, event.delta) : undefined;
          case 'finish':
            return;
        }
      },
      complete() {
        words?.end();
        reply?.complete();
      },
      takeId(modelCallId) {
        const id = idOf(modelCallId);
        ids.delete(modelCallId);
        return id;
      },
      keep() {
        isKept = true;
      },
      stored,
      async end(as) {
        if (as === 'given-up') stored([]);
        if (!isKept) await (as === 'left' ? reply?.leave() : reply?.abandon());
      },
    };
  }

  function showTyping(place: Conversation): () => void {
    const adapter = adapters.get(place.channel);
    if (adapter?.showTyping === undefined) return () => {};
    let cancel = (): void => {};
    const show = (): void => {
      cancel = clock.after(typingEvery, show);
      adapter
        .showTyping?.(movedChats.placeNow(place))
        .catch((error: unknown) => log.debug({ err: error }, 'typing could not be shown'));
    };
    cancel = clock.after(typingAfter, show);
    return () => cancel();
  }

  return {
    showStatus,
    openTurn,
    showWorking: showTyping,
    showCall(chat, call) {
      endThought(chat.conversationId);
      at(chat, (adapter, to) => adapter.showCall?.(to, call));
    },
    showResult: (chat, result) => at(chat, (adapter, to) => adapter.showResult?.(to, result)),
    closed(chat, reason, failure) {
      endThought(chat.conversationId);
      if (reason === 'failed') at(chat, (adapter, to) => adapter.showFailure?.(to, failure));
      deliver([chat.conversationId]);
    },
    showTaken: (place, conversationId, messageIds) => marks.working(conversationId, place, messageIds),
    settled(conversationId, hasWorkers) {
      endThought(conversationId);
      marks.settled(conversationId);
      if (!hasWorkers) cards.settled(conversationId);
    },
  };
}

interface MarkedChat {
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
export function createMarks({ adapters, log }: ConversationCore) {
  const chats = new Map<string, MarkedChat>();
  const lanes = new KeyedWorker(show);

  /** Does nothing if the channel has no marks, and to messages that are being worked on. */
  function mark(conversationId: string, place: Conversation, messageIds: readonly string[], as: 'seen' | 'working') {
    if (adapters.get(place.channel)?.mark === undefined) return;
    const chat = chats.get(conversationId) ?? { place, wanted: new Map(), working: new Set() };
    const fresh = messageIds.filter((id) => !chat.working.has(id));
    if (fresh.length === 0) return;
    chats.set(conversationId, chat);
    for (const id of fresh) {
      chat.wanted.set(id, as);
      if (as === 'working') chat.working.add(id);
    }
    lanes.wake(conversationId);
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
      if (messageId !== undefined) mark(conversationId, place, [messageId], 'seen');
    },

    /** The messages are being worked on, until `settled`. */
    working(conversationId: string, place: Conversation, messageIds: readonly string[]): void {
      mark(conversationId, place, messageIds, 'working');
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
