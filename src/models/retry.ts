import { type Clock, sleep } from '../lib/clock.ts';
import {
  Heard,
  type LanguageModel,
  ModelError,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
} from './language-model.ts';

/**
 * Asks again after a failure, as long as no text of the answer was shown; nothing has run of a call that was still being written.
 * After a transient one, at most twice: waits half a second, then a second, each up to half longer, and never less than the
 * provider asks for; where that is over 30 s, fails at once, as it does after a minute of trying: somebody waits. After a
 * refusal of a request with pictures, once, without them: otherwise one picture that the provider cannot read would have
 * every later request of the conversation refused. Ends quietly when aborted. `random`: from 0 to below 1, spreads the
 * waits of many requests that failed together.
 */
export function withRetries(
  model: LanguageModel,
  { clock, random }: { readonly clock: Clock; readonly random: () => number },
): LanguageModel {
  return {
    ...model,
    async *stream(asked: ModelRequest): AsyncGenerator<ModelEvent> {
      const begun = clock.now();
      let request = asked;
      for (let retries = 0; ; ) {
        const heard = new Heard();
        try {
          for await (const event of model.stream(request)) yield heard.hear(event);
          return;
        } catch (error) {
          if (request.signal.aborted) return;
          if (!(error instanceof ModelError) || heard.isShown) throw error;
          if (error.fault === 'transient') {
            if (retries >= maxRetries || clock.now() - begun > longestTrying) throw error;
            const wait = Math.max(firstWait * 2 ** retries * (1 + random() / 2), error.retryAfter ?? 0);
            if (wait > longestWait) throw error;
            await sleep(clock, wait, request.signal);
            if (request.signal.aborted) return;
            retries += 1;
          } else {
            const isRefused = error.fault === 'permanent' || error.fault === 'too-long';
            if (!isRefused || !request.messages.some(hasPictures)) throw error;
            request = withoutPictures(request, withheld);
          }
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
