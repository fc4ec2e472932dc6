import {
  type LanguageModel,
  ModelError,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  showsSomething,
} from './language-model.ts';

/**
 * Asks again without the pictures when a provider refuses a request that has some, as long as nothing of the answer was
 * shown. Otherwise one picture that it cannot read would have every later request of the conversation refused.
 */
export function withPictureFallback(model: LanguageModel): LanguageModel {
  return {
    label: model.label,
    seesImages: model.seesImages,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      let isShown = false;
      try {
        for await (const event of model.stream(request)) {
          isShown ||= showsSomething(event);
          yield event;
        }
        return;
      } catch (error) {
        if (isShown || !request.messages.some(hasPictures) || !isRefusal(error)) throw error;
      }
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
