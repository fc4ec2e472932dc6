import {
  type LanguageModel,
  ModelError,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
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
          isShown = true;
          yield event;
        }
        return;
      } catch (error) {
        if (isShown || !request.messages.some(hasPictures) || !isRefusal(error)) throw error;
      }
      yield* model.stream({ ...request, messages: request.messages.map(withoutPictures) });
    },
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof ModelError && (error.fault === 'permanent' || error.fault === 'too-long');
}

function hasPictures(message: ModelMessage): boolean {
  return message.role === 'user' && message.images !== undefined;
}

function withoutPictures(message: ModelMessage): ModelMessage {
  if (message.role !== 'user' || message.images === undefined) return message;
  return { role: 'user', text: `${message.text}\n${withheld}` };
}

const withheld = "[the pictures are not below after all: the provider refused them, so you can't see them]";
