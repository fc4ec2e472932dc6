import { ChannelError } from '../../../src/contract.ts';
import type { Log } from '../../../src/lib/log.ts';
import { Remembered } from '../../../src/lib/remembered.ts';
import { type SlackPost, threadShape } from './payload.ts';
import type { Place } from './place.ts';

/** So often is it known that the model has read how a thread began. */
const mostThreads = 1_000;

/** The posts that threads stand under, for whoever calls the bot into one in which it has not been. */
export class ThreadRoots {
  readonly #given = new Remembered<string, true>(mostThreads);
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** This author has said how the thread began. What another one says may not have been let in. */
  note(place: Place, author: string): void {
    this.#given.set(keyOf(place, author), true);
  }

  isGiven(place: Place, author: string): boolean {
    return this.#given.has(keyOf(place, author));
  }

  /** Asks Slack for it. Undefined if it can't be had. */
  async fetch({ workspace, chatId, threadId }: Place): Promise<SlackPost | undefined> {
    try {
      const parameters = { channel: chatId, ts: threadId, limit: 1 };
      const answer = await workspace.api.call('conversations.replies', parameters, { repeatable: true });
      const [root] = threadShape.safeParse(answer).data?.messages ?? [];
      return root?.ts === threadId ? root : undefined;
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      this.#log.debug({ chatId, threadId, reason: error.message }, 'the beginning of a thread could not be read');
      return undefined;
    }
  }
}

function keyOf({ workspace, chatId, threadId = '' }: Place, author: string): string {
  return `${workspace.teamId}/${chatId}/${threadId} ${author}`;
}
