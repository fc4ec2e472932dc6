import { type ChannelAdapter, ChannelError, type ReplyStream } from '../../contract.ts';
import type { LeftPreview, OutboxRow } from '../../delivery/outbox.ts';
import type { Core } from '../../engine/feature.ts';
import { newId } from '../../lib/ids.ts';
import { createEditedReply, type EditedReply } from './edited-reply.ts';
import { canEdit, type LiveTarget, type PreviewStore } from './live-message.ts';

export interface LiveReply {
  /** The outbox id of the message that it becomes. */
  readonly id: string;
  push(delta: string): void;
  /** The text is complete: what is shown no longer changes before delivery. */
  complete(): void;
  /** It does not become a message. */
  abandon(): Promise<void>;
  /** The process ends first: the next one may continue what is shown. */
  leave(): Promise<void>;
}

interface LiveRepliesParts extends Pick<Core, 'clock' | 'log' | 'deliver'> {
  readonly outbox: PreviewStore;
  /** The most messages of a reply shown before it is finished. */
  readonly maxMessages: number;
  /** Whether something of the conversation's chat is queued or being delivered. */
  readonly isBusy: (conversationId: string) => boolean;
}

interface Opened {
  readonly conversationId: string;
  /** What shows it. Another one, after the channel was connected again, cannot go on with it. */
  readonly adapter: ChannelAdapter;
  readonly stream: ReplyStream;
  /** The same stream, if it shows by edits and nobody has tried to finish it yet. */
  readonly edited?: EditedReply;
}

/** Replies that are shown while they are written. Each has a row in the outbox before its first frame. */
export interface LiveReplies {
  /**
   * A reply that the platform itself shows while it grows; undefined if it cannot. If the platform refuses to, it is
   * shown by edits at `target` from then on.
   */
  openNative(
    conversationId: string,
    openStream: (refused: () => void) => ReplyStream | undefined,
    where: NativePlace,
  ): LiveReply | undefined;
  /** A reply shown by edits. Continues a preview of a former process, if there is one. */
  openEdited(conversationId: string, target: LiveTarget, replyTo?: string): LiveReply;
  /** Whether a reply is being written of which people see nothing yet: later messages must wait. */
  isHolding(conversationId: string): boolean;
  /** The stream that already shows a message about to be delivered; undefined if there is none. Removes it. */
  take(row: OutboxRow, adapter: ChannelAdapter): ReplyStream | undefined;
  /** It could not be finished now. `adapter`: that it was taken for. */
  putBack(row: OutboxRow, stream: ReplyStream, adapter: ChannelAdapter): void;
  /** Takes over the previews of a former process, oldest first. */
  adopt(previews: readonly LeftPreview[]): void;
  /**
   * Marks each preview of a former process as interrupted, unless a reply has continued it by the time the
   * conversation is idle. Never rejects.
   */
  endLeft(whenIdle: (conversationId: string) => Promise<void>, ending: AbortSignal): Promise<void>;
}

interface RepliesContext extends LiveRepliesParts {
  /** By message id. */
  readonly opened: Map<string, Opened>;
  /** Replies that may be complete before anything of them is shown: calls that off. */
  readonly waiting: Map<string, () => void>;
  /** What a former process was showing when it died, by conversation, oldest first. Each is taken once. */
  readonly left: Map<string, LeftPreview[]>;
}

export function createLiveReplies(parts: LiveRepliesParts): LiveReplies {
  const opened: RepliesContext['opened'] = new Map();
  const left: RepliesContext['left'] = new Map();
  const waiting: RepliesContext['waiting'] = new Map();
  const { outbox, clock, log, deliver, isBusy } = parts;
  const replies: RepliesContext = {
    outbox,
    clock,
    log,
    deliver,
    isBusy,
    get maxMessages() {
      return parts.maxMessages;
    },
    opened,
    waiting,
    left,
  };
  return {
    // A preview of a former process is continued in place, by edits.
    openNative: (conversationId, openStream, where) =>
      left.has(conversationId)
        ? undefined
        : openNative({ id: newId(20), conversationId, ...where }, openStream, replies),
    openEdited: (conversationId, target, replyTo) => openEdited(conversationId, target, replyTo, replies),
    isHolding: (conversationId) =>
      [...opened.values()].some((one) => one.conversationId === conversationId && one.edited?.isShown === false),
    take: (row, adapter) => take(row, adapter, replies),
    putBack({ message: { id }, conversationId }, stream, adapter) {
      opened.set(id, { conversationId, adapter, stream });
    },
    adopt(previews) {
      for (const preview of previews)
        left.set(preview.conversationId, [...(left.get(preview.conversationId) ?? []), preview]);
    },
    endLeft: (whenIdle, ending) => endLeft(whenIdle, ending, replies),
  };
}

/** Where the platform shows a reply itself. `target`: where it can be shown by edits instead. */
interface NativePlace {
  readonly adapter: ChannelAdapter;
  readonly target?: LiveTarget | undefined;
  readonly replyTo?: string | undefined;
}

interface NativeDraft extends NativePlace {
  readonly id: string;
  readonly conversationId: string;
}

interface NativeReply {
  readonly draft: NativeDraft;
  text: string;
  /** What shows it since the platform has refused to. */
  instead: EditedReply | undefined;
  /** What is pushed before the row is in the outbox; undefined afterwards. */
  early: string | undefined;
  /** Resolves when the row is in the outbox, if it is to be. */
  ready: Promise<void>;
}

function openNative(
  draft: NativeDraft,
  openStream: (refused: () => void) => ReplyStream | undefined,
  replies: RepliesContext,
): LiveReply | undefined {
  const { id } = draft;
  const reply: NativeReply = { draft, text: '', instead: undefined, early: '', ready: Promise.resolve() };
  const stream = streamOf(() => openStream(() => showByEdits(reply, replies)), replies);
  if (stream === undefined) return undefined;
  beginNative(reply, stream, replies);
  return {
    id,
    push(delta) {
      reply.text += delta;
      if (reply.instead !== undefined) reply.instead.push(delta);
      else if (reply.early === undefined) stream.push(delta);
      else reply.early += delta;
    },
    complete() {
      letBe(id, replies);
      reply.instead?.complete();
    },
    async abandon() {
      letBe(id, replies);
      await reply.ready;
      await abandon(id, reply.instead !== undefined, replies);
    },
    async leave() {
      letBe(id, replies);
      await reply.ready;
      await (reply.instead === undefined ? abandon(id, false, replies) : leave(id, reply.instead, replies));
    },
  };
}

/** Where the channel says so, a reply has some time to be complete before a row and a frame are made for it. */
function beginNative(reply: NativeReply, stream: ReplyStream, replies: RepliesContext): void {
  const { clock, waiting, log } = replies;
  const { id, adapter } = reply.draft;
  const { streamAfter = 0 } = adapter.capabilities;
  if (streamAfter === 0) {
    reply.ready = storeNative(reply, stream, replies);
    return;
  }
  const callOff = clock.after(streamAfter, () => {
    waiting.delete(id);
    reply.ready = storeNative(reply, stream, replies);
  });
  waiting.set(id, () => {
    callOff();
    void stream.cancel().catch((err: unknown) => log.debug({ err }, 'a preview that was not begun could not be ended'));
  });
}

/** If nothing of it is shown yet, nothing will be. */
function letBe(id: string, { waiting }: RepliesContext): void {
  waiting.get(id)?.();
  waiting.delete(id);
}

/** A channel that cannot show it now costs only the preview. */
function streamOf(open: () => ReplyStream | undefined, { log }: RepliesContext): ReplyStream | undefined {
  try {
    return open();
  } catch (err) {
    log.debug({ err }, 'a reply cannot be shown while it is written');
    return undefined;
  }
}

/** Never rejects: without its row, the reply is shown once it is finished. */
async function storeNative(reply: NativeReply, stream: ReplyStream, replies: RepliesContext): Promise<void> {
  const { outbox, clock, log, opened } = replies;
  const { id, conversationId, adapter } = reply.draft;
  try {
    await outbox.openStream(conversationId, id, 'reply', clock.now());
    opened.set(id, { conversationId, adapter, stream });
    stream.push(reply.early ?? '');
    reply.early = undefined;
  } catch (error) {
    log.warn({ err: error, conversation: conversationId }, 'a reply can only be shown when it is finished');
  }
}

/** The platform does not show it any longer: from now on it is shown by edits, if it can be. */
function showByEdits(reply: NativeReply, replies: RepliesContext): void {
  const { opened, log } = replies;
  const { id, conversationId, adapter, target, replyTo } = reply.draft;
  const known = opened.get(id);
  if (target === undefined || reply.instead !== undefined || known === undefined) return;
  const begun = { refs: [], finished: 0 };
  const instead = createEditedReply(replies, { id, conversationId, target, replyTo, begun });
  reply.instead = instead;
  opened.set(id, { conversationId, adapter, stream: instead, edited: instead });
  instead.push(reply.text);
  void known.stream.cancel().catch((err: unknown) => log.debug({ err }, 'a refused preview could not be ended'));
}

function openEdited(
  conversationId: string,
  target: LiveTarget,
  replyTo: string | undefined,
  replies: RepliesContext,
): LiveReply {
  const { opened, left } = replies;
  const others = left.get(conversationId);
  const former = others?.pop();
  if (others?.length === 0) left.delete(conversationId);
  const id = former?.messageId ?? newId(20);
  const begun = former && { refs: former.refs, finished: 0 };
  const stream = createEditedReply(replies, { id, conversationId, target, replyTo, begun });
  opened.set(id, { conversationId, adapter: target.adapter, stream, edited: stream });
  return {
    id,
    push: stream.push,
    complete: stream.complete,
    abandon: () => abandon(id, true, replies),
    leave: () => leave(id, stream, replies),
  };
}

/** Removes what people see of it. What cannot be removed, and `stays`, is marked as interrupted. */
async function abandon(id: string, stays: boolean, replies: RepliesContext): Promise<void> {
  const { outbox, log, opened } = replies;
  const known = opened.get(id);
  if (known === undefined) return;
  const { conversationId, stream } = known;
  opened.delete(id);
  let isGone = true;
  try {
    await stream.cancel();
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    log.info({ conversation: conversationId, reason: error.message }, 'a preview was left as it stands');
    isGone = false;
  }
  if (known.edited?.hasBegun === false) return;
  await (isGone || !stays ? outbox.abandonStream(id) : interrupt(id, conversationId, replies));
}

/** What is shown stays for the next process. */
async function leave(id: string, stream: EditedReply, { opened }: RepliesContext): Promise<void> {
  opened.delete(id);
  await stream.leave();
}

async function interrupt(messageId: string, conversationId: string, { outbox, clock, deliver }: RepliesContext) {
  await outbox.interruptStream(messageId, clock.now());
  deliver([conversationId]);
}

function take(row: OutboxRow, adapter: ChannelAdapter, replies: RepliesContext): ReplyStream | undefined {
  const { conversationId, conversation: to, previews: refs } = row;
  const { id } = row.message;
  letBe(id, replies);
  const known = replies.opened.get(id);
  replies.opened.delete(id);
  if (known?.adapter === adapter) return known.edited?.hasBegun === false ? undefined : known.stream;
  if (known !== undefined) forsake(known, replies);
  if (refs.length === 0 || !canEdit(adapter)) return undefined;
  const begun = { refs, finished: row.refs.length };
  // It is only finished: if the chat has moved since, the row says so, and the next try starts over.
  const target = { adapter, to, moved: async () => {} };
  return createEditedReply(replies, { id, conversationId, target, begun });
}

/** The channel was connected again: what is shown is finished by the new connection, and this one shows nothing more. */
function forsake({ stream, edited }: Opened, { log }: RepliesContext): void {
  const ended = edited === undefined ? stream.cancel() : edited.leave();
  void ended.catch((err: unknown) => log.debug({ err }, 'a preview of a former connection could not be ended'));
}

async function endLeft(
  whenIdle: (conversationId: string) => Promise<void>,
  ending: AbortSignal,
  replies: RepliesContext,
): Promise<void> {
  await Promise.all(
    [...replies.left.keys()].map(async (conversationId) => {
      await whenIdle(conversationId);
      if (!ending.aborted) await interruptLeft(conversationId, replies);
    }),
  );
}

async function interruptLeft(conversationId: string, replies: RepliesContext): Promise<void> {
  const previews = replies.left.get(conversationId) ?? [];
  replies.left.delete(conversationId);
  try {
    for (const { messageId } of previews) await interrupt(messageId, conversationId, replies);
  } catch (error) {
    replies.log.error(
      { err: error, conversation: conversationId },
      'a preview of a former process was left as it stands',
    );
  }
}
