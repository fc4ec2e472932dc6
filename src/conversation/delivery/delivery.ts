import { type ChannelAdapter, ChannelError, type ChannelFault, type Conversation } from '../../contract.ts';
import { sleep } from '../../lib/clock.ts';
import { KeyedWorker } from '../../lib/keyed-worker.ts';
import { laneOf, type OutboxRow, type Recovered } from '../outbox.ts';
import { pauseAfter } from './delivery-pause.ts';
import { MessageSender, type SenderDependencies } from './message-sender.ts';
import { noteDown } from './note-down.ts';

export interface DeliveryDependencies extends SenderDependencies {
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  /** Told that the platform refuses a card for good. */
  readonly cardRefused: (approvalId: string) => Promise<void>;
  /** Told that a chat has another id now. Resolves once messages for the conversation go there. */
  readonly moved: (from: Conversation, chatId: string) => Promise<void>;
}

/** A chat that is moved more often than this, one time after the other, can't be reached. */
const mostMoves = 3;

/**
 * Brings stored messages to people: those of a chat one after the other, in their order, chats beside each other. What a
 * platform refuses for now is tried again until it succeeds; a message whose answer was lost is sent again after a pause,
 * since twice is better than never, unless it is one that is sent once at most. A change of a message that was sent is shown by editing it.
 */
export class Delivery {
  readonly #dependencies: DeliveryDependencies;
  readonly #sender: MessageSender;
  readonly #lanes: KeyedWorker;

  constructor(dependencies: DeliveryDependencies) {
    this.#dependencies = dependencies;
    this.#sender = new MessageSender(dependencies);
    this.#lanes = new KeyedWorker((lane, signal) => this.#work(lane, signal));
  }

  /** Finds what a former process has left, and removes the files that it left over. Call it before anything can come in. */
  async recover(): Promise<Recovered> {
    const { outbox, clock } = this.#dependencies;
    const recovered = await outbox.recover(clock.now());
    await this.#removeLeftovers();
    return recovered;
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
    let moves = 0;
    while (!signal.aborted) {
      try {
        const row = await outbox.next(lane);
        const adapter = row && adapters.get(row.conversation.channel);
        if (row === undefined || adapter === undefined) return;
        const fault = await this.#deliver(row, adapter, { moves, signal });
        moves = fault?.type === 'moved' ? moves + 1 : 0;
        if (fault?.type === 'moved') continue;
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
  async #deliver(row: OutboxRow, adapter: ChannelAdapter, attempt: Attempt): Promise<ChannelFault | undefined> {
    const { log, moved } = this.#dependencies;
    try {
      await this.#sender.show(row, adapter, attempt.signal);
      return undefined;
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      const { fault } = error;
      const { message, conversationId: conversation } = row;
      const fields = { message: message.id, conversation, fault: fault.type, reason: error.message };
      if (isFinal(fault, row, attempt)) {
        log.warn(fields, 'a message will not be sent again');
        return this.#giveUp(row, error, attempt);
      }
      log.info(fields, 'a message will be sent again');
      if (fault.type === 'moved') await moved(row.conversation, fault.chatId);
      return fault;
    }
  }

  async #giveUp(row: OutboxRow, { fault, message: words }: ChannelError, { signal }: Attempt): Promise<undefined> {
    const { outbox, cardRefused } = this.#dependencies;
    const { message, revision, approvalId } = row;
    const reason = fault.type === 'ambiguous' ? `outcome unknown: ${words}` : words;
    await outbox.failed(message.id, revision, reason);
    // Nobody would ask again: the row is done with.
    if (approvalId !== undefined) await noteDown(() => cardRefused(approvalId), this.#dependencies, signal);
    await this.#sender.removeFiles(message.id);
  }

  async #removeLeftovers(): Promise<void> {
    const { outbox, files, log } = this.#dependencies;
    try {
      for (const messageId of await files.owners()) {
        if (!(await outbox.isQueued(messageId))) await files.remove(messageId);
      }
    } catch (error) {
      log.warn({ err: error }, 'files of a former process could not be removed');
    }
  }
}

interface Attempt {
  /** How often the chat has moved since something was last sent to it. */
  readonly moves: number;
  readonly signal: AbortSignal;
}

function isFinal(fault: ChannelFault, { conversation, atMostOnce }: OutboxRow, { moves }: Attempt): boolean {
  if (fault.type === 'ambiguous') return atMostOnce !== undefined;
  if (fault.type === 'moved') return fault.chatId === conversation.chatId || moves >= mostMoves;
  return fault.type === 'permanent';
}
