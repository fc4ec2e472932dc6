import type { JudgedCall, LiveReply, Presenter } from '../agent/presenter.ts';
import type { ChannelAdapter, Conversation, RunFailure, ShownCall, ShownResult, ToolStatus } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { ClosingReason } from '../transcript.ts';
import type { Delivery } from './delivery/delivery.ts';
import { canEdit, type EditingAdapter } from './live/live-message.ts';
import type { LiveReplies } from './live/live-replies.ts';
import type { Marks } from './live/marks.ts';
import type { ToolCards } from './live/tool-cards.ts';

/** What is shown by edits, where a platform does not show it by itself. */
export interface StageSettings {
  /** A reply while it is written. */
  readonly editReplies: boolean;
  /** What tools are doing. */
  readonly toolCards: boolean;
}

export interface StageDependencies {
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly delivery: Delivery;
  readonly live: LiveReplies;
  readonly cards: ToolCards;
  readonly marks: Marks;
  readonly settings: StageSettings;
  /** Where a conversation is, if it was ever seen. */
  readonly placeOf: (conversationId: string) => Conversation | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** An answer that comes at once needs no sign that it is being worked on. */
const typingAfter = 700;
/** Platforms take the sign away after about five seconds. */
const typingEvery = 4_000;

/** Shows on the channels what runs are doing, as far as each channel can. */
export class Stage implements Presenter {
  readonly #dependencies: StageDependencies;
  /** Where something is being worked on: that need not be looked up. */
  readonly #places = new Map<string, Conversation>();

  constructor(dependencies: StageDependencies) {
    this.#dependencies = dependencies;
  }

  openReply(conversationId: string, options: { readonly replyTo?: string } = {}): LiveReply | undefined {
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
    const shown = this.#find(conversationId);
    if (shown === undefined) return;
    const { adapter, place: to } = shown;
    adapter.showStatus?.(to, status);
    if (this.#hasCards(adapter)) this.#dependencies.cards.show(conversationId, { adapter, to }, status);
  }

  showCall(conversationId: string, call: ShownCall): void {
    const shown = this.#find(conversationId);
    shown?.adapter.showCall?.(shown.place, call);
  }

  showResult(conversationId: string, result: ShownResult): void {
    const shown = this.#find(conversationId);
    shown?.adapter.showResult?.(shown.place, result);
  }

  showThinking(conversationId: string, delta: string): void {
    const shown = this.#find(conversationId);
    shown?.adapter.showThinking?.(shown.place, delta);
  }

  closed(conversationId: string, reason: ClosingReason, failure: RunFailure): void {
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
    this.#dependencies.marks.settled(conversationId);
    this.#dependencies.cards.settled(conversationId);
  }

  deliver(conversationIds: readonly string[]): void {
    this.#dependencies.delivery.wake(conversationIds);
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
