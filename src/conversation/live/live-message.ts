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

export type EditingAdapter = ChannelAdapter & Required<Pick<ChannelAdapter, 'edit'>>;

export function canEdit(adapter: ChannelAdapter): adapter is EditingAdapter {
  return adapter.edit !== undefined;
}

export interface LivePlace {
  readonly adapter: EditingAdapter;
  readonly to: Conversation;
}

/** One message that is shown before it is finished, and changed until it is. */
export type LiveMessage = ReturnType<typeof createLiveMessage>;

/**
 * Its functions throw `ChannelError` and must not be called while another one goes on. `standing`: where a former process
 * has sent it.
 */
export function createLiveMessage({ adapter, to }: LivePlace, standing?: MessageRef) {
  let ref = standing;
  /** What it surely shows: nothing is known where a former process sent it, or the answer to a change was lost. */
  let text: string | undefined;
  let isLost = false;

  async function send(message: OutboundMessage): Promise<MessageRef> {
    ref = await adapter.send(to, message);
    text = message.markdown;
    return ref;
  }

  /** Shows this. Asks the platform for nothing where it is shown already. */
  async function show(message: OutboundMessage): Promise<void> {
    if (text === message.markdown && message.buttons === undefined) return;
    const before = ref;
    text = undefined;
    try {
      if (before === undefined) await send(message);
      else await adapter.edit(to, before, message);
      text = message.markdown;
    } catch (error) {
      if (before === undefined) isLost = faultOf(error) === 'ambiguous';
      else if (isRefused(error)) {
        ref = undefined;
        isLost = true;
      }
      throw error;
    }
  }

  return {
    /** Where it stands on the platform, if it does. */
    get ref() {
      return ref;
    },
    /** What it shows, as far as that is known. */
    get text() {
      return text;
    },
    /** It can't be changed any more: somebody has deleted it, or the answer to its sending was lost. */
    get isLost() {
      return isLost;
    },
    show,
    /** Shows the finished message: where it stands, or else in a new message. */
    async settle(message: OutboundMessage): Promise<MessageRef> {
      const before = ref;
      if (before !== undefined) {
        try {
          await show(message);
          return before;
        } catch (error) {
          unlessRefused(error);
        }
      }
      return send(message);
    },
    /** Takes it away; where that is not possible, it shows the replacement. */
    async remove(replacement: OutboundMessage): Promise<void> {
      const before = ref;
      if (before === undefined) return;
      try {
        if (adapter.remove === undefined) await show(replacement);
        else await adapter.remove(to, before);
      } catch (error) {
        unlessRefused(error);
        if (adapter.remove !== undefined) await adapter.edit(to, before, replacement).catch(unlessRefused);
      }
      ref = undefined;
    },
  };
}

/** A person who has deleted the message does not need it. */
function unlessRefused(error: unknown): void {
  if (!isRefused(error)) throw error;
}

function isRefused(error: unknown): boolean {
  return faultOf(error) === 'permanent';
}

function faultOf(error: unknown): ChannelFault['type'] | undefined {
  return error instanceof ChannelError ? error.fault.type : undefined;
}

interface FramesParts {
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
export function createFrames({ adapter, to }: LivePlace, { clock, log, ...parts }: FramesParts) {
  const pace = new EditPace({ clock, pause: adapter.capabilities.editPause[to.kind] });
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;
  let inFlight: Promise<void> | undefined;
  let failures = 0;
  let isOver = false;

  function wake(): void {
    if (isOver || inFlight !== undefined) return;
    const wanted = parts.dueAt();
    if (wanted === undefined) return;
    const now = clock.now();
    const at = Math.max(wanted, pace.earliest);
    if (at <= now && parts.isClear()) {
      cancelTimer();
      inFlight = paint();
      return;
    }
    wakeAt(at <= now ? now + lookAgainAfter : at);
  }

  async function paint(): Promise<void> {
    pace.begin();
    try {
      await parts.paint();
      failures = 0;
    } catch (error) {
      if (!mayGoOn(error)) await giveUp();
    } finally {
      inFlight = undefined;
    }
    wake();
  }

  /** Whether another frame may be shown after one that failed so. */
  function mayGoOn(error: unknown): boolean {
    if (!(error instanceof ChannelError)) {
      log.warn({ err: error }, 'no more of this is shown before it is finished');
      return false;
    }
    const { fault } = error;
    log.debug({ fault: fault.type, reason: error.message }, 'a frame could not be shown');
    switch (fault.type) {
      case 'rate-limited':
        pace.refuse(fault.retryAfter);
        return true;
      case 'transient':
      case 'ambiguous':
        failures += 1;
        return failures < mostFailures;
      case 'permanent':
      case 'auth':
      case 'moved':
        return false;
    }
  }

  /** Never throws. */
  async function giveUp(): Promise<void> {
    stop();
    try {
      await parts.gaveUp?.();
    } catch (error) {
      log.warn({ err: error }, 'what was shown could not be ended as it should be');
    }
  }

  function wakeAt(at: number): void {
    if (timer !== undefined && timer.at <= at) return;
    cancelTimer();
    const cancel = clock.after(at - clock.now(), () => {
      timer = undefined;
      wake();
    });
    timer = { at, cancel };
  }

  function cancelTimer(): void {
    timer?.cancel();
    timer = undefined;
  }

  function stop(): void {
    isOver = true;
    cancelTimer();
  }

  async function end(): Promise<void> {
    stop();
    await inFlight;
  }

  return {
    /** How long the platform takes no more of them, in milliseconds. */
    get refusedFor() {
      return pace.refusedFor;
    },
    /** No more frames are shown. */
    get isOver() {
      return isOver;
    },
    get isPainting() {
      return inFlight !== undefined;
    },
    /** There may be something new to show. Returns at once. */
    wake,
    /** Shows no more frames. The one in flight may still be shown. */
    stop,
    /** Shows no more frames. Resolves when the one in flight has ended, however it did. */
    end,
    /** Shows no more frames, since the process ends. Resolves as `end` does, but within a second. */
    async leave(): Promise<void> {
      await endsWithin(end(), { clock, milliseconds: endingGrace });
    },
  };
}
