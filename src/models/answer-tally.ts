import type { JsonValue } from '../lib/json.ts';
import { ModelError, type ModelEvent, type ModelUsage } from './language-model.ts';

/**
 * What an answer is to be paid for, however it ends. Where nobody says it, it is estimated: an answer that is broken off
 * costs as much as was written of it, and some servers never say what they count.
 */
export class AnswerTally {
  readonly #signal: AbortSignal;
  readonly #calls = new Map<string, JsonValue>();
  #characters = 0;
  #hasBegun = false;
  #said: ModelUsage | undefined;

  /** `signal`: that of the request, be it stopped by a person or by the end of the process. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  hear(event: ModelEvent): void {
    this.#hasBegun = true;
    switch (event.type) {
      case 'text':
      case 'reasoning':
        this.#characters += event.delta.length;
        return;
      case 'partial-call':
        this.#calls.set(event.modelCallId, event.arguments);
        return;
      case 'calls-withdrawn':
        return;
      case 'finish':
        this.#said = event.answer.usage;
        return;
    }
  }

  /** What the provider said, if it did. Otherwise it is as for a request of about so many tokens. Undefined: nothing. */
  async owed(inputTokens: () => number | Promise<number>, error?: unknown): Promise<ModelUsage | undefined> {
    const told = this.#said ?? (error instanceof ModelError ? error.usage : undefined);
    const said = told === undefined ? undefined : inWholes(told);
    if (said !== undefined && !isUnsaid(said)) return said;
    // What was stopped before it began has been read by then. What was refused, or never sent, costs nothing.
    if (!this.#hasBegun && !this.#signal.aborted) return undefined;
    return { ...said, inputTokens: Math.ceil(await inputTokens()), outputTokens: this.#written() };
  }

  #written(): number {
    const calls = [...this.#calls.values()].map((args) => JSON.stringify(args).length);
    return Math.ceil(calls.reduce((sum, length) => sum + length, this.#characters) / charactersPerToken);
  }
}

/** What answers without a provider has no name in the config, and costs nothing. */
function isUnsaid({ inputTokens, outputTokens, model }: ModelUsage): boolean {
  return inputTokens === 0 && outputTokens === 0 && model !== undefined;
}

/** What a server says may be anything. */
function inWholes({ inputTokens, cachedInputTokens, outputTokens, cost, model }: ModelUsage): ModelUsage {
  return {
    inputTokens: whole(inputTokens),
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens: whole(cachedInputTokens) }),
    outputTokens: whole(outputTokens),
    ...(cost === undefined ? {} : { cost: whole(cost) }),
    ...(model === undefined ? {} : { model }),
  };
}

function whole(count: number): number {
  return Number.isFinite(count) ? Math.max(0, Math.ceil(count)) : 0;
}

const charactersPerToken = 3.5;
