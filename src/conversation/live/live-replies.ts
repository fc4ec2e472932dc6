import { type ChannelAdapter, ChannelError, type MessageRef, type ReplyStream } from '../../contract.ts';
import type { Core } from '../../engine/feature.ts';
import type { LeftPreview, OutboxRow } from '../../engine/outbox.ts';
import { newId } from '../../lib/ids.ts';
import { type BegunReply, EditedReply } from './edited-reply.ts';
import { canEdit, type LivePlace, type LiveReply, type PreviewStore } from './live-message.ts';

interface LiveRepliesDependencies extends Pick<Core, 'clock' | 'log' | 'deliver'> {
  readonly outbox: PreviewStore;
  /** No more messages than that are shown of a reply before it is finished. */
  readonly maxMessages: number;
  /** Whether something of the conversation's chat is queued or being delivered. */
  readonly isBusy: (conversationId: string) => boolean;
}

/** Opens a stream, and says who is to be told what of it would stay. */
type OpenStream = (begun: (refs: readonly MessageRef[]) => Promise<void>) => ReplyStream | undefined;

interface Opened {
  readonly conversationId: string;
  readonly stream: ReplyStream;
}

interface ReplyOf {
  readonly id: string;
  readonly conversationId: string;
  readonly place: LivePlace;
  readonly replyTo?: string;
}

/** The replies that are shown while they are written. Each has its row in the outbox before the first of it is shown. */
export class LiveReplies {
  readonly #dependencies: LiveRepliesDependencies;
  /** By the id of the message that each becomes. */
  readonly #opened = new Map<string, Opened>();
  /** What a former process was showing when it died, by conversation, the oldest first. Each is taken once. */
  readonly #left = new Map<string, LeftPreview[]>();

  constructor(dependencies: LiveRepliesDependencies) {
    this.#dependencies = dependencies;
  }

  /** A reply that the platform itself shows while it grows; undefined where it doesn't. */
  openNative(conversationId: string, openStream: OpenStream): LiveReply | undefined {
    // What a former process has begun is gone on with where it stands.
    if (this.#left.has(conversationId)) return undefined;
    const { outbox, clock, log } = this.#dependencies;
    const id = newId(20);
    let hasBegun = false;
    const stream = openStream((refs) => {
      hasBegun = true;
      return outbox.previewed(id, refs);
    });
    if (stream === undefined) return undefined;

    let early: string | undefined = '';
    const opened = outbox
      .openStream(conversationId, id, 'reply', clock.now())
      .then(() => {
        this.#opened.set(id, { conversationId, stream });
        stream.push(early ?? '');
        early = undefined;
      })
      .catch((error: unknown) =>
        log.warn({ err: error, conversation: conversationId }, 'a reply can only be shown when it is finished'),
      );
    const abandon = async (): Promise<void> => {
      await opened;
      this.#opened.delete(id);
      const isGone = early !== undefined || (await this.#cancel(stream, conversationId));
      if (hasBegun && !isGone) await this.#interrupt(id, conversationId);
      else await outbox.abandonStream(id);
    };
    const push = (delta: string): void => {
      if (early === undefined) stream.push(delta);
      else early += delta;
    };
    const leave = async (): Promise<void> => {
      await opened;
      if (!hasBegun || stream.leave === undefined) return abandon();
      this.#opened.delete(id);
      await stream.leave();
    };
    return { id, push, complete: () => {}, abandon, leave };
  }

  /** A reply that is shown as messages which are edited. Goes on with what a former process has begun, if it has. */
  openEdited(conversationId: string, place: LivePlace, options: { readonly replyTo?: string } = {}): LiveReply {
    const others = this.#left.get(conversationId);
    const left = others?.pop();
    if (others?.length === 0) this.#left.delete(conversationId);
    const id = left?.messageId ?? newId(20);
    const begun = left && { refs: left.refs, finished: 0 };
    const reply = this.#edited({ id, conversationId, place, ...options }, begun);
    this.#opened.set(id, { conversationId, stream: reply });
    return {
      id,
      push: (delta) => reply.push(delta),
      complete: () => reply.complete(),
      abandon: () => this.#abandonEdited(id, conversationId, reply),
      leave: async () => {
        this.#opened.delete(id);
        await reply.leave();
      },
    };
  }

  /** Whether a reply is being written there of which people see nothing yet: what follows it has to wait. */
  isHolding(conversationId: string): boolean {
    return [...this.#opened.values()].some(
      (opened) =>
        opened.conversationId === conversationId && opened.stream instanceof EditedReply && !opened.stream.isShown,
    );
  }

  /** What shows already a message that is about to be delivered: once, and undefined if nothing does. */
  take(row: OutboxRow, adapter: ChannelAdapter): ReplyStream | undefined {
    const { id } = row.message;
    const opened = this.#opened.get(id);
    this.#opened.delete(id);
    if (opened !== undefined) return isBegun(opened.stream) ? opened.stream : undefined;
    if (row.previews.length === 0 || !canEdit(adapter)) return undefined;
    const begun = { refs: row.previews, finished: row.refs.length };
    const { conversationId, conversation: to } = row;
    return this.#edited({ id, conversationId, place: { adapter, to } }, begun);
  }

  /** It could not be finished now. */
  putBack({ message: { id }, conversationId }: OutboxRow, stream: ReplyStream): void {
    this.#opened.set(id, { conversationId, stream });
  }

  /** Takes over what a former process was showing, the oldest first. */
  adopt(previews: readonly LeftPreview[]): void {
    for (const preview of previews)
      this.#left.set(preview.conversationId, [...(this.#left.get(preview.conversationId) ?? []), preview]);
  }

  /**
   * Says of what a former process was showing that it was interrupted, unless a reply has gone on with it by the time that
   * the conversation has come to rest. Never rejects.
   */
  async endLeft(whenIdle: (conversationId: string) => Promise<void>, ending: AbortSignal): Promise<void> {
    await Promise.all(
      [...this.#left.keys()].map(async (conversationId) => {
        await whenIdle(conversationId);
        if (!ending.aborted) await this.#interruptLeft(conversationId);
      }),
    );
  }

  #edited({ conversationId, ...reply }: ReplyOf, begun?: BegunReply): EditedReply {
    const { outbox, clock, log, maxMessages, isBusy } = this.#dependencies;
    const { id } = reply;
    const dependencies = {
      ...reply,
      clock,
      log: log.child({ conversation: conversationId }),
      maxMessages,
      isClear: () => !isBusy(conversationId),
      begin: () => outbox.openStream(conversationId, id, 'reply', clock.now()),
      standsAt: (refs: LeftPreview['refs']) => outbox.previewed(id, refs),
    };
    return new EditedReply(dependencies, begun);
  }

  async #interruptLeft(conversationId: string): Promise<void> {
    const left = this.#left.get(conversationId) ?? [];
    this.#left.delete(conversationId);
    try {
      for (const { messageId } of left) await this.#interrupt(messageId, conversationId);
    } catch (error) {
      const { log } = this.#dependencies;
      log.error({ err: error, conversation: conversationId }, 'a preview of a former process was left as it stands');
    }
  }

  async #abandonEdited(id: string, conversationId: string, reply: EditedReply): Promise<void> {
    this.#opened.delete(id);
    const isGone = await this.#cancel(reply, conversationId);
    if (!reply.hasBegun) return;
    if (isGone) await this.#dependencies.outbox.abandonStream(id);
    else await this.#interrupt(id, conversationId);
  }

  async #interrupt(messageId: string, conversationId: string): Promise<void> {
    const { outbox, clock, deliver } = this.#dependencies;
    await outbox.interruptStream(messageId, clock.now());
    deliver([conversationId]);
  }

  /** Whether it was done. */
  async #cancel(stream: ReplyStream, conversationId: string): Promise<boolean> {
    try {
      await stream.cancel();
      return true;
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      this.#dependencies.log.info(
        { conversation: conversationId, reason: error.message },
        'a preview was left as it stands',
      );
      return false;
    }
  }
}

/** Whether people may see some of it. */
function isBegun(stream: ReplyStream): boolean {
  return !(stream instanceof EditedReply) || stream.hasBegun;
}
