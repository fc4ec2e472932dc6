import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Clock } from '../lib/clock.ts';
import type { Network } from '../lib/network/network.ts';
import type { FailureContext } from './fault-table.ts';
import type { ModelDescription, ModelRequest } from './language-model.ts';
import type { SchemaStrategy } from './schema.ts';

/** One piece of an answer, in the form that the providers' packages have for it. */
export type AnswerPiece = LanguageModelV4StreamPart;

/** How a provider ended its answer. */
export type Finish = Extract<AnswerPiece, { type: 'finish' }>;

/** Where answers come from: a server that speaks one provider's protocol. */
export interface AnswerSource {
  /** Makes one request, without retries, once the pieces are read. */
  ask(request: ModelRequest, signal: AbortSignal): Asked;
}

export interface Asked {
  /**
   * Throws `ModelError` for a fault of the server or the network; anything else that it throws is a bug. May end like an answer
   * that broke off when the signal aborts. What is no longer read is cancelled.
   */
  readonly pieces: AsyncIterable<AnswerPiece>;
  /** The mark for the thoughts of this answer. */
  readonly thinker?: string | undefined;
}

export interface SourceParts {
  readonly description: ModelDescription;
  readonly baseUrl: string;
  readonly schemaStrategy: SchemaStrategy;
  /** What messages about failures are made of. */
  readonly failures: FailureContext;
  readonly clock: Clock;
  readonly network: Network;
}
