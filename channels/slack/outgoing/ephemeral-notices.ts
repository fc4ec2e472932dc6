import { ChannelError } from '../../../src/contract.ts';
import type { Background } from '../../../src/lib/background.ts';
import type { Log } from '../../../src/lib/log.ts';
import type { Place } from '../incoming/place.ts';
import { refusalCode } from '../web-api/failure.ts';
import { isAbsence } from '../web-api/refusals.ts';
import { contentOf, shownMarkdown } from './content.ts';
import { respond } from './respond.ts';

export interface EphemeralNoticesDependencies {
  readonly background: Background;
  readonly log: Log;
  /** The Web API, which says what an address for answers may look like. */
  readonly apiUrl: string;
  readonly requestTimeoutSecs: number;
}

/** Says something to one person alone, where he said or pressed something. Best effort: nobody waits for it. */
export class EphemeralNotices {
  readonly #dependencies: EphemeralNoticesDependencies;

  constructor(dependencies: EphemeralNoticesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns at once. Whoever only looks into a channel can be reached at the address of what he pressed. */
  show({ workspace, chatId, shownIn }: Place, userId: string, notice: string | undefined, responseUrl?: string): void {
    if (notice === undefined) return;
    const parameters = {
      channel: chatId,
      user: userId,
      markdown_text: shownMarkdown(notice),
      ...(shownIn !== undefined && { thread_ts: shownIn }),
    };
    this.#try(async () => {
      try {
        await workspace.api.call('chat.postEphemeral', parameters);
      } catch (error) {
        if (responseUrl === undefined || !isAbsence(refusalCode(error))) throw error;
        await this.#answer(responseUrl, notice);
      }
    });
  }

  /** Says it at the address for answers to a command, which holds also where the bot is not. Returns at once. */
  answer(url: string, notice: string): void {
    this.#try(() => this.#answer(url, notice));
  }

  #answer(url: string, markdown: string): Promise<void> {
    return respond(url, contentOf({ id: 'notice', kind: 'notice', markdown }), this.#dependencies);
  }

  #try(task: () => Promise<void>): void {
    const { background, log } = this.#dependencies;
    const failure = 'a notice for one person could not be shown';
    background.run(failure, async () => {
      try {
        await task();
      } catch (error) {
        if (!(error instanceof ChannelError)) throw error;
        log.debug({ reason: error.message }, failure);
      }
    });
  }
}
