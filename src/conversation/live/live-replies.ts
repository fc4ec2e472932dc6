import {
  type ChannelAdapter,
  ChannelError,
  type MessageRef,
  type OutboundMessage,
  type ReplyStream,
} from '../../contract.ts';
import type { LeftPreview, OutboxRow } from '../../delivery/outbox.ts';
import type { Core } from '../../engine/feature.ts';
import { newId } from '../../lib/ids.ts';
import { healMarkdown } from '../../lib/split/heal-markdown.ts';
import { splitMarkdown } from '../../lib/split/split.ts';
import {
  canEdit,
  createFrames,
  createLiveMessage,
  type LiveMessage,
  type LivePlace,
  type PreviewStore,
} from './live-message.ts';

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
  readonly stream: ReplyStream;
  /** The same stream, if it shows by edits and nobody has tried to finish it yet. */
  readonly edited?: EditedReply;
}

export type LiveReplies = ReturnType<typeof createLiveReplies>;

/** Replies that are shown while they are written. Each has a row in the outbox before its first frame. */
export function createLiveReplies(parts: LiveRepliesParts) {
  const { outbox, clock, log, deliver } = parts;
  /** By message id. */
  const opened = new Map<string, Opened>();
  /** What a former process was showing when it died, by conversation, oldest first. Each is taken once. */
  const left = new Map<string, LeftPreview[]>();

  /** Removes what people see of it. What cannot be removed, and `stays`, is marked as interrupted. */
  async function abandon(id: string, stays: boolean): Promise<void> {
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
    await (isGone || !stays ? outbox.abandonStream(id) : interrupt(id, conversationId));
  }

  /** What is shown stays for the next process. */
  async function leave(id: string, stream: EditedReply): Promise<void> {
    opened.delete(id);
    await stream.leave();
  }

  async function interrupt(messageId: string, conversationId: string): Promise<void> {
    await outbox.interruptStream(messageId, clock.now());
    deliver([conversationId]);
  }

  async function interruptLeft(conversationId: string): Promise<void> {
    const previews = left.get(conversationId) ?? [];
    left.delete(conversationId);
    try {
      for (const { messageId } of previews) await interrupt(messageId, conversationId);
    } catch (error) {
      log.error({ err: error, conversation: conversationId }, 'a preview of a former process was left as it stands');
    }
  }

  return {
    /**
     * A reply that the platform itself shows while it grows; undefined if it cannot. If the platform refuses to, it is
     * shown by edits at `place` from then on.
     */
    openNative(
      conversationId: string,
      openStream: (refused: () => void) => ReplyStream | undefined,
      { place, replyTo }: { readonly place?: LivePlace | undefined; readonly replyTo?: string | undefined } = {},
    ): LiveReply | undefined {
      // A preview of a former process is continued in place, by edits.
      if (left.has(conversationId)) return undefined;
      const id = newId(20);
      let text = '';
      let instead: EditedReply | undefined;

      /** A channel that cannot show it now costs only the preview. */
      function streamOf(open: () => ReplyStream | undefined): ReplyStream | undefined {
        try {
          return open();
        } catch (err) {
          log.debug({ err }, 'a reply cannot be shown while it is written');
          return undefined;
        }
      }

      function showByEdits(): void {
        const known = opened.get(id);
        if (place === undefined || instead !== undefined || known === undefined) return;
        instead = createEditedReply(parts, { id, conversationId, place, replyTo, begun: { refs: [], finished: 0 } });
        opened.set(id, { conversationId, stream: instead, edited: instead });
        instead.push(text);
        void known.stream.cancel().catch((err: unknown) => log.debug({ err }, 'a refused preview could not be ended'));
      }

      const stream = streamOf(() => openStream(showByEdits));
      if (stream === undefined) return undefined;

      /** What is pushed before the row is in the outbox. */
      let early: string | undefined = '';
      const ready = outbox
        .openStream(conversationId, id, 'reply', clock.now())
        .then(() => {
          opened.set(id, { conversationId, stream });
          stream.push(early ?? '');
          early = undefined;
        })
        .catch((error: unknown) =>
          log.warn({ err: error, conversation: conversationId }, 'a reply can only be shown when it is finished'),
        );
      return {
        id,
        push(delta) {
          text += delta;
          if (instead !== undefined) instead.push(delta);
          else if (early === undefined) stream.push(delta);
          else early += delta;
        },
        complete: () => instead?.complete(),
        abandon: () => ready.then(() => abandon(id, instead !== undefined)),
        leave: () => ready.then(() => (instead === undefined ? abandon(id, false) : leave(id, instead))),
      };
    },

    /** A reply shown by edits. Continues a preview of a former process, if there is one. */
    openEdited(conversationId: string, place: LivePlace, replyTo?: string): LiveReply {
      const others = left.get(conversationId);
      const former = others?.pop();
      if (others?.length === 0) left.delete(conversationId);
      const id = former?.messageId ?? newId(20);
      const begun = former && { refs: former.refs, finished: 0 };
      const stream = createEditedReply(parts, { id, conversationId, place, replyTo, begun });
      opened.set(id, { conversationId, stream, edited: stream });
      return {
        id,
        push: stream.push,
        complete: stream.complete,
        abandon: () => abandon(id, true),
        leave: () => leave(id, stream),
      };
    },

    /** Whether a reply is being written of which people see nothing yet: later messages must wait. */
    isHolding: (conversationId: string): boolean =>
      [...opened.values()].some((one) => one.conversationId === conversationId && one.edited?.isShown === false),

    /** The stream that already shows a message about to be delivered; undefined if there is none. Removes it. */
    take(row: OutboxRow, adapter: ChannelAdapter): ReplyStream | undefined {
      const { conversationId, conversation: to, previews: refs } = row;
      const { id } = row.message;
      const known = opened.get(id);
      opened.delete(id);
      if (known !== undefined) return known.edited?.hasBegun === false ? undefined : known.stream;
      if (refs.length === 0 || !canEdit(adapter)) return undefined;
      const begun = { refs, finished: row.refs.length };
      // It is only finished: where the chat has moved since, the row tells, and the next try begins anew.
      const place = { adapter, to, moved: async () => {} };
      return createEditedReply(parts, { id, conversationId, place, begun });
    },

    /** It could not be finished now. */
    putBack({ message: { id }, conversationId }: OutboxRow, stream: ReplyStream): void {
      opened.set(id, { conversationId, stream });
    },

    /** Takes over the previews of a former process, oldest first. */
    adopt(previews: readonly LeftPreview[]): void {
      for (const preview of previews)
        left.set(preview.conversationId, [...(left.get(preview.conversationId) ?? []), preview]);
    },

    /**
     * Marks each preview of a former process as interrupted, unless a reply has continued it by the time the
     * conversation is idle. Never rejects.
     */
    async endLeft(whenIdle: (conversationId: string) => Promise<void>, ending: AbortSignal): Promise<void> {
      await Promise.all(
        [...left.keys()].map(async (conversationId) => {
          await whenIdle(conversationId);
          if (!ending.aborted) await interruptLeft(conversationId);
        }),
      );
    },
  };
}

interface EditedReplyDraft {
  /** The id of the message that it becomes. */
  readonly id: string;
  readonly conversationId: string;
  readonly place: LivePlace;
  /** The person's message that it answers. */
  readonly replyTo?: string | undefined;
  /** What a former process, or a former try, has shown: its messages, and how many of them are final. */
  readonly begun?: { readonly refs: readonly MessageRef[]; readonly finished: number } | undefined;
}

/** A text of so many characters is shown `after` ms from its first one; a shorter one, `anyAfter`. */
const worthShowing = { characters: 30, after: 400, anyAfter: 1500 } as const;
/** A change of fewer characters waits for `anyAfter` ms. */
const worthChanging = { characters: 20, anyAfter: 2000 } as const;

type EditedReply = ReturnType<typeof createEditedReply>;

/**
 * A reply that is shown while it is written, as messages that are edited. A text too long for one message continues in
 * a new one. Frames are best effort; `finish` makes sure that the final text is shown.
 */
function createEditedReply(parts: LiveRepliesParts, { id, conversationId, place, replyTo, begun }: EditedReplyDraft) {
  const { outbox, clock, maxMessages } = parts;
  const { adapter } = place;
  const messages = (begun?.refs ?? []).map((ref) => createLiveMessage(place, ref));
  let finished = begun?.finished ?? 0;
  let hasBegun = begun !== undefined;
  /** The message that grows. Those before it are full and no longer change. */
  let growing = 0;
  let text = '';
  let firstAt = 0;
  /** The length shown last, and when. */
  let shown: { readonly length: number; readonly at: number } | undefined;
  let isFull = false;

  const isShown = (): boolean => messages.some(({ ref, isLost }) => ref !== undefined || isLost);
  const frames = createFrames(place, {
    clock,
    log: parts.log.child({ conversation: conversationId }),
    dueAt,
    isClear: () => isShown() || !parts.isBusy(conversationId),
    paint,
  });

  function dueAt(): number | undefined {
    if (isFull || text === '' || messages.some(({ isLost }) => isLost)) return undefined;
    if (shown === undefined)
      return firstAt + (text.length >= worthShowing.characters ? worthShowing.after : worthShowing.anyAfter);
    const added = text.length - shown.length;
    if (added === 0) return undefined;
    return shown.at + (added >= worthChanging.characters ? 0 : worthChanging.anyAfter);
  }

  async function paint(): Promise<void> {
    const painted = { length: text.length, at: clock.now() };
    const { previews, written } = await previewParts(text, adapter);
    // In a chat that has another id now, nothing of it stands yet.
    if (!isShown()) growing = 0;
    for (const [index, markdown] of previews.slice(0, maxMessages).entries()) {
      if (index < growing || !(await isOpen())) continue;
      const message = messageAt(index);
      const { ref: before } = message;
      await message.show({ ...part(index, markdown), written: index === previews.length - 1 ? written : undefined });
      if (message.ref !== before)
        await outbox.previewed(
          id,
          messages.flatMap(({ ref }) => ref ?? []),
        );
      growing = index;
    }
    shown = painted;
    isFull = previews.length > maxMessages;
  }

  /** Whether more may be shown. Stores that it begins before the first frame. */
  async function isOpen(): Promise<boolean> {
    if (!hasBegun && !frames.isOver) {
      hasBegun = true;
      await outbox.openStream(conversationId, id, 'reply', clock.now());
    }
    return !frames.isOver;
  }

  async function endFrames(): Promise<void> {
    await frames.end();
    const { refusedFor: retryAfter } = frames;
    if (retryAfter > 0)
      throw new ChannelError({ type: 'rate-limited', retryAfter }, 'The chat still takes no changes.');
  }

  function messageAt(index: number): LiveMessage {
    const known = messages[index];
    if (known !== undefined) return known;
    const message = createLiveMessage(place);
    messages.push(message);
    return message;
  }

  /** Not the id of the final part: a platform that uses ids as nonces would drop that part. */
  function part(index: number, markdown: string): OutboundMessage {
    return { id: `${id}p${index.toString(36)}`, kind: 'reply', markdown, replyTo: index === 0 ? replyTo : undefined };
  }

  async function breakOff(): Promise<void> {
    const last = messages.findLast(({ ref, isLost }) => ref !== undefined && !isLost);
    if (last === undefined) return;
    const broken = last.text === undefined ? '…' : `${last.text} …`;
    if (adapter.measure(broken) <= adapter.capabilities.maxLength) await last.show(part(0, broken));
  }

  return {
    /** Whether any of it may be shown already. */
    get hasBegun() {
      return hasBegun;
    },
    /** Whether people see, or may see, some of it. */
    get isShown() {
      return isShown();
    },
    push(delta: string): void {
      if (text === '') firstAt = clock.now();
      text += delta;
      frames.wake();
    },
    /** The text is complete: no more frames until it is finished. */
    complete: frames.stop,
    async finish(final: readonly OutboundMessage[], whenShown: (ref: MessageRef) => Promise<void>): Promise<void> {
      await endFrames();
      for (const message of final.slice(finished)) {
        await whenShown(await messageAt(finished).settle(message));
        finished += 1;
      }
      for (const message of messages.slice(final.length)) await message.remove(part(0, '…'));
    },
    async cancel(): Promise<void> {
      await endFrames();
      if (adapter.remove === undefined) return breakOff();
      for (const message of messages.toReversed()) await message.remove(part(0, '…'));
    },
    /** The process ends: what is shown stays for the next one. Resolves within a second. */
    leave: frames.leave,
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
