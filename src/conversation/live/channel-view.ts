import type { ChannelAdapter, Conversation, RunFailure, ShownCall, ShownResult, ToolStatus } from '../../contract.ts';
import type { JudgedCall, LiveTurn, LiveView, TurnOptions } from '../../engine/feature.ts';
import type { Delivery } from '../../engine/send.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { CallTools } from '../../tools/call-tools.ts';
import type { Redactor } from '../../tools/guard/redact/redact.ts';
import { RedactedStream } from '../../tools/guard/redact/redacted-stream.ts';
import type { ToolScope } from '../../tools/tool.ts';
import type { ClosingReason } from '../../transcript.ts';
import { canEdit, type EditingAdapter, type LiveReply } from './live-message.ts';
import type { LiveReplies } from './live-replies.ts';
import { createLiveTurn } from './live-turn.ts';
import type { Marks } from './marks.ts';
import type { ToolCards } from './tool-cards.ts';

/** What is shown by edits, where a platform does not show it by itself. */
export interface ViewSettings {
  /** A reply while it is written. */
  readonly editReplies: boolean;
  /** What tools are doing. */
  readonly toolCards: boolean;
}

export interface ChannelViewParts {
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly delivery: Delivery;
  readonly live: LiveReplies;
  readonly cards: ToolCards;
  readonly marks: Marks;
  readonly settings: ViewSettings;
  /** Where a conversation is, if it was ever seen. */
  readonly placeOf: (conversationId: string) => Conversation | undefined;
  readonly redact: Redactor;
  /** What is known to be secret. */
  readonly secrets: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/** An answer that comes at once needs no sign that it is being worked on. */
const typingAfter = 700;
/** Platforms take the sign away after about five seconds. */
const typingEvery = 4_000;

/** Shows on the channels what runs are doing, as far as each channel can. */
export class ChannelView implements LiveView {
  readonly #dependencies: ChannelViewParts;
  /** Where something is being worked on: that need not be looked up. */
  readonly #places = new Map<string, Conversation>();
  /** What is being thought, by the conversation. */
  readonly #thoughts = new Map<string, RedactedStream>();

  constructor(dependencies: ChannelViewParts) {
    this.#dependencies = dependencies;
  }

  openTurn(scope: ToolScope, tools: CallTools, options: TurnOptions): LiveTurn {
    return createLiveTurn(scope, tools, options, this, this.#dependencies.log);
  }

  openReply(conversationId: string, options: { readonly replyTo?: string | undefined }): LiveReply | undefined {
    this.#endThought(conversationId);
    const reply = this.#openReply(conversationId, options);
    if (reply === undefined) return undefined;
    const words = this.#redacted((delta) => reply.push(delta));
    return {
      ...reply,
      push: (delta) => words.push(delta),
      complete() {
        words.end();
        reply.complete();
      },
    };
  }

  #openReply(conversationId: string, options: { readonly replyTo?: string | undefined }): LiveReply | undefined {
    const shown = this.#find(conversationId);
    if (shown === undefined) return undefined;
    const { live, settings } = this.#dependencies;
    const { adapter, place: to } = shown;
    const native = live.openNative(conversationId, (begun) => adapter.openStream?.(to, begun));
    if (native !== undefined) return native;
    if (!settings.editReplies || !canEdit(adapter)) return undefined;
    return live.openEdited(conversationId, { adapter, to }, options);
  }

  showStatus(conversationId: string, status: ToolStatus): void {
    this.#endThought(conversationId);
    const shown = this.#find(conversationId);
    if (shown === undefined) return;
    const { adapter, place: to } = shown;
    adapter.showStatus?.(to, status);
    if (this.#hasCards(adapter)) this.#dependencies.cards.show(conversationId, { adapter, to }, status);
  }

  showCall(conversationId: string, call: ShownCall): void {
    this.#endThought(conversationId);
    const shown = this.#find(conversationId);
    shown?.adapter.showCall?.(shown.place, call);
  }

  showResult(conversationId: string, result: ShownResult): void {
    const shown = this.#find(conversationId);
    shown?.adapter.showResult?.(shown.place, result);
  }

  showThinking(conversationId: string, delta: string): void {
    const thought =
      this.#thoughts.get(conversationId) ??
      this.#redacted((words) => {
        const shown = this.#find(conversationId);
        shown?.adapter.showThinking?.(shown.place, words);
      });
    this.#thoughts.set(conversationId, thought);
    thought.push(delta);
  }

  /** Something else comes: the last word of what was thought is whole. */
  #endThought(conversationId: string): void {
    this.#thoughts.get(conversationId)?.end();
    this.#thoughts.delete(conversationId);
  }

  closed(conversationId: string, reason: ClosingReason, failure: RunFailure): void {
    this.#endThought(conversationId);
    const shown = reason === 'failed' ? this.#find(conversationId) : undefined;
    shown?.adapter.showFailure?.(shown.place, failure);
    this.deliver([conversationId]);
  }

  showVerdicts(conversationId: string, calls: readonly JudgedCall[]): void {
    const shown = this.#find(conversationId);
    if (shown === undefined) return;
    const { adapter, place: to } = shown;
    if (this.#hasCards(adapter)) this.#dependencies.cards.judged(conversationId, { adapter, to }, calls);
  }

  showWorking(place: Conversation, conversationId: string): () => void {
    this.#places.set(conversationId, place);
    const cancel = this.#showTyping(place);
    return () => {
      cancel();
      this.#places.delete(conversationId);
    };
  }

  showTaken(place: Conversation, conversationId: string, messageIds: readonly string[]): void {
    this.#dependencies.marks.working(conversationId, place, messageIds);
  }

  settled(conversationId: string): void {
    this.#endThought(conversationId);
    this.#dependencies.marks.settled(conversationId);
    this.#dependencies.cards.settled(conversationId);
  }

  deliver(conversationIds: readonly string[]): void {
    this.#dependencies.delivery.wake(conversationIds);
  }

  #redacted(show: (delta: string) => void): RedactedStream {
    const { redact, secrets } = this.#dependencies;
    return new RedactedStream({ redact, secrets, show });
  }

  #showTyping(place: Conversation): () => void {
    const { adapters, clock, log } = this.#dependencies;
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

  #hasCards(adapter: ChannelAdapter): adapter is EditingAdapter {
    return this.#dependencies.settings.toolCards && adapter.showStatus === undefined && canEdit(adapter);
  }

  #find(conversationId: string): { readonly adapter: ChannelAdapter; readonly place: Conversation } | undefined {
    const place = this.#places.get(conversationId) ?? this.#dependencies.placeOf(conversationId);
    const adapter = place && this.#dependencies.adapters.get(place.channel);
    return place === undefined || adapter === undefined ? undefined : { adapter, place };
  }
}
