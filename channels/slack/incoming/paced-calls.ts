import { ChannelError } from '../../../src/contract.ts';
import { type Clock, sleep } from '../../../src/lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';
import type { Log } from '../../../src/lib/log.ts';
import { refusalCode } from '../web-api/failure.ts';
import { isAbsence } from '../web-api/refusals.ts';
import type { Workspace } from '../workspaces.ts';

/** So many calls are made at once, and each further one after so many milliseconds: Slack allows 50 a minute for long. */
const freeCalls = 20;
const pace = 1_200;
const mostTries = 4;
const pauseAfterFailure = 5_000;

/** Reads what stands in chats, no faster than Slack allows. */
export class PacedCalls {
  readonly #dependencies: { readonly clock: Clock; readonly signal: AbortSignal; readonly log: Log };
  readonly #logged = new Set<string>();
  #calls = 0;
  #isLacking = false;

  constructor(dependencies: { readonly clock: Clock; readonly signal: AbortSignal; readonly log: Log }) {
    this.#dependencies = dependencies;
  }

  /** Whether something could not be read that may be read another time. */
  get isLacking(): boolean {
    return this.#isLacking;
  }

  /** The messages that a method of the Web API answers with. None if they can't be read; why is logged once. */
  async messages(
    { api }: Workspace,
    method: 'conversations.history' | 'conversations.replies',
    parameters: Readonly<Record<string, unknown>>,
  ): Promise<readonly JsonObject[]> {
    const { clock, signal } = this.#dependencies;
    for (let tries = 1; !signal.aborted; tries += 1) {
      this.#calls += 1;
      if (this.#calls > freeCalls) await sleep(clock, pace, signal);
      try {
        const { messages } = await api.call(method, parameters, { repeatable: true, signal });
        return Array.isArray(messages) ? messages.filter(isJsonObject) : [];
      } catch (error) {
        if (!(error instanceof ChannelError)) throw error;
        const wait = waitFor(error);
        if (wait === undefined || tries === mostTries) return this.#giveUp(error);
        await sleep(clock, wait, signal);
      }
    }
    return [];
  }

  #giveUp(error: ChannelError): readonly JsonObject[] {
    const { log, signal } = this.#dependencies;
    const { message: reason } = error;
    this.#isLacking ||= waitFor(error) !== undefined;
    if (this.#logged.has(reason) || signal.aborted) return [];
    this.#logged.add(reason);
    // Where the bot is not, or is not any more, there is nothing to read, and nothing to mend.
    const level = isAbsence(refusalCode(error)) ? 'debug' : 'warn';
    log[level]({ reason }, 'what was said meanwhile could not be read');
    return [];
  }
}

/** In milliseconds. Undefined where no later try will succeed. */
function waitFor({ fault }: ChannelError): number | undefined {
  switch (fault.type) {
    case 'rate-limited':
      return fault.retryAfter;
    case 'transient':
    case 'ambiguous':
      return pauseAfterFailure;
    case 'permanent':
    case 'auth':
    case 'moved':
      return undefined;
  }
}
