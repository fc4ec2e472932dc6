import { ChannelError, type Conversation } from '../../../src/contract.ts';
import type { Log } from '../../../src/lib/log.ts';
import type { SlackApi } from '../web-api/api.ts';
import { refusalCode } from '../web-api/failure.ts';
import { lacksFeature } from '../web-api/refusals.ts';

const thinking = 'is thinking…';

export interface ThreadStatusDependencies {
  readonly api: Pick<SlackApi, 'call'>;
  readonly log: Log;
}

/** Says in a thread that an answer is coming. Slack takes it away with the next message. Where it can't be said, it isn't. */
export class ThreadStatus {
  readonly #dependencies: ThreadStatusDependencies;
  #isOff = false;

  constructor(dependencies: ThreadStatusDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws `ChannelError`. */
  async show({ chatId, threadId }: Conversation): Promise<void> {
    if (this.#isOff || !threadId) return;
    const { api, log } = this.#dependencies;
    try {
      await api.call(
        'assistant.threads.setStatus',
        { channel_id: chatId, thread_ts: threadId, status: thinking },
        { repeatable: true },
      );
    } catch (error) {
      const code = refusalCode(error);
      if (!(error instanceof ChannelError) || code === undefined || error.fault.type !== 'permanent') throw error;
      // Threads that no assistant is in take none; that is no reason to say so at each message.
      if (lacksFeature(code)) this.#isOff = true;
      log.debug({ reason: error.message }, 'a thread shows no status');
    }
  }
}
