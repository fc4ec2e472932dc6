import type { Clock } from '../lib/clock.ts';
import type { InLanguage } from '../lib/words.ts';
import { type LanguageModel, ModelError, type ModelEvent, withStream } from './language-model.ts';

/** What became of the last requests to a model. Instants are ms since 1970. */
export interface ModelState {
  /** When it answered last. */
  readonly answeredAt?: number;
  /** The newest fault since then: state, cause and mend; and when the first one came. */
  readonly fault?: { readonly wordsIn: InLanguage; readonly since: number };
}

/** Remembers of each model how its last request ended. */
export function createModelHealth(clock: Clock) {
  const states = new Map<string, ModelState>();

  function failed(name: string, { wordsIn }: ModelError): void {
    const { fault, ...state } = states.get(name) ?? {};
    states.set(name, { ...state, fault: { wordsIn, since: fault?.since ?? clock.now() } });
  }

  async function* watch(name: string, events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
    try {
      for await (const event of events) {
        if (event.type === 'finish') states.set(name, { answeredAt: clock.now() });
        yield event;
      }
    } catch (error) {
      if (error instanceof ModelError) failed(name, error);
      throw error;
    }
  }

  return {
    /** The model, observed. */
    watched: (name: string, model: LanguageModel): LanguageModel =>
      withStream(model, (request) => watch(name, model.stream(request))),
    stateOf: (name: string): ModelState => states.get(name) ?? {},
  };
}
