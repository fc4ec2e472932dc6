/** The port to a language model: one request, one streamed answer. The loop, retries and approvals are not its business. */

import type { JsonValue } from '../lib/json.ts';
import type { ImageType } from '../lib/recognise-image.ts';
import type { ToolDefinition, TurnPart } from '../transcript.ts';

export interface LanguageModel {
  /** How the operator calls it: `main (claude-…)`. */
  readonly label: string;
  /** Whether it sees pictures. To one that does not, none is sent. */
  readonly seesImages: boolean;
  /** Reads the request only before the first event. Throws `ModelError`; ends quietly, without `finish`, when aborted. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** In byte-stable order. */
  readonly tools: readonly ToolDefinition[];
  readonly signal: AbortSignal;
  /** It can be made no shorter: where it is too long, only another model may take it. */
  readonly isShortest?: boolean;
}

/** Every call of an assistant message has exactly one result in the `results` that follows it directly. */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string; readonly images?: readonly ModelImage[] }
  | { readonly role: 'assistant'; readonly parts: readonly TurnPart[] }
  | { readonly role: 'results'; readonly results: readonly ModelToolResult[] };

/** A picture that belongs to a user's text, and is seen behind it. */
export interface ModelImage {
  /** What its bytes are. */
  readonly mediaType: ImageType;
  readonly bytes: Uint8Array;
}

export interface ModelToolResult {
  readonly modelCallId: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  /** Nobody is shown it: if the request is made again, it comes again. */
  | { readonly type: 'reasoning'; readonly delta: string }
  /** The arguments of a call so far, while the model still writes them. */
  | {
      readonly type: 'partial-call';
      readonly modelCallId: string;
      readonly name: string;
      readonly arguments: JsonValue;
    }
  /** The answer broke off, and is asked for again: calls that were being written are none. */
  | { readonly type: 'calls-withdrawn' }
  /** Always the last. */
  | { readonly type: 'finish'; readonly answer: ModelAnswer };

export interface ModelAnswer {
  /** In the order in which the model wrote them. */
  readonly parts: readonly AnswerPart[];
  readonly usage: ModelUsage;
}

type TurnCall = Extract<TurnPart, { type: 'call' }>;

/** A call has what the model wrote. A string that is not JSON stays a string: the tool's validation says so to the model. */
export type AnswerPart = Exclude<TurnPart, TurnCall> | Omit<TurnCall, 'callId'>;

/** In tokens; 0 where the provider did not say. */
export interface ModelUsage {
  readonly inputTokens: number;
  /** How many of them the provider had kept from before, where it says so. */
  readonly cachedInputTokens?: number;
  readonly outputTokens: number;
  /** In millionths of the operator's money, where the config has a price for the model: the budget sets it. */
  readonly cost?: number;
  /** Who answered, as the config calls it: another one than was asked may have stood in. */
  readonly model?: string;
}

/** What was heard of an answer that may have to be asked for again. */
export class Heard {
  #isShown = false;
  #hasCalls = false;

  /** Whether people may have seen something that can't be taken back: from then on, the request is not made again. */
  get isShown(): boolean {
    return this.#isShown;
  }

  hear(event: ModelEvent): ModelEvent {
    this.#isShown ||= event.type === 'finish' || (event.type === 'text' && event.delta.trim() !== '');
    this.#hasCalls ||= event.type === 'partial-call';
    return event;
  }

  /** What to say before the request is made again: what shows of calls is taken back. */
  withdrawn(): readonly ModelEvent[] {
    const events = this.#hasCalls ? [{ type: 'calls-withdrawn' } as const] : [];
    this.#hasCalls = false;
    return events;
  }
}

/**
 * `transient`: a later try may succeed (overload, network, 5xx, a cut stream) · `auth`: the key is refused ·
 * `unavailable`: the model is not available there (it is not known, its account is empty, something else answers) ·
 * `too-long`: the request does not fit · `permanent`: anything else.
 */
export type ModelFault = 'transient' | 'auth' | 'unavailable' | 'too-long' | 'permanent';

export interface ModelErrorOptions extends ErrorOptions {
  readonly retryAfter?: number | undefined;
  readonly usage?: ModelUsage | undefined;
  readonly standIn?: string | undefined;
}

/** Why a model gave no answer, in words for the person who waits. Holds no key and no text of the conversation. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly fault: ModelFault;
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfter: number | undefined;
  /** What the answer that failed has cost nevertheless, where the provider said so. */
  readonly usage: ModelUsage | undefined;
  /** The label of who has failed, where that is another one than was asked. */
  readonly standIn: string | undefined;

  constructor(fault: ModelFault, message: string, options?: ModelErrorOptions) {
    super(message, options);
    this.fault = fault;
    this.retryAfter = options?.retryAfter;
    this.usage = options?.usage;
    this.standIn = options?.standIn;
  }
}
