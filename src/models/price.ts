import {
  type LanguageModel,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
} from './language-model.ts';

/** In the operator's money, for a million tokens. */
export interface ModelPrice {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  /** Of what the provider had kept from before. Default: as any other input. */
  readonly cachedInputPerMillion?: number;
}

/** Says with each answer, and each failure that took something, who gave it and what it costs. */
export function withPrice(model: LanguageModel, name: string, price: ModelPrice | undefined): LanguageModel {
  const priced = (usage: ModelUsage): ModelUsage => ({
    ...usage,
    model: name,
    ...(price === undefined ? {} : { cost: costOf(usage, price) }),
  });
  return {
    ...model,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      try {
        for await (const event of model.stream(request)) {
          const { type } = event;
          yield type === 'finish' ? { type, answer: { ...event.answer, usage: priced(event.answer.usage) } } : event;
        }
      } catch (error) {
        if (!(error instanceof ModelError) || error.usage === undefined) throw error;
        const { fault, message, retryAfter } = error;
        const usage = priced(error.usage);
        throw new ModelError(fault, message, { cause: error, usage, retryAfter });
      }
    },
  };
}

/** In millionths, rounded up. */
export function costOf({ inputTokens, cachedInputTokens = 0, outputTokens }: ModelUsage, price: ModelPrice): number {
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion = inputPerMillion } = price;
  const cached = Math.min(cachedInputTokens, inputTokens);
  // A millionth of the price of a million is the price of one.
  const cost =
    (inputTokens - cached) * inputPerMillion + cached * cachedInputPerMillion + outputTokens * outputPerMillion;
  return Math.ceil(cost);
}
