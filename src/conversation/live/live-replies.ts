import { type ChannelAdapter, ChannelError, type MessageRef, type ReplyStream } from '../../contract.ts';
import type { Core } from '../../engine/feature.ts';
import type { LeftPreview, OutboxRow } from '../../engine/outbox.ts';
import { newId } from '../../lib/ids.ts';
import { createEditedReply, type EditedReply } from './edited-reply.ts';
import { canEdit, type LivePlace, type PreviewStore } from './live-message.ts';

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

/** Opens a stream. It calls `begun` with messages that would stay on the platform. */
type OpenStream = (begun: (refs: readonly MessageRef[]) => Promise<void>) => ReplyStream | undefined;

interface Opened {
  readonly conversationId: string;
  readonly stream: ReplyStream;
  /** The same stream, if it shows by edits and nobody has tried to finish it yet. */
  readonly edited?: EditedReply;
}

export type LiveReplies = ReturnType<typeof createLiveReplies>;

/** Replies that are shown while they are written. Each has a row in the outbox before its first frame. */
export function createLiveReplies(parts: LiveRepliesParts) {
  const { outbox, clock, log, deliver, isBusy } = parts;
  /** By message id. */
  const opened = new Map<string, Opened>();
  /** What a former process was showing when it died, by conversation, oldest first. Each is taken once. */
  const left = new Map<string, LeftPreview[]>();

  function edited(
    {
      id,
      conversationId,
      ...reply
    }: { readonly id: string; readonly conversationId: string; readonly place: LivePlace },
    more: { readonly replyTo?: string | undefined; readonly begun?: Parameters<typeof createEditedReply>[0]['begun'] },
  ): EditedReply {
    return createEditedReply({
      ...{ id, ...reply, ...more, clock, maxMessages: parts.maxMessages },
      log: log.child({ conversation: conversationId }),
      isClear: () => !isBusy(conversationId),
      begin: () => outbox.openStream(conversationId, id, 'reply', clock.now()),
      standsAt: (refs) => outbox.previewed(id, refs),
    });
  }

  /** Removes what people see of it. What cannot be removed is marked as interrupted. */
  async function abandon(id: string, wouldStay: () => boolean): Promise<void> {
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
    await (isGone || !wouldStay() ? outbox.abandonStream(id) : interrupt(id, conversationId));
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
    /** A reply that the platform itself shows while it grows; undefined if it cannot. */
    openNative(conversationId: string, openStream: OpenStream): LiveReply | undefined {
      // A preview of a former process is continued in place, by edits.
      if (left.has(conversationId)) return undefined;
      const id = newId(20);
      let wouldStay = false;
      const stream = openStream((refs) => {
        wouldStay = true;
        return outbox.previewed(id, refs);
      });
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
          if (early === undefined) stream.push(delta);
          else early += delta;
        },
        complete: () => {},
        async abandon() {
          await ready;
          await abandon(id, () => wouldStay);
        },
        async leave() {
          await ready;
          if (!wouldStay || stream.leave === undefined) return abandon(id, () => wouldStay);
          opened.delete(id);
          await stream.leave();
        },
      };
    },

    /** A reply shown by edits. Continues a preview of a former process, if there is one. */
    openEdited(
      conversationId: string,
      place: LivePlace,
      options: { readonly replyTo?: string | undefined },
    ): LiveReply {
      const others = left.get(conversationId);
      const former = others?.pop();
      if (others?.length === 0) left.delete(conversationId);
      const id = former?.messageId ?? newId(20);
      const begun = former && { refs: former.refs, finished: 0 };
      const stream = edited({ id, conversationId, place }, { replyTo: options.replyTo, begun });
      opened.set(id, { conversationId, stream, edited: stream });
      return {
        id,
        push: stream.push,
        complete: stream.complete,
        abandon: () => abandon(id, () => true),
        async leave() {
          opened.delete(id);
          await stream.leave();
        },
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
      return edited({ id, conversationId, place: { adapter, to } }, { begun: { refs, finished: row.refs.length } });
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
