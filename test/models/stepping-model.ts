import type { AnswerPart, LanguageModel, ModelEvent, ModelRequest } from '../../src/models/language-model.ts';

/** A model that goes through these attempts: each is a list of events, and of an error to end with. */
export class SteppingModel implements LanguageModel {
  readonly label: string;
  readonly seesImages: boolean;
  readonly requests: ModelRequest[] = [];
  readonly #attempts: readonly (readonly (ModelEvent | Error)[])[];

  constructor(
    attempts: readonly (readonly (ModelEvent | Error)[])[],
    { label = 'stepping', seesImages = true }: { readonly label?: string; readonly seesImages?: boolean } = {},
  ) {
    this.label = label;
    this.seesImages = seesImages;
    this.#attempts = attempts;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    this.requests.push(request);
    for (const step of this.#attempts[this.requests.length - 1] ?? this.#attempts.at(-1) ?? []) {
      if (step instanceof Error) throw step;
      yield step;
    }
  }
}

/** A piece of a text. */
export function says(delta: string): ModelEvent {
  return { type: 'text', delta };
}

/** The end of an answer. */
export function ends(...parts: readonly AnswerPart[]): ModelEvent {
  return { type: 'finish', answer: { parts, usage: { inputTokens: 10, outputTokens: 5 } } };
}

/** The text in events. */
export function textOf(events: readonly ModelEvent[]): string {
  return events.flatMap((event) => (event.type === 'text' ? [event.delta] : [])).join('');
}
