import {
  type ChannelAdapter,
  ChannelError,
  type ChannelFault,
  type Conversation,
  type MessageRef,
  type OutboundMessage,
} from '../../contract.ts';
import type { OutboxStore } from '../../delivery/outbox.ts';
import { type Clock, createEditPace, endsWithin } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';

/** Stores messages that are shown before their text is known. */
export interface PreviewStore extends Pick<OutboxStore, 'say' | 'delivered'> {
  /** Stores that a message is about to be shown before its text is known. */
  openStream(conversationId: string, messageId: string, kind: 'reply' | 'status', at: number): Promise<void>;
  /** The message is shown there now. `markdown`: the text that it shows, if that must outlive the process. */
  previewed(messageId: string, refs: readonly MessageRef[], markdown?: string): Promise<void>;
  /** The message will not be completed. */
  abandonStream(messageId: string): Promise<void>;
  /** Nobody will complete the message: marks it as interrupted where it is shown. */
  interruptStream(messageId: string, at: number): Promise<void>;
}

export type EditingAdapter = ChannelAdapter & Required<Pick<ChannelAdapter, 'edit'>>;

export function canEdit(adapter: ChannelAdapter): adapter is EditingAdapter {
  return adapter.edit !== undefined;
}

export interface LivePlace {
  readonly adapter: EditingAdapter;
  /** Where the chat is now: the platform may give it another id while something is shown there. */
  readonly to: Conversation;
  /** The platform says that the chat has this id now. Resolves once `to` names it. */
  moved(chatId: string): Promise<void>;
}

/** One message that is shown before it is finished, and changed until it is. */
export type LiveMessage = ReturnType<typeof createLiveMessage>;

/**
 * Functions throw `ChannelError`, and must not run concurrently. `standing`: where a former process has sent it. When the
 * chat gets another id, the message is left behind in the old one: from then on it counts as not sent.
 */
export function createLiveMessage(place: LivePlace, standing?: MessageRef) {
  const { adapter } = place;
  let sent = standing && { ref: standing, chatId: place.to.chatId };
  /** What it certainly shows; undefined after a former process, or after a change with an unknown outcome. */
  let text: string | undefined;
  let isLost = false;
  /** The platform was told that more may follow. */
  let isUnfinished = false;

  const isLeftBehind = (): boolean => sent !== undefined && sent.chatId !== place.to.chatId;
  const standingRef = (): MessageRef | undefined => (isLeftBehind() ? undefined : sent?.ref);

  async function send(message: OutboundMessage): Promise<MessageRef> {
    const { to } = place;
    const ref = await adapter.send(to, message).catch(follow);
    sent = { ref, chatId: to.chatId };
    text = message.markdown;
    return ref;
  }

  async function edit(ref: MessageRef, message: OutboundMessage): Promise<void> {
    await adapter.edit(place.to, ref, message).catch(follow);
  }

  /** For `catch`: if the chat has another id, later requests go there. Rethrows. */
  async function follow(error: unknown): Promise<never> {
    if (error instanceof ChannelError && error.fault.type === 'moved') await place.moved(error.fault.chatId);
    throw error;
  }

  /** Sends no request if it is shown already. */
  async function show(message: OutboundMessage): Promise<void> {
    const { markdown, buttons, written } = message;
    const before = standingRef();
    const isSame = before !== undefined && text === markdown && buttons === undefined;
    if (isSame && (written !== undefined || !isUnfinished)) return;
    text = undefined;
    try {
      if (before === undefined) await send(message);
      else await edit(before, message);
      text = markdown;
      isUnfinished = written !== undefined && sent?.ref.grows !== false;
    } catch (error) {
      if (before === undefined) isLost = faultOf(error) === 'ambiguous';
      else if (isRefused(error)) {
        sent = undefined;
        isLost = true;
      }
      throw error;
    }
  }

  return {
    /** Where it is on the platform; undefined if it is not. */
    get ref() {
      return standingRef();
    },
    /** It stands in the chat as it was before it got another id. */
    get isLeftBehind() {
      return isLeftBehind();
    },
    /** What it shows, if known. */
    get text() {
      return isLeftBehind() ? undefined : text;
    },
    /** It cannot be edited: somebody has deleted it, or the response to sending it was lost. */
    get isLost() {
      return isLost;
    },
    show,
    /** Shows the finished message in place, or else as a new message. */
    async settle(message: OutboundMessage): Promise<MessageRef> {
      const before = standingRef();
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
    /** Removes it; if that is impossible, shows the replacement. */
    async remove(replacement: OutboundMessage): Promise<void> {
      const before = standingRef();
      if (before === undefined) return;
      try {
        if (adapter.remove === undefined) await show(replacement);
        else await adapter.remove(place.to, before).catch(follow);
      } catch (error) {
        unlessRefused(error);
        if (adapter.remove !== undefined) await edit(before, replacement).catch(unlessRefused);
      }
      sent = undefined;
    },
  };
}

/** A refusal means that a person has deleted the message, so it is ignored. */
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
  /** When the next frame is due; undefined if nothing is new. */
  readonly dueAt: () => number | undefined;
  /** Whether a frame may be shown now. If not, it is asked again soon. */
  readonly isClear: () => boolean;
  /** Shows the newest state. */
  readonly paint: () => Promise<void>;
  /** Called when frames stop because the platform accepts none. Awaited as a part of the last one. */
  readonly gaveUp?: () => Promise<void>;
}

/** How soon to ask `isClear` again. In ms. */
const lookAgainAfter = 300;
/** After so many consecutive failures, no more frames are shown. */
const mostFailures = 5;
/** How long an ending process waits for a request in flight. In ms. */
const endingGrace = 1000;

/**
 * Shows a changing state frame by frame: one at a time, only the newest state, at the pace that the platform allows. A
 * failed frame is not repeated: a later one shows the newest state.
 */
export function createFrames(place: LivePlace, { clock, log, ...parts }: FramesParts) {
  const pace = createEditPace(clock, place.adapter.capabilities.editPause[place.to.kind]);
  let callOff = (): void => {};
  let inFlight: Promise<void> | undefined;
  let failures = 0;
  let isOver = false;

  function wake(): void {
    callOff();
    if (isOver || inFlight !== undefined) return;
    const wanted = parts.dueAt();
    if (wanted === undefined) return;
    const wait = Math.max(wanted, pace.earliest()) - clock.now();
    if (wait <= 0 && parts.isClear()) inFlight = paint();
    else callOff = clock.after(wait <= 0 ? lookAgainAfter : wait, wake);
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

  /** Whether frames may continue after this failure. */
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
      case 'moved':
        // A moved chat gets the next frame where it is now.
        failures += 1;
        return failures < mostFailures;
      case 'permanent':
      case 'auth':
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

  function stop(): void {
    isOver = true;
    callOff();
  }

  async function end(): Promise<void> {
    stop();
    await inFlight;
  }

  return {
    /** For how long the platform refuses frames. In ms. */
    get refusedFor() {
      return pace.refusedFor();
    },
    get isOver() {
      return isOver;
    },
    get isPainting() {
      return inFlight !== undefined;
    },
    /** There may be something new to show. Returns at once. */
    wake,
    /** Stops the frames. The one in flight may still be shown. */
    stop,
    /** Stops the frames. Resolves when the one in flight has ended, even if it failed. */
    end,
    /** As `end`, but resolves within a second: the process ends. */
    async leave(): Promise<void> {
      await endsWithin(end(), { clock, milliseconds: endingGrace });
    },
  };
}
