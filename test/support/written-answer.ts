import type { JsonValue } from '../../src/lib/json.ts';
import type { AnswerPart, ModelEvent } from '../../src/models/language-model.ts';

interface Piece {
  readonly event: ModelEvent;
  readonly taken: () => void;
}

/** An answer that a test writes piece by piece. */
export class WrittenAnswer {
  readonly #pieces: Piece[] = [];
  readonly #calls = new Map<string, AnswerPart>();
  #text = '';
  #wake: () => void = () => {};

  /** Adds to the text. Resolves once the daemon has read it. */
  write(delta: string): Promise<void> {
    this.#text += delta;
    return this.#add({ type: 'text', delta });
  }

  /** Writes at a call, of which these are the arguments so far. */
  call(modelCallId: string, name: string, args: JsonValue): Promise<void> {
    this.#calls.set(modelCallId, { type: 'call', modelCallId, name, arguments: args });
    return this.#add({ type: 'partial-call', modelCallId, name, arguments: args });
  }

  /** Nothing follows. */
  end(): Promise<void> {
    const text: readonly AnswerPart[] = this.#text === '' ? [] : [{ type: 'text', text: this.#text }];
    const parts = [...text, ...this.#calls.values()];
    return this.#add({ type: 'finish', answer: { parts, usage: { inputTokens: 1, outputTokens: 1 } } });
  }

  /** What the model says. Ends when the signal aborts. */
  async *events(signal: AbortSignal): AsyncIterable<ModelEvent> {
    while (!signal.aborted) {
      const piece = this.#pieces.shift();
      if (piece === undefined) {
        await this.#more(signal);
        continue;
      }
      try {
        yield piece.event;
      } finally {
        piece.taken();
      }
    }
  }

  #add(event: ModelEvent): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pieces.push({ event, taken: resolve });
    this.#wake();
    return promise;
  }

  #more(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
