import {
  type ChannelAdapter,
  ChannelError,
  type MessageRef,
  type OutboundMessage,
  type ReplyStream,
} from '../../contract.ts';
import type { Core } from '../../engine/feature.ts';
import { healMarkdown } from '../../lib/split/heal-markdown.ts';
import { splitMarkdown } from '../../lib/split/split.ts';
import {
  createFrames,
  createLiveMessage,
  type Frames,
  type LiveMessage,
  type LiveTarget,
  type PreviewStore,
} from './live-message.ts';
import { liveWords } from './words.ts';

/**
 * A reply that is shown while it is written, as messages that are edited. A text too long for one message continues in
 * a new one. Frames are best effort; `finish` makes sure that the final text is shown.
 */
export interface EditedReply extends ReplyStream {
  /** Whether any of it may be shown already. */
  readonly hasBegun: boolean;
  /** Whether people see, or may see, some of it. */
  readonly isShown: boolean;
  /** The text is complete: no more frames until it is finished. */
  complete(): void;
  /** The process ends: what is shown stays for the next one. Resolves within a second. */
  leave(): Promise<void>;
}

interface EditedReplyParts extends Pick<Core, 'clock' | 'log'> {
  readonly outbox: PreviewStore;
  /** The most messages of a reply shown before it is finished. */
  readonly maxMessages: number;
  /** Whether something of the conversation's chat is queued or being delivered. */
  readonly isBusy: (conversationId: string) => boolean;
}

interface EditedReplyDraft {
  /** The id of the message that it becomes. */
  readonly id: string;
  readonly conversationId: string;
  readonly target: LiveTarget;
  /** The person's message that it answers. */
  readonly replyTo?: string | undefined;
  /** What a former process, or a former try, has shown: its messages, and how many of them are final. */
  readonly begun?: { readonly refs: readonly MessageRef[]; readonly finished: number } | undefined;
}

/** A text of so many characters is shown `after` ms from its first one; a shorter one, `anyAfter`. */
const worthShowing = { characters: 30, after: 400, anyAfter: 1500 } as const;
/** A change of fewer characters waits for `anyAfter` ms. */
const worthChanging = { characters: 20, anyAfter: 2000 } as const;

interface EditedState extends EditedReplyDraft {
  readonly parts: EditedReplyParts;
  readonly messages: LiveMessage[];
  finished: number;
  hasBegun: boolean;
  /** The message that grows. Those before it are full and no longer change. */
  growing: number;
  text: string;
  firstAt: number;
  /** The length shown last, and when. */
  shown: { readonly length: number; readonly at: number } | undefined;
  isFull: boolean;
  /** The messages that show it were silent, and the answer is to ring: it is sent again. Undefined before the first try. */
  isReplaced: boolean | undefined;
}

export function createEditedReply(parts: EditedReplyParts, draft: EditedReplyDraft): EditedReply {
  const { conversationId, target, begun } = draft;
  const { clock } = parts;
  const state: EditedState = {
    ...draft,
    parts,
    messages: (begun?.refs ?? []).map((ref) => createLiveMessage(target, ref)),
    finished: begun?.finished ?? 0,
    hasBegun: begun !== undefined,
    growing: 0,
    text: '',
    firstAt: 0,
    shown: undefined,
    isFull: false,
    isReplaced: undefined,
  };
  const frames: Frames = createFrames(target, {
    clock,
    log: parts.log.child({ conversation: conversationId }),
    dueAt: () => dueAt(state),
    isClear: () => isShown(state) || !parts.isBusy(conversationId),
    paint: () => paint(state, frames),
  });
  return {
    get hasBegun() {
      return state.hasBegun;
    },
    get isShown() {
      return isShown(state);
    },
    push(delta) {
      if (state.text === '') state.firstAt = clock.now();
      state.text += delta;
      frames.wake();
    },
    complete: frames.stop,
    finish: (final, whenShown) => finish(final, whenShown, state, frames),
    cancel: () => cancel(state, frames),
    leave: frames.leave,
  };
}

function isShown({ messages }: EditedState): boolean {
  return messages.some(({ ref, isLost }) => ref !== undefined || isLost);
}

function dueAt({ isFull, text, messages, shown, firstAt }: EditedState): number | undefined {
  if (isFull || text === '' || messages.some(({ isLost }) => isLost)) return undefined;
  if (shown === undefined)
    return firstAt + (text.length >= worthShowing.characters ? worthShowing.after : worthShowing.anyAfter);
  const added = text.length - shown.length;
  if (added === 0) return undefined;
  return shown.at + (added >= worthChanging.characters ? 0 : worthChanging.anyAfter);
}

async function paint(state: EditedState, frames: Frames): Promise<void> {
  const { parts, target, messages, text } = state;
  const painted = { length: text.length, at: parts.clock.now() };
  const { previews, written } = await previewParts(text, target.adapter);
  // In a chat that has another id now, nothing of it stands yet.
  if (!isShown(state)) state.growing = 0;
  for (const [index, markdown] of previews.slice(0, parts.maxMessages).entries()) {
    if (index < state.growing || !(await isOpen(state, frames))) continue;
    const message = messageAt(index, state);
    const { ref: before } = message;
    const isLast = index === previews.length - 1;
    await message.show({ ...partAt(index, markdown, state), written: isLast ? written : undefined });
    if (message.ref !== before) await parts.outbox.previewed(state.id, refsOf(messages));
    state.growing = index;
  }
  state.shown = painted;
  state.isFull = previews.length > parts.maxMessages;
}

function refsOf(messages: readonly LiveMessage[]): readonly MessageRef[] {
  return messages.flatMap(({ ref }) => ref ?? []);
}

/** Whether more may be shown. Stores that it begins before the first frame. */
async function isOpen(state: EditedState, frames: Frames): Promise<boolean> {
  const { outbox, clock } = state.parts;
  if (!state.hasBegun && !frames.isOver) {
    state.hasBegun = true;
    await outbox.openStream(state.conversationId, state.id, 'reply', clock.now());
  }
  return !frames.isOver;
}

async function finish(
  final: readonly OutboundMessage[],
  whenShown: (ref: MessageRef) => Promise<void>,
  state: EditedState,
  frames: Frames,
): Promise<void> {
  await endFrames(frames);
  const { target, messages } = state;
  state.isReplaced ??= isQuiet(target) && final[0]?.isSilent !== true && isShown(state);
  for (const message of final.slice(state.finished)) {
    const place = state.isReplaced ? createLiveMessage(target) : messageAt(state.finished, state);
    await whenShown(await place.settle(message));
    state.finished += 1;
  }
  // Only now: at each instant, the text stands in the chat.
  const left = state.isReplaced ? messages : messages.slice(final.length);
  for (const message of left) await message.remove(partAt(0, '…', state));
}

/** Whether previews do not ring there, and can be taken away. */
function isQuiet({ adapter }: LiveTarget): boolean {
  return adapter.capabilities.silence === true && adapter.remove !== undefined;
}

async function cancel(state: EditedState, frames: Frames): Promise<void> {
  await endFrames(frames);
  if (state.target.adapter.remove === undefined) return breakOff(state);
  for (const message of state.messages.toReversed()) await message.remove(partAt(0, '…', state));
}

/** It cannot be removed: what stands there ends with `…`. */
async function breakOff(state: EditedState): Promise<void> {
  const { adapter } = state.target;
  const last = state.messages.findLast(({ ref, isLost }) => ref !== undefined && !isLost);
  if (last === undefined) return;
  const broken = last.text === undefined ? '…' : `${last.text} …`;
  if (adapter.measure(broken) <= adapter.capabilities.maxLength) await last.show(partAt(0, broken, state));
}

async function endFrames(frames: Frames): Promise<void> {
  await frames.end();
  const { refusedFor: retryAfter } = frames;
  if (retryAfter === 0) return;
  throw new ChannelError({ type: 'rate-limited', retryAfter }, (language) => liveWords[language].takesNoChanges);
}

function messageAt(index: number, { messages, target }: EditedState): LiveMessage {
  const known = messages[index];
  if (known !== undefined) return known;
  const message = createLiveMessage(target);
  messages.push(message);
  return message;
}

/** Not the id of the final part: a platform that uses ids as nonces would drop that part. */
function partAt(index: number, markdown: string, { id, replyTo, target }: EditedState): OutboundMessage {
  const isFirst = index === 0;
  return {
    id: `${id}p${index.toString(36)}`,
    kind: 'reply',
    markdown,
    replyTo: isFirst ? replyTo : undefined,
    isSilent: !isFirst || isQuiet(target) || undefined,
  };
}

/** What can be shown of an unfinished text: a list of messages, maybe empty. `written`: the last one as written, if wanted. */
async function previewParts(
  text: string,
  adapter: Pick<ChannelAdapter, 'capabilities' | 'measure'>,
): Promise<{ readonly previews: readonly string[]; readonly written?: string }> {
  const { maxLength, grows } = adapter.capabilities;
  const parts = splitMarkdown(text, { maxLength, measure: (markdown) => adapter.measure(markdown) });
  const last = parts.at(-1);
  if (last === undefined) return { previews: [] };

  const healed = await healMarkdown(last);
  // The marks that close the text may be just too long for the message.
  const shown = adapter.measure(healed) <= maxLength ? healed : last;
  if (shown.trim() === '') return { previews: parts.slice(0, -1) };
  return { previews: [...parts.slice(0, -1), shown], written: grows ? last : undefined };
}
