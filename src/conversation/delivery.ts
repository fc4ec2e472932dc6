import {
  type ChannelAdapter,
  ChannelError,
  type ChannelFault,
  type Conversation,
  type MessageRef,
  type OutboundMessage,
  type ReplyStream,
} from '../contract.ts';
import { type Clock, sleep } from '../lib/clock.ts';
import type { CrashPoints } from '../lib/crash-points.ts';
import { KeyedWorker } from '../lib/keyed-worker.ts';
import type { Log } from '../lib/log.ts';
import { growingPause, type PauseSettings, pauseAfter } from './delivery-pause.ts';
import type { LiveReplies } from './live-replies.ts';
import { laneOf, type OutboxRow, type OutboxStore } from './outbox.ts';
import { splitMarkdown } from './split.ts';

export interface DeliveryDependencies {
  readonly outbox: OutboxStore;
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly live: LiveReplies;
  readonly clock: Clock;
  readonly log: Log;
  readonly crashPoint: CrashPoints;
  readonly settings: PauseSettings;
  /** Told that the platform refuses a card for good. */
  readonly cardRefused: (approvalId: string) => Promise<void>;
}

/**
 * Brings stored messages to people: those of a chat one after the other, in their order, chats beside each other. What a
 * platform refuses for now is tried again until it succeeds; a message whose answer was lost is sent again after a pause,
 * since twice is better than never. A change of a message that was sent is shown by editing it.
 */
export class Delivery {
  readonly #dependencies: DeliveryDependencies;
  readonly #lanes: KeyedWorker;

  constructor(dependencies: DeliveryDependencies) {
    this.#dependencies = dependencies;
    this.#lanes = new KeyedWorker((lane, signal) => this.#work(lane, signal));
  }

  /** There is something to deliver. */
  wake(conversationIds: readonly string[]): void {
    for (const lane of new Set(conversationIds.map(laneOf))) this.#lanes.wake(lane);
  }

  isBusy(conversationId: string): boolean {
    return this.#lanes.isBusy(laneOf(conversationId));
  }

  whenIdle(conversationId: string): Promise<void> {
    return this.#lanes.whenIdle(laneOf(conversationId));
  }

  /** Begins no new sending; resolves when those in flight have ended. What is left stays stored. */
  async stop(): Promise<void> {
    this.#lanes.abortAll('stopping');
    await this.#lanes.close();
  }

  async #work(lane: string, signal: AbortSignal): Promise<void> {
    const { outbox, adapters, clock, settings, log } = this.#dependencies;
    let failures = 0;
    while (!signal.aborted) {
      try {
        const row = await outbox.next(lane);
        const adapter = row && adapters.get(row.conversation.channel);
        if (row === undefined || adapter === undefined) return;
        const fault = await this.#deliver(row, adapter, signal);
        if (fault !== undefined) await sleep(clock, pauseAfter(fault, failures, settings), signal);
        failures = fault === undefined ? 0 : failures + 1;
      } catch (error) {
        log.error({ err: error, lane }, 'a message could not be delivered, and will be tried again');
        failures += 1;
        await sleep(clock, settings.longestPause, signal);
      }
    }
  }

  /** Resolves with why it is to be tried again, or undefined when the row is done with. */
  async #deliver(row: OutboxRow, adapter: ChannelAdapter, signal: AbortSignal): Promise<ChannelFault | undefined> {
    const { log } = this.#dependencies;
    try {
      await this.#show(row, adapter, signal);
      return undefined;
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      const fields = {
        message: row.message.id,
        conversation: row.conversationId,
        fault: error.fault.type,
        reason: error.message,
      };
      if (error.fault.type === 'permanent') {
        log.warn(fields, 'the platform refuses a message for good');
        return this.#giveUp(row, error);
      }
      log.info(fields, 'a message will be sent again');
      return error.fault;
    }
  }

  async #giveUp(row: OutboxRow, { message }: ChannelError): Promise<undefined> {
    const { outbox, cardRefused } = this.#dependencies;
    await outbox.failed(row.message.id, row.revision, message);
    if (row.approvalId !== undefined) await cardRefused(row.approvalId);
  }

  async #show(row: OutboxRow, adapter: ChannelAdapter, signal: AbortSignal): Promise<void> {
    const { outbox, clock } = this.#dependencies;
    const { maxLength } = adapter.capabilities;
    const texts = splitMarkdown(row.message.markdown, { maxLength, measure: (markdown) => adapter.measure(markdown) });
    const shown = texts.length === 0 ? ['…'] : texts;
    const parts = shown.map((markdown, index) => partOf(row, markdown, { index, isLast: index === shown.length - 1 }));
    const isFirstTime = row.deliveredRevision === 0 && (row.revision === 1 || row.refs.length === 0);
    const refs = isFirstTime ? await this.#send(row, adapter, parts, signal) : await this.#change(row, adapter, parts);
    await this.#note(() => outbox.delivered(row.message.id, row.revision, refs, clock.now()), signal);
  }

  /**
   * Notes down what the platform shows, however often that has to be tried: while nothing can be stored, showing it once
   * more each time would never end.
   */
  async #note(write: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock, log, settings } = this.#dependencies;
    for (let failures = 0; ; failures += 1) {
      try {
        return await write();
      } catch (error) {
        if (signal.aborted) throw error;
        log.error({ err: error }, 'a message was sent, and that could not be noted down; trying again');
        await sleep(clock, growingPause(failures, settings), signal);
      }
    }
  }

  /** Sends the parts that were not sent before. */
  async #send(
    row: OutboxRow,
    adapter: ChannelAdapter,
    parts: readonly OutboundMessage[],
    signal: AbortSignal,
  ): Promise<readonly MessageRef[]> {
    const { outbox, live, crashPoint } = this.#dependencies;
    const refs = [...row.refs];
    const shown = async (ref: MessageRef): Promise<void> => {
      crashPoint(row.kind === 'card' ? 'card-sent' : 'reply-sent');
      refs.push(ref);
      if (refs.length < parts.length) await this.#note(() => outbox.partSent(row.message.id, ref), signal);
    };
    const stream = live.take(row.message.id);
    if (stream === undefined) {
      for (const part of parts.slice(refs.length)) await shown(await adapter.send(row.conversation, part));
    } else {
      await this.#finish(stream, row, parts, shown);
    }
    return refs;
  }

  /** What could not be finished now is finished later: the same text must not be shown a second time. */
  async #finish(
    stream: ReplyStream,
    row: OutboxRow,
    parts: readonly OutboundMessage[],
    shown: (ref: MessageRef) => Promise<void>,
  ): Promise<void> {
    try {
      await stream.finish(parts, shown);
    } catch (error) {
      this.#dependencies.live.putBack(row.message.id, stream);
      throw error;
    }
  }

  /** Shows the new text in place of the end of the old one, where its buttons were. */
  async #change(
    row: OutboxRow,
    adapter: ChannelAdapter,
    parts: readonly OutboundMessage[],
  ): Promise<readonly MessageRef[]> {
    const kept = Math.max(0, row.refs.length - parts.length);
    const refs = row.refs.slice(0, kept);
    for (const [index, part] of parts.entries())
      refs.push(await this.#changePart(adapter, row.conversation, row.refs[kept + index], part));
    return refs;
  }

  async #changePart(
    adapter: ChannelAdapter,
    to: Conversation,
    ref: MessageRef | undefined,
    part: OutboundMessage,
  ): Promise<MessageRef> {
    if (ref === undefined || adapter.edit === undefined || !adapter.capabilities.edits) return adapter.send(to, part);
    try {
      await adapter.edit(to, ref, part);
      return ref;
    } catch (error) {
      // Deleted by somebody, or too old to be edited: the news must still arrive.
      if (error instanceof ChannelError && error.fault.type === 'permanent') return adapter.send(to, part);
      throw error;
    }
  }
}

/**
 * One part of a message, with an id of its own: a platform that takes it for a nonce would drop the second part. The buttons
 * belong to the last one, below everything that they are about.
 */
function partOf(
  row: OutboxRow,
  markdown: string,
  place: { readonly index: number; readonly isLast: boolean },
): OutboundMessage {
  const { kind, buttons } = row.message;
  const id = place.index === 0 ? row.message.id : `${row.message.id}${place.index.toString(36)}`;
  return { id, kind, markdown, ...(place.isLast && buttons !== undefined ? { buttons } : {}) };
}
