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
export interface ModelHealth {
  /** The model, observed. */
  watched(name: string, model: LanguageModel): LanguageModel;
  stateOf(name: string): ModelState;
}

export function createModelHealth(clock: Clock): ModelHealth {
  return new States(clock);
}

class States implements ModelHealth {
  readonly #clock: Clock;
  readonly #states = new Map<string, ModelState>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  watched(name: string, model: LanguageModel): LanguageModel {
    return withStream(model, (request) => this.#watch(name, model.stream(request)));
  }

  stateOf(name: string): ModelState {
    return this.#states.get(name) ?? {};
  }

  async *#watch(name: string, events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
    try {
      for await (const event of events) {
        if (event.type === 'finish') this.#states.set(name, { answeredAt: this.#clock.now() });
        yield event;
      }
    } catch (error) {
      if (error instanceof ModelError) this.#failed(name, error);
      throw error;
    }
  }

  #failed(name: string, { wordsIn }: ModelError): void {
    const { fault, ...state } = this.stateOf(name);
    this.#states.set(name, { ...state, fault: { wordsIn, since: fault?.since ?? this.#clock.now() } });
  }
}
