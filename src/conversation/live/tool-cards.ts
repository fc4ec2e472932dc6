import { ChannelError, type ToolStatus } from '../../contract.ts';
import type { JudgedCall } from '../../engine/feature.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { LivePlace, PreviewStore } from './live-message.ts';
import { LiveToolCard } from './live-tool-card.ts';

export interface ToolCardsDependencies {
  readonly outbox: PreviewStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether nothing waits in the conversation that has to be shown before a card. */
  readonly isClear: (conversationId: string) => boolean;
  /** Told after something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
}

/** The card of the newest turn of a conversation. */
interface Current {
  readonly card: LiveToolCard;
  /** What becomes of its calls is known: the calls of another turn have another card. */
  isJudged: boolean;
}

/**
 * Shows what the calls of each turn are doing, as one message that is edited. A call that a person is asked for has a card
 * of its own, and is left out. None of it has to arrive.
 */
export class ToolCards {
  readonly #dependencies: ToolCardsDependencies;
  readonly #current = new Map<string, Current>();
  /** Those that may still change, the current ones among them. */
  readonly #live = new Set<LiveToolCard>();

  constructor(dependencies: ToolCardsDependencies) {
    this.#dependencies = dependencies;
  }

  /** The model still writes the call, or it is being executed. */
  show(conversationId: string, place: LivePlace, status: ToolStatus): void {
    const current = this.#current.get(conversationId);
    const isKnown = current?.card.callIds.includes(status.callId) === true;
    if (isKnown || (current !== undefined && !current.isJudged && status.state === 'wait')) {
      current.card.show(status);
      this.#finishIfOver(conversationId);
    } else if (status.state === 'wait') {
      this.#open(conversationId, place).card.show(status);
    }
  }

  /** The turn of these calls is stored, or given up and has none. */
  judged(conversationId: string, place: LivePlace, calls: readonly JudgedCall[]): void {
    const known = this.#current.get(conversationId);
    const runs = calls.some(({ fate }) => fate === 'runs');
    const current = known?.isJudged === false ? known : runs ? this.#open(conversationId, place) : undefined;
    if (current === undefined) return;
    current.isJudged = true;
    const { card } = current;
    const shown = calls.filter(({ fate }) => fate !== 'asks');
    for (const { callId, toolName, fate } of shown) {
      card.show({ callId, toolName, state: 'wait' });
      if (fate === 'refused') card.show({ callId, toolName, state: 'error', tip: 'not executed' });
    }
    for (const callId of card.callIds) if (!shown.some((call) => call.callId === callId)) card.leaveOut(callId);
    if (card.callIds.length === 0) this.#take(conversationId, (empty) => empty.remove());
    else this.#finishIfOver(conversationId);
  }

  /** Nothing is being done in the conversation any more. */
  settled(conversationId: string): void {
    this.#take(conversationId, (card) => this.#end(card));
  }

  /** Shows no more frames. Resolves within about a second; what was shown is ended by the next process. */
  async stop(): Promise<void> {
    const live = [...this.#live];
    this.#current.clear();
    this.#live.clear();
    await Promise.all(live.map((card) => this.#attempt(card.leave())));
  }

  #open(conversationId: string, place: LivePlace): Current {
    this.settled(conversationId);
    const { outbox, clock, log, isClear, deliver } = this.#dependencies;
    const card: LiveToolCard = new LiveToolCard({
      id: newId(20),
      conversationId,
      place,
      outbox,
      clock,
      log: log.child({ conversation: conversationId }),
      isClear: () => isClear(conversationId),
      over: () => this.#live.delete(card),
      deliver,
    });
    const current = { card, isJudged: false };
    this.#live.add(card);
    this.#current.set(conversationId, current);
    return current;
  }

  #finishIfOver(conversationId: string): void {
    const current = this.#current.get(conversationId);
    if (current?.isJudged === true && current.card.hasEnded) this.#take(conversationId, (card) => card.finish());
  }

  /** A call that was called off before it began never ended by itself. */
  async #end(card: LiveToolCard): Promise<void> {
    card.callOff();
    await card.finish();
  }

  #take(conversationId: string, work: (card: LiveToolCard) => Promise<void>): void {
    const current = this.#current.get(conversationId);
    this.#current.delete(conversationId);
    if (current !== undefined) void this.#attempt(work(current.card));
  }

  async #attempt(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      const level = error instanceof ChannelError ? 'debug' : 'warn';
      this.#dependencies.log[level]({ err: error }, 'a card of tools could not be shown as it should be');
    }
  }
}
