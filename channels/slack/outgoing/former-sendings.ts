import { z } from 'zod';
import { ChannelError, type Conversation } from '../../../src/contract.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { Remembered } from '../../../src/lib/remembered.ts';
import type { SlackApi } from '../web-api/api.ts';
import { recentMessages } from './recent-messages.ts';

export interface FormerSendingsDependencies {
  readonly api: Pick<SlackApi, 'call'>;
  readonly clock: Clock;
}

/** As the message's own id stands in the metadata of what is sent. */
export function metadataOf(messageId: string): object {
  return { event_type: eventType, event_payload: { id: messageId } };
}

const eventType = 'keyturn_message';
/** More than that are not remembered, and may be sent twice. */
const mostDoubtful = 1_000;
const messageShape = z.object({
  ts: z.string(),
  metadata: z.object({ event_type: z.literal(eventType), event_payload: z.object({ id: z.string() }) }),
});

/**
 * Remembers which messages may have been sent although nobody knows, and finds them. What is sent carries its message's id
 * in the metadata, so that it is sent only once if its answer was lost.
 */
export class FormerSendings {
  readonly #dependencies: FormerSendingsDependencies;
  /** When each was first sent, by the message's id. */
  readonly #doubtful = new Remembered<string, number>(mostDoubtful);

  constructor(dependencies: FormerSendingsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Sends, unless it finds what a former try has sent. Answers with the `ts`. */
  async once(to: Conversation, messageId: string, send: () => Promise<string>): Promise<string> {
    const found = await this.#find(to, messageId);
    if (found !== undefined) return this.#settled(messageId, found);
    const begun = this.#dependencies.clock.now();
    try {
      return this.#settled(messageId, await send());
    } catch (error) {
      this.#heed(error, messageId, begun);
      throw error;
    }
  }

  #settled(messageId: string, ts: string): string {
    this.#doubtful.delete(messageId);
    return ts;
  }

  /** What the server has failed at may have been done all the same. */
  #heed(error: unknown, messageId: string, begun: number): void {
    if (!(error instanceof ChannelError)) return;
    const { type } = error.fault;
    if (type === 'permanent') this.#doubtful.delete(messageId);
    const isDoubtful = type === 'ambiguous' || type === 'transient';
    if (isDoubtful && !this.#doubtful.has(messageId)) this.#doubtful.set(messageId, begun);
  }

  /** Where the history cannot be read, a message that stands there twice is better than one that is missing. */
  async #find(to: Conversation, messageId: string): Promise<string | undefined> {
    const since = this.#doubtful.get(messageId);
    if (since === undefined) return undefined;
    const recent = await this.#recent(to, since);
    return recent
      .flatMap((message) => messageShape.safeParse(message).data ?? [])
      .find(({ metadata }) => metadata.event_payload.id === messageId)?.ts;
  }

  /** Reading is repeated once, at once: every failure counts against the message, which would wait longer and longer. */
  async #recent(to: Conversation, since: number): Promise<readonly unknown[]> {
    try {
      return await recentMessages(to, since, this.#dependencies);
    } catch (error) {
      if (!(error instanceof ChannelError) || error.fault.type !== 'transient') throw error;
      return recentMessages(to, since, this.#dependencies);
    }
  }
}
