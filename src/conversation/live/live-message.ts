import {
  type ChannelAdapter,
  ChannelError,
  type ChannelFault,
  type Conversation,
  type MessageRef,
  type OutboundMessage,
} from '../../contract.ts';
import type { OutboxStore } from '../../engine/outbox.ts';
import { type Clock, endsWithin } from '../../lib/clock.ts';
import { EditPace } from '../../lib/edit-pace.ts';
import type { Log } from '../../lib/log.ts';

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

interface FramesDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** The instant for which the next frame is wanted; undefined where there is nothing new to show. */
  readonly dueAt: () => number | undefined;
  /** Whether a frame may be shown now. If not, it is asked again soon. */
  readonly isClear: () => boolean;
  /** Shows what is newest. */
  readonly paint: () => Promise<void>;
  /** Told that no more frames are shown, because the platform takes none. Waited for as a part of the last one. */
  readonly gaveUp?: () => Promise<void>;
}

/** How soon to look again whether the way is clear, in milliseconds. */
const lookAgainAfter = 300;
/** So many failures in a row, and no more is shown before the end. */
const mostFailures = 5;
/** How long an ending process waits for a request in flight, in milliseconds. */
const endingGrace = 1000;

/**
 * Shows something that changes, frame by frame: one at a time, the newest state only, at the pace that the platform
 * bears. A frame that fails is never repeated as such: a later one shows what is newest then.
 */
export class Frames {
  readonly #dependencies: FramesDependencies;
  readonly #pace: EditPace;
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;
  #inFlight: Promise<void> | undefined;
  #failures = 0;
  #isOver = false;

  constructor({ adapter, to }: LivePlace, dependencies: FramesDependencies) {
    this.#dependencies = dependencies;
    this.#pace = new EditPace({ clock: dependencies.clock, pause: adapter.capabilities.editPause[to.kind] });
  }

  /** How long the platform takes no more of them, in milliseconds. */
  get refusedFor(): number {
    return this.#pace.refusedFor;
  }

  /** No more frames are shown. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** A frame is on its way. */
  get isPainting(): boolean {
    return this.#inFlight !== undefined;
  }

  /** There may be something new to show. Returns at once. */
  wake(): void {
    if (this.#isOver || this.#inFlight !== undefined) return;
    const { clock, dueAt, isClear } = this.#dependencies;
    const wanted = dueAt();
    if (wanted === undefined) return;
    const now = clock.now();
    const at = Math.max(wanted, this.#pace.earliest);
    if (at <= now && isClear()) {
      this.#cancelTimer();
      this.#inFlight = this.#paint();
      return;
    }
    this.#wakeAt(at <= now ? now + lookAgainAfter : at);
  }

  /** Shows no more frames. The one in flight may still be shown. */
  stop(): void {
    this.#isOver = true;
    this.#cancelTimer();
  }

  /** Shows no more frames. Resolves when the one in flight has ended, however it did. */
  async end(): Promise<void> {
    this.stop();
    await this.#inFlight;
  }

  /** Shows no more frames, since the process ends. Resolves as `end` does, but within a second. */
  async leave(): Promise<void> {
    await endsWithin(this.end(), { clock: this.#dependencies.clock, milliseconds: endingGrace });
  }

  async #paint(): Promise<void> {
    this.#pace.begin();
    try {
      await this.#dependencies.paint();
      this.#failures = 0;
    } catch (error) {
      if (!this.#mayGoOn(error)) await this.#giveUp();
    } finally {
      this.#inFlight = undefined;
    }
    this.wake();
  }

  /** Whether another frame may be shown after one that failed so. */
  #mayGoOn(error: unknown): boolean {
    const { log } = this.#dependencies;
    if (error instanceof ChannelError) {
      log.debug({ fault: error.fault.type, reason: error.message }, 'a frame could not be shown');
      return this.#heed(error.fault);
    }
    log.warn({ err: error }, 'no more of this is shown before it is finished');
    return false;
  }

  #heed(fault: ChannelFault): boolean {
    switch (fault.type) {
      case 'rate-limited':
        this.#pace.refuse(fault.retryAfter);
        return true;
      case 'transient':
      case 'ambiguous':
        this.#failures += 1;
        return this.#failures < mostFailures;
      case 'permanent':
      case 'auth':
      case 'moved':
        return false;
    }
  }

  /** Never throws. */
  async #giveUp(): Promise<void> {
    this.stop();
    try {
      await this.#dependencies.gaveUp?.();
    } catch (error) {
      this.#dependencies.log.warn({ err: error }, 'what was shown could not be ended as it should be');
    }
  }

  #wakeAt(at: number): void {
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#cancelTimer();
    const { clock } = this.#dependencies;
    const cancel = clock.after(at - clock.now(), () => {
      this.#timer = undefined;
      this.wake();
    });
    this.#timer = { at, cancel };
  }

  #cancelTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
