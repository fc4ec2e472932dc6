import type { LiveReply } from '../agent/presenter.ts';
import { ChannelError, type ReplyStream } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { OutboxStore } from './outbox.ts';

export interface LiveRepliesDependencies {
  readonly outbox: OutboxStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** The replies that are shown while they are written. Each has its row in the outbox before the first of it is shown. */
export class LiveReplies {
  readonly #dependencies: LiveRepliesDependencies;
  readonly #streams = new Map<string, ReplyStream>();

  constructor(dependencies: LiveRepliesDependencies) {
    this.#dependencies = dependencies;
  }

  open(conversationId: string, openStream: () => ReplyStream): LiveReply {
    const { outbox, clock, log } = this.#dependencies;
    const id = newId(20);
    let early = '';
    let stream: ReplyStream | undefined;
    const opened = outbox
      .openStream(conversationId, id, clock.now())
      .then(() => {
        stream = openStream();
        this.#streams.set(id, stream);
        stream.push(early);
      })
      .catch((error: unknown) =>
        log.warn({ err: error, conversation: conversationId }, 'a reply can only be shown when it is finished'),
      );
    return {
      id,
      push: (delta) => {
        if (stream === undefined) early += delta;
        else stream.push(delta);
      },
      abandon: async () => {
        await opened;
        this.#streams.delete(id);
        try {
          await stream?.cancel();
        } catch (error) {
          if (!(error instanceof ChannelError)) throw error;
          log.info({ conversation: conversationId, reason: error.message }, 'a preview was left as it stands');
        }
        await outbox.abandonStream(id);
      },
    };
  }

  /** It could not be finished now. */
  putBack(messageId: string, stream: ReplyStream): void {
    this.#streams.set(messageId, stream);
  }

  /** The stream of a message that is about to be delivered, once. */
  take(messageId: string): ReplyStream | undefined {
    const stream = this.#streams.get(messageId);
    this.#streams.delete(messageId);
    return stream;
  }
}
