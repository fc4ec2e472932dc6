import type { JsonValue } from '../lib/json.ts';
import { ModelError, type ModelEvent, type ModelUsage } from './language-model.ts';

/**
 * The usage of one answer, however it ends. Estimated where the provider reports none: an interrupted answer costs what
 * was written of it, and some servers never report usage.
 */
export class AnswerTally {
  readonly #signal: AbortSignal;
  readonly #calls = new Map<string, JsonValue>();
  #characters = 0;
  #hasBegun = false;
  #said: ModelUsage | undefined;

  /** `signal` of the request: aborted by a person or by the end of the process. */
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

  /** The reported usage, or else an estimate for a request of about `inputTokens`. Undefined if nothing is owed. */
  async owed(inputTokens: () => number | Promise<number>, error?: unknown): Promise<ModelUsage | undefined> {
    const told = this.#said ?? (error instanceof ModelError ? error.usage : undefined);
    const said = told === undefined ? undefined : inWholes(told);
    if (said !== undefined && !isUnsaid(said)) return said;
    // A request stopped before its answer began has been read by then. One that was refused or never sent is free.
    if (!this.#hasBegun && !this.#signal.aborted) return undefined;
    return { ...said, inputTokens: Math.ceil(await inputTokens()), outputTokens: this.#written() };
  }

  #written(): number {
    const calls = [...this.#calls.values()].map((args) => JSON.stringify(args).length);
    return Math.ceil(calls.reduce((sum, length) => sum + length, this.#characters) / charactersPerToken);
  }
}

/** The offline model has no `model` name, and its zeros are real. */
function isUnsaid({ inputTokens, outputTokens, model }: ModelUsage): boolean {
  return inputTokens === 0 && outputTokens === 0 && model !== undefined;
}

/** Servers may report anything. */
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
