import {
  type ChannelAdapter,
  ChannelError,
  type Conversation,
  type MessageRef,
  type OutboundMessage,
} from '../../contract.ts';
import type { OutboxStore } from '../../engine/outbox.ts';

/** Where messages stand that are shown before their text is known. */
export interface PreviewStore extends Pick<OutboxStore, 'say' | 'delivered'> {
  /** A message begins to be shown before its text is known. */
  openStream(conversationId: string, messageId: string, kind: 'reply' | 'status', at: number): Promise<void>;
  /** The message that was begun is shown there by now. The text is what it shows, where that is to outlive the process. */
  previewed(messageId: string, refs: readonly MessageRef[], markdown?: string): Promise<void>;
  /** The message that was begun does not become one. */
  abandonStream(messageId: string): Promise<void>;
  /** What was begun is not finished by anybody: says so where it stands. */
  interruptStream(messageId: string, at: number): Promise<void>;
}

/** A channel that can change its messages. */
export type EditingAdapter = ChannelAdapter & Required<Pick<ChannelAdapter, 'edit'>>;

/** Whether the channel can change its messages. */
export function canEdit(adapter: ChannelAdapter): adapter is EditingAdapter {
  return adapter.edit !== undefined;
}

/** Where a message stands. */
export interface LivePlace {
  readonly adapter: EditingAdapter;
  readonly to: Conversation;
}

/**
 * One message that is shown before it is finished, and changed until it is. Its methods throw `ChannelError` and must not
 * be called while another one goes on.
 */
export class LiveMessage {
  readonly #place: LivePlace;
  #ref: MessageRef | undefined;
  /** What it surely shows: nothing is known where a former process sent it, or the answer to a change was lost. */
  #text: string | undefined;
  #isLost = false;

  /** With a reference, it is one that a former process has sent. */
  constructor(place: LivePlace, ref?: MessageRef) {
    this.#place = place;
    this.#ref = ref;
  }

  /** Where it stands on the platform, if it does. */
  get ref(): MessageRef | undefined {
    return this.#ref;
  }

  /** What it shows, as far as that is known. */
  get text(): string | undefined {
    return this.#text;
  }

  /** It can't be changed any more: somebody has deleted it, or the answer to its sending was lost. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Shows this. Asks the platform for nothing where it is shown already. */
  async show(message: OutboundMessage): Promise<void> {
    if (this.#text === message.markdown && message.buttons === undefined) return;
    if (this.#ref === undefined) return this.#send(message);
    await this.#change(this.#ref, message);
  }

  /** Shows the finished message: where it stands, or else in a new message. */
  async settle(message: OutboundMessage): Promise<MessageRef> {
    const standing = this.#ref;
    if (standing !== undefined) {
      try {
        await this.show(message);
        return standing;
      } catch (error) {
        unlessRefused(error);
      }
    }
    const { adapter, to } = this.#place;
    const ref = await adapter.send(to, message);
    this.#ref = ref;
    this.#text = message.markdown;
    return ref;
  }

  /** Takes it away; where that is not possible, it shows the replacement. */
  async remove(replacement: OutboundMessage): Promise<void> {
    const ref = this.#ref;
    if (ref === undefined) return;
    const { adapter, to } = this.#place;
    try {
      if (adapter.remove === undefined) await this.show(replacement);
      else await adapter.remove(to, ref);
    } catch (error) {
      unlessRefused(error);
      if (adapter.remove !== undefined) await adapter.edit(to, ref, replacement).catch(unlessRefused);
    }
    this.#ref = undefined;
  }

  async #send(message: OutboundMessage): Promise<void> {
    const { adapter, to } = this.#place;
    try {
      this.#ref = await adapter.send(to, message);
      this.#text = message.markdown;
    } catch (error) {
      this.#isLost = error instanceof ChannelError && error.fault.type === 'ambiguous';
      throw error;
    }
  }

  async #change(ref: MessageRef, message: OutboundMessage): Promise<void> {
    const { adapter, to } = this.#place;
    this.#text = undefined;
    try {
      await adapter.edit(to, ref, message);
      this.#text = message.markdown;
    } catch (error) {
      if (isRefused(error)) {
        this.#ref = undefined;
        this.#isLost = true;
      }
      throw error;
    }
  }
}

/** A person who has deleted the message does not need it. */
function unlessRefused(error: unknown): void {
  if (!isRefused(error)) throw error;
}

function isRefused(error: unknown): boolean {
  return error instanceof ChannelError && error.fault.type === 'permanent';
}

/** A reply that people see while it is written. */
export interface LiveReply {
  /** The outbox id of the message that it becomes. */
  readonly id: string;
  push(delta: string): void;
  /** The text is whole: what is shown of it does not change any more before it is delivered. */
  complete(): void;
  /** It does not become a message. */
  abandon(): Promise<void>;
  /** The process ends before the text does: the next one may go on with what is shown. */
  leave(): Promise<void>;
}
