import type { ChannelAdapter, Conversation, ToolStatus } from '../../contract.ts';
import type { Core, JudgedCall, LiveTurn, LiveView, TurnOptions } from '../../engine/feature.ts';
import type { Delivery } from '../../engine/send.ts';
import { newId } from '../../lib/ids.ts';
import type { JsonValue } from '../../lib/json.ts';
import type { ModelEvent } from '../../models/language-model.ts';
import type { CallTools } from '../../tools/call-tools.ts';
import type { Redactor } from '../../tools/guard/redact/redact.ts';
import { createRedactedStream, type RedactedStream } from '../../tools/guard/redact/redacted-stream.ts';
import { argumentsSoFar } from '../../tools/status.ts';
import type { Tool, ToolScope } from '../../tools/tool.ts';
import { canEdit, type EditingAdapter } from './live-message.ts';
import type { LiveReplies, LiveReply } from './live-replies.ts';
import type { Marks } from './marks.ts';
import type { ToolCards } from './tool-cards.ts';

interface ChannelViewParts extends Pick<Core, 'clock' | 'log'> {
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly delivery: Delivery;
  readonly live: LiveReplies;
  readonly cards: ToolCards;
  readonly marks: Marks;
  /** What is shown by edits where a platform does not show it by itself: replies while they are written, what tools do. */
  readonly settings: { readonly editReplies: boolean; readonly toolCards: boolean };
  /** Where a conversation is, if it was ever seen. */
  readonly placeOf: (conversationId: string) => Conversation | undefined;
  readonly redact: Redactor;
  /** What is known to be secret. */
  readonly secrets: readonly string[];
}

/** An answer that comes at once needs no sign that it is being worked on. */
const typingAfter = 700;
/** Platforms take the sign away after about five seconds. */
const typingEvery = 4_000;

/** Shows on the channels what runs are doing, as far as each channel can. */
export function createChannelView(parts: ChannelViewParts): LiveView {
  const { adapters, delivery, live, cards, marks, settings, clock, log } = parts;
  /** Where something is being worked on: that need not be looked up. */
  const places = new Map<string, Conversation>();
  /** What is being thought, by the conversation. */
  const thoughts = new Map<string, RedactedStream>();

  /** Does something where the conversation is, if its channel runs. */
  function at<Result>(conversationId: string, show: (adapter: ChannelAdapter, to: Conversation) => Result) {
    const to = places.get(conversationId) ?? parts.placeOf(conversationId);
    const adapter = to && adapters.get(to.channel);
    return to === undefined || adapter === undefined ? undefined : show(adapter, to);
  }

  function redacted(show: (delta: string) => void): RedactedStream {
    const { redact, secrets } = parts;
    return createRedactedStream(redact, secrets, show);
  }

  function hasCards(adapter: ChannelAdapter): adapter is EditingAdapter {
    return settings.toolCards && adapter.showStatus === undefined && canEdit(adapter);
  }

  /** Something else comes: the last word of what was thought is whole. */
  function endThought(conversationId: string): void {
    thoughts.get(conversationId)?.end();
    thoughts.delete(conversationId);
  }

  /** Undefined where the channel can't show a reply before it is finished. */
  function openReply(conversationId: string, options: Pick<TurnOptions, 'replyTo'>): LiveReply | undefined {
    endThought(conversationId);
    const reply = at(conversationId, (adapter, to) => {
      const native = live.openNative(conversationId, (begun) => adapter.openStream?.(to, begun));
      if (native !== undefined || !settings.editReplies || !canEdit(adapter)) return native;
      return live.openEdited(conversationId, { adapter, to }, options);
    });
    if (reply === undefined) return undefined;
    const words = redacted((delta) => reply.push(delta));
    return {
      ...reply,
      push: (delta) => words.push(delta),
      complete() {
        words.end();
        reply.complete();
      },
    };
  }

  function showStatus(conversationId: string, status: ToolStatus): void {
    endThought(conversationId);
    at(conversationId, (adapter, to) => {
      adapter.showStatus?.(to, status);
      if (hasCards(adapter)) cards.show(conversationId, { adapter, to }, status);
    });
  }

  function showThinking(conversationId: string, delta: string): void {
    const thought =
      thoughts.get(conversationId) ??
      redacted((words) => at(conversationId, (adapter, to) => adapter.showThinking?.(to, words)));
    thoughts.set(conversationId, thought);
    thought.push(delta);
  }

  /** What becomes of the calls of a turn, now that it is stored; none, if it is given up. */
  function showVerdicts(conversationId: string, calls: readonly JudgedCall[]): void {
    at(conversationId, (adapter, to) => {
      if (hasCards(adapter)) cards.judged(conversationId, { adapter, to }, calls);
    });
  }

  function showTyping(place: Conversation): () => void {
    const adapter = adapters.get(place.channel);
    if (adapter?.showTyping === undefined) return () => {};
    let cancel = (): void => {};
    const show = (): void => {
      cancel = clock.after(typingEvery, show);
      adapter.showTyping?.(place).catch((error: unknown) => log.debug({ err: error }, 'typing could not be shown'));
    };
    cancel = clock.after(typingAfter, show);
    return () => cancel();
  }

  const screen: Screen = { openReply, showStatus, showThinking, showVerdicts, log };
  const deliver: LiveView['deliver'] = (conversationIds) => delivery.wake(conversationIds);

  return {
    showStatus,
    deliver,
    openTurn: (scope, tools, options) => createLiveTurn(scope, tools, options, screen),
    showCall(conversationId, call) {
      endThought(conversationId);
      at(conversationId, (adapter, to) => adapter.showCall?.(to, call));
    },
    showResult: (conversationId, result) => at(conversationId, (adapter, to) => adapter.showResult?.(to, result)),
    closed(conversationId, reason, failure) {
      endThought(conversationId);
      if (reason === 'failed') at(conversationId, (adapter, to) => adapter.showFailure?.(to, failure));
      deliver([conversationId]);
    },
    showWorking(place, conversationId) {
      places.set(conversationId, place);
      const cancel = showTyping(place);
      return () => {
        cancel();
        places.delete(conversationId);
      };
    },
    showTaken: (place, conversationId, messageIds) => marks.working(conversationId, place, messageIds),
    settled(conversationId) {
      endThought(conversationId);
      marks.settled(conversationId);
      cards.settled(conversationId);
    },
  };
}

/** Where the pieces of an answer are shown. */
interface Screen extends Pick<Core, 'log'> {
  openReply(conversationId: string, options: Pick<TurnOptions, 'replyTo'>): LiveReply | undefined;
  showStatus(conversationId: string, status: ToolStatus): void;
  showThinking(conversationId: string, delta: string): void;
  showVerdicts(conversationId: string, calls: readonly JudgedCall[]): void;
}

/**
 * Shows one answer while the model writes it: its text from the first visible character on, its calls from their first
 * argument on. What a worker says or thinks is for the run that asked them: of that, the calls alone are shown.
 */
function createLiveTurn(scope: ToolScope, tools: CallTools, options: TurnOptions, screen: Screen): LiveTurn {
  const { conversationId, within } = scope;
  const isShown = within === undefined && !options.isHidden;
  /** Under which the calls are shown, and will be stored, by the model's own ids. */
  const ids = new Map<string, string>();
  /** What was shown of each call last. */
  const shown = new Map<string, string | undefined>();
  let reply: LiveReply | undefined;
  let hasText = false;
  let isKept = false;
  let text = '';

  function write(delta: string): void {
    if (!hasText && delta.trim() === '') return;
    if (!hasText && isShown) reply = screen.openReply(conversationId, options);
    hasText = true;
    text += delta;
    reply?.push(delta);
  }

  /** A call has its own id from its first partial argument on. */
  function idOf(modelCallId: string): string {
    const id = ids.get(modelCallId) ?? newId(12);
    ids.set(modelCallId, id);
    return id;
  }

  /** Shows the arguments so far, unless they look as before. */
  async function announce(call: Extract<ModelEvent, { type: 'partial-call' }>): Promise<void> {
    const callId = idOf(call.modelCallId);
    const found = await tools.of(callId, call.name, scope);
    const tip = tipOf(found?.tool, call.arguments);
    if (shown.has(callId) && shown.get(callId) === tip) return;
    shown.set(callId, tip);
    screen.showStatus(conversationId, { callId, toolName: call.name, state: 'wait', tip });
  }

  /** A tool that can't say it does no harm by that: its arguments are shown. */
  function tipOf(tool: Tool | undefined, args: JsonValue): string | undefined {
    try {
      const tip = tool?.onPartial?.(args, scope);
      if (tip !== undefined) return tip;
    } catch (error) {
      screen.log.debug({ err: error, tool: tool?.name }, 'a tool could not say what is being written for it');
    }
    return argumentsSoFar(args);
  }

  function stored(calls: readonly JudgedCall[]): void {
    const made = new Set(calls.flatMap(({ callId, fate }) => (fate === 'refused' ? [] : [callId])));
    for (const callId of shown.keys()) if (!made.has(callId)) tools.release(callId);
    if (calls.length > 0 || shown.size > 0) screen.showVerdicts(conversationId, calls);
    shown.clear();
  }

  return {
    get hasBegun() {
      return hasText || ids.size > 0;
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
          // The answer is asked for again.
          stored([]);
          return ids.clear();
        case 'reasoning':
          return isShown ? screen.showThinking(conversationId, event.delta) : undefined;
        case 'finish':
          return;
      }
    },
    complete: () => reply?.complete(),
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
