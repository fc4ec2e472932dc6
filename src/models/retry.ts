import { type Clock, sleep } from '../lib/clock.ts';
import {
  Heard,
  type LanguageModel,
  ModelError,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
} from './language-model.ts';

export interface RetryDependencies {
  readonly clock: Clock;
  /** From 0 to below 1: spreads the waits of many requests that failed together. */
  readonly random: () => number;
}

/**
 * Asks again after a transient failure, at most twice, as long as no text of the answer was shown; nothing has run of a call
 * that was still being written. Waits half a second,
 * then a second, each up to half longer, and never less than the provider asks for; where that is over 30 s, fails at
 * once, as it does after a minute of trying: somebody waits. Ends quietly when aborted.
 */
export function withRetries(model: LanguageModel, { clock, random }: RetryDependencies): LanguageModel {
  return {
    ...model,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      const begun = clock.now();
      for (let retries = 0; ; retries += 1) {
        const heard = new Heard();
        try {
          for await (const event of model.stream(request)) yield heard.hear(event);
          return;
        } catch (error) {
          if (request.signal.aborted) return;
          if (!(error instanceof ModelError) || error.fault !== 'transient') throw error;
          if (heard.isShown || retries >= maxRetries || clock.now() - begun > longestTrying) throw error;
          const wait = Math.max(firstWait * 2 ** retries * (1 + random() / 2), error.retryAfter ?? 0);
          if (wait > longestWait) throw error;
          await sleep(clock, wait, request.signal);
          if (request.signal.aborted) return;
          yield* heard.withdrawn();
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

/**
 * Asks again without the pictures when a provider refuses a request that has some, as long as nothing of the answer was
 * shown. Otherwise one picture that it cannot read would have every later request of the conversation refused.
 */
export function withPictureFallback(model: LanguageModel): LanguageModel {
  return {
    ...model,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      const heard = new Heard();
      try {
        for await (const event of model.stream(request)) yield heard.hear(event);
        return;
      } catch (error) {
        if (heard.isShown || !request.messages.some(hasPictures) || !isRefusal(error)) throw error;
      }
      yield* heard.withdrawn();
      yield* model.stream(withoutPictures(request, withheld));
    },
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof ModelError && (error.fault === 'permanent' || error.fault === 'too-long');
}

function hasPictures(message: ModelMessage): boolean {
  return message.role === 'user' && message.images !== undefined;
}

const withheld = "[the pictures are not below after all: the provider refused them, so you can't see them]";

/** The same request in words alone: where pictures were, these say why they are missing. */
export function withoutPictures(request: ModelRequest, words: string): ModelRequest {
  const messages = request.messages.map((message): ModelMessage => {
    if (message.role !== 'user' || message.images === undefined) return message;
    return { role: 'user', text: `${message.text}\n${words}` };
  });
  return { ...request, messages };
}
