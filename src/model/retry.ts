import { type Clock, sleep } from '../lib/clock.ts';
import {
  type LanguageModel,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  showsSomething,
} from './language-model.ts';

export interface RetryDependencies {
  readonly clock: Clock;
  /** From 0 to below 1: spreads the waits of many requests that failed together. */
  readonly random: () => number;
}

/**
 * Asks again after a transient failure, at most twice, as long as nothing of the answer was shown. Waits half a second,
 * then a second, each up to half longer, and never less than the provider asks for; where that is over 30 s, fails at
 * once, as it does after a minute of trying: somebody waits. Ends quietly when aborted.
 */
export function withRetries(model: LanguageModel, { clock, random }: RetryDependencies): LanguageModel {
  return {
    label: model.label,
    seesImages: model.seesImages,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      const begun = clock.now();
      for (let retries = 0; ; retries += 1) {
        let isShown = false;
        try {
          for await (const event of model.stream(request)) {
            isShown ||= showsSomething(event);
            yield event;
          }
          return;
        } catch (error) {
          if (request.signal.aborted) return;
          if (!(error instanceof ModelError) || error.fault !== 'transient') throw error;
          if (isShown || retries >= maxRetries || clock.now() - begun > longestTrying) throw error;
          const wait = Math.max(firstWait * 2 ** retries * (1 + random() / 2), error.retryAfter ?? 0);
          if (wait > longestWait) throw error;
          await sleep(clock, wait, request.signal);
          if (request.signal.aborted) return;
        }
      }
    },
  };
}

const maxRetries = 2;
const firstWait = 500;
const longestWait = 30_000;
/** From the first request on. One that was met with silence has taken longer. */
const longestTrying = 60_000;
