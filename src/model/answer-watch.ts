import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Clock } from '../lib/clock.ts';
import { ModelError } from './language-model.ts';

export interface AnswerWatchDependencies {
  /** The model's key in the config. */
  readonly modelKey: string;
  /** The longest silence, in milliseconds. */
  readonly longestSilence: number;
  readonly clock: Clock;
  /** Aborts when the answer is not wanted any more. */
  readonly wanted: AbortSignal;
}

/** Watches over one answer: aborts the request if the model falls silent, or does not stop. */
export class AnswerWatch {
  /** What the request is made with. */
  readonly signal: AbortSignal;
  readonly #dependencies: AnswerWatchDependencies;
  readonly #controller = new AbortController();
  #stopTimer: () => void = () => undefined;
  #failure: ModelError | undefined;
  #length = 0;
  /** How much of a call's arguments was counted while it was written. */
  readonly #counted = new Map<string, number>();

  constructor(dependencies: AnswerWatchDependencies) {
    this.#dependencies = dependencies;
    this.signal = AbortSignal.any([dependencies.wanted, this.#controller.signal]);
  }

  /** Why the request was aborted from here, if it was. */
  get failure(): ModelError | undefined {
    return this.#failure;
  }

  /** From now on the model is waited for. What is done with an answer in between is no silence of the model's. */
  listen(): void {
    const { clock, longestSilence, modelKey } = this.#dependencies;
    this.#stopTimer();
    this.#stopTimer = clock.after(longestSilence, () => this.#abort(silence(modelKey, longestSilence)));
  }

  /** The model said something. Throws `ModelError` if that makes the answer too long. */
  hear(part: LanguageModelV4StreamPart): void {
    this.end();
    this.#length += this.#lengthOf(part);
    if (this.#length > longestAnswer) throw this.#abort(endless());
  }

  /** Nothing is waited for. Must be called in the end. */
  end(): void {
    this.#stopTimer();
  }

  #abort(failure: ModelError): ModelError {
    this.#failure = failure;
    this.#controller.abort(failure);
    return failure;
  }

  #lengthOf(part: LanguageModelV4StreamPart): number {
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') return part.delta.length;
    if (part.type === 'tool-input-delta') {
      this.#counted.set(part.id, (this.#counted.get(part.id) ?? 0) + part.delta.length);
      return part.delta.length;
    }
    // Some providers send a call in one piece.
    return part.type === 'tool-call' ? Math.max(0, part.input.length - (this.#counted.get(part.toolCallId) ?? 0)) : 0;
  }
}

/** In characters of text, thoughts and arguments. No model that works writes so much in one answer. */
const longestAnswer = 1_000_000;

function endless(): ModelError {
  return new ModelError(
    'permanent',
    'The model did not stop writing; its answer was cut off after 1,000,000 characters. Ask for less at a time, or set max_output_tokens for the model in the config.',
  );
}

function silence(modelKey: string, milliseconds: number): ModelError {
  const advice = `Try again in a moment; if it only thinks for long, raise models.${modelKey}.timeout_secs in the config.`;
  return new ModelError(
    'transient',
    `The model '${modelKey}' has not said anything for ${milliseconds / 1000} seconds. ${advice}`,
  );
}
