/** The port to a language model: one request, one streamed answer. The loop, retries and approvals are not its business. */
import type { JsonObject, JsonValue } from '../lib/json.ts';
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

/** What all providers take. */
export type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

export interface ModelToolResult {
  readonly modelCallId: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string }
  /** The arguments of a call so far, while the model still writes them. */
  | {
      readonly type: 'partial-call';
      readonly modelCallId: string;
      readonly name: string;
      readonly arguments: JsonValue;
    }
  /** Always the last. */
  | { readonly type: 'finish'; readonly answer: ModelAnswer };

export interface ModelAnswer {
  /** In the order in which the model wrote them. */
  readonly parts: readonly AnswerPart[];
  readonly usage: ModelUsage;
}

export type AnswerPart =
  | { readonly type: 'text'; readonly text: string; readonly provider?: JsonObject }
  | { readonly type: 'reasoning'; readonly text: string; readonly provider?: JsonObject }
  | {
      readonly type: 'call';
      readonly modelCallId: string;
      readonly name: string;
      /** What the model wrote. A string that is not JSON stays a string: the tool's validation says so to the model. */
      readonly arguments: JsonValue;
      readonly provider?: JsonObject;
    };

/** In tokens; 0 where the provider did not say. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * `transient`: a later try may succeed (overload, network, 5xx, a cut stream) · `auth`: the key is refused ·
 * `too-long`: the request does not fit · `permanent`: anything else.
 */
export type ModelFault = 'transient' | 'auth' | 'too-long' | 'permanent';

/** Why a model gave no answer, in words for the person who waits. Holds no key and no text of the conversation. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly fault: ModelFault;
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfter: number | undefined;

  constructor(fault: ModelFault, message: string, options?: ErrorOptions & { readonly retryAfter?: number }) {
    super(message, options);
    this.fault = fault;
    this.retryAfter = options?.retryAfter;
  }
}
