import {
  type ChannelAdapter,
  ChannelError,
  type ChannelFault,
  type Conversation,
  type MessageRef,
  type OutboundMessage,
} from '../../contract.ts';
import type { OutboxStore } from '../../delivery/outbox.ts';
import { type Clock, createEditPace, type EditPace, endsWithin } from '../../lib/clock.ts';
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

/** What a message is shown in while it grows: a conversation, and the adapter that reaches it. */
export interface LiveTarget {
  readonly adapter: EditingAdapter;
  /** Where the chat is now: the platform may give it another id while something is shown there. */
  readonly to: Conversation;
  /** The platform says that the chat has this id now. Resolves once `to` names it. */
  moved(chatId: string): Promise<void>;
}

/** One message that is shown before it is finished, and changed until it is. */
export interface LiveMessage {
  /** Where it is on the platform; undefined if it is not. */
  readonly ref: MessageRef | undefined;
  /** It stands in the chat as it was before it got another id. */
  readonly isLeftBehind: boolean;
  /** What it shows, if known. */
  readonly text: string | undefined;
  /** It cannot be edited: somebody has deleted it, or the response to sending it was lost. */
  readonly isLost: boolean;
  /** Sends no request if it is shown already. */
  show(message: OutboundMessage): Promise<void>;
  /** Shows the finished message in place, or else as a new message. */
  settle(message: OutboundMessage): Promise<MessageRef>;
  /** Removes it; if that is impossible, shows the replacement. */
  remove(replacement: OutboundMessage): Promise<void>;
}

interface LiveMessageState {
  readonly target: LiveTarget;
  /** Where it was sent, and which id the chat had then. */
  sent: { readonly ref: MessageRef; readonly chatId: string } | undefined;
  /** What it certainly shows; undefined after a former process, or after a change with an unknown outcome. */
  text: string | undefined;
  isLost: boolean;
  /** The platform was told that more may follow. */
  isUnfinished: boolean;
}

/**
 * Functions throw `ChannelError`, and must not run concurrently. `standing`: where a former process has sent it. When the
 * chat gets another id, the message is left behind in the old one: from then on it counts as not sent.
 */
export function createLiveMessage(target: LiveTarget, standing?: MessageRef): LiveMessage {
  const sent = standing && { ref: standing, chatId: target.to.chatId };
  const state: LiveMessageState = { target, sent, text: undefined, isLost: false, isUnfinished: false };
  return {
    get ref() {
      return standingRef(state);
    },
    get isLeftBehind() {
      return isLeftBehind(state);
    },
    get text() {
      return isLeftBehind(state) ? undefined : state.text;
    },
    get isLost() {
      return state.isLost;
    },
    show: (message) => show(message, state),
    settle: (message) => settle(message, state),
    remove: (replacement) => remove(replacement, state),
  };
}

function isLeftBehind({ sent, target }: LiveMessageState): boolean {
  return sent !== undefined && sent.chatId !== target.to.chatId;
}

function standingRef(state: LiveMessageState): MessageRef | undefined {
  return isLeftBehind(state) ? undefined : state.sent?.ref;
}

async function show(message: OutboundMessage, state: LiveMessageState): Promise<void> {
  const { markdown, buttons, written } = message;
  const before = standingRef(state);
  const isSame = before !== undefined && state.text === markdown && buttons === undefined;
  if (isSame && (written !== undefined || !state.isUnfinished)) return;
  state.text = undefined;
  try {
    if (before === undefined) await send(message, state);
    else await edit(before, message, state);
    state.text = markdown;
    state.isUnfinished = written !== undefined && state.sent?.ref.grows !== false;
  } catch (error) {
    if (before === undefined) state.isLost = faultOf(error) === 'ambiguous';
    else if (isRefused(error)) {
      state.sent = undefined;
      state.isLost = true;
    }
    throw error;
  }
}

async function settle(message: OutboundMessage, state: LiveMessageState): Promise<MessageRef> {
  const before = standingRef(state);
  if (before !== undefined) {
    try {
      await show(message, state);
      return before;
    } catch (error) {
      unlessRefused(error);
    }
  }
  return send(message, state);
}

async function remove(replacement: OutboundMessage, state: LiveMessageState): Promise<void> {
  const { target } = state;
  const { adapter } = target;
  const before = standingRef(state);
  if (before === undefined) return;
  try {
    if (adapter.remove === undefined) await show(replacement, state);
    else await adapter.remove(target.to, before).catch((error: unknown) => follow(error, target));
  } catch (error) {
    unlessRefused(error);
    if (adapter.remove !== undefined) await edit(before, replacement, state).catch(unlessRefused);
  }
  state.sent = undefined;
}

async function send(message: OutboundMessage, state: LiveMessageState): Promise<MessageRef> {
  const { target } = state;
  const { to } = target;
  const ref = await target.adapter.send(to, message).catch((error: unknown) => follow(error, target));
  state.sent = { ref, chatId: to.chatId };
  state.text = message.markdown;
  return ref;
}

async function edit(ref: MessageRef, message: OutboundMessage, { target }: LiveMessageState): Promise<void> {
  await target.adapter.edit(target.to, ref, message).catch((error: unknown) => follow(error, target));
}

/** If the chat has another id, later requests go there. Rethrows. */
async function follow(error: unknown, target: LiveTarget): Promise<never> {
  if (error instanceof ChannelError && error.fault.type === 'moved') await target.moved(error.fault.chatId);
  throw error;
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

/** A changing state that is shown frame by frame. */
export interface Frames {
  /** For how long the platform refuses frames. In ms. */
  readonly refusedFor: number;
  readonly isOver: boolean;
  readonly isPainting: boolean;
  /** There may be something new to show. Returns at once. */
  wake(): void;
  /** Stops the frames. The one in flight may still be shown. */
  stop(): void;
  /** Stops the frames. Resolves when the one in flight has ended, even if it failed. */
  end(): Promise<void>;
  /** As `end`, but resolves within a second: the process ends. */
  leave(): Promise<void>;
}

interface FramesState extends FramesParts {
  readonly pace: EditPace;
  callOff: () => void;
  inFlight: Promise<void> | undefined;
  failures: number;
  isOver: boolean;
}

/**
 * One frame at a time, only the newest state, at the pace that the platform allows. A failed frame is not repeated: a later
 * one shows the newest state.
 */
export function createFrames(target: LiveTarget, parts: FramesParts): Frames {
  const { clock } = parts;
  const pace = createEditPace(clock, target.adapter.capabilities.editPause[target.to.kind]);
  const state: FramesState = { ...parts, pace, callOff: () => {}, inFlight: undefined, failures: 0, isOver: false };
  return {
    get refusedFor() {
      return pace.refusedFor();
    },
    get isOver() {
      return state.isOver;
    },
    get isPainting() {
      return state.inFlight !== undefined;
    },
    wake: () => wake(state),
    stop: () => stop(state),
    end: () => end(state),
    async leave() {
      await endsWithin(end(state), { clock, milliseconds: endingGrace });
    },
  };
}

function wake(state: FramesState): void {
  const { clock, pace } = state;
  state.callOff();
  if (state.isOver || state.inFlight !== undefined) return;
  const wanted = state.dueAt();
  if (wanted === undefined) return;
  const wait = Math.max(wanted, pace.earliest()) - clock.now();
  if (wait <= 0 && state.isClear()) state.inFlight = paint(state);
  else state.callOff = clock.after(wait <= 0 ? lookAgainAfter : wait, () => wake(state));
}

async function paint(state: FramesState): Promise<void> {
  state.pace.begin();
  try {
    await state.paint();
    state.failures = 0;
  } catch (error) {
    if (!mayGoOn(error, state)) await giveUp(state);
  } finally {
    state.inFlight = undefined;
  }
  wake(state);
}

/** Whether frames may continue after this failure. */
function mayGoOn(error: unknown, state: FramesState): boolean {
  const { log, pace } = state;
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
      state.failures += 1;
      return state.failures < mostFailures;
    case 'permanent':
    case 'auth':
      return false;
  }
}

/** Never throws. */
async function giveUp(state: FramesState): Promise<void> {
  stop(state);
  try {
    await state.gaveUp?.();
  } catch (error) {
    state.log.warn({ err: error }, 'what was shown could not be ended as it should be');
  }
}

function stop(state: FramesState): void {
  state.isOver = true;
  state.callOff();
}

async function end(state: FramesState): Promise<void> {
  stop(state);
  await state.inFlight;
}
