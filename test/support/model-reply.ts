import type { Fixture, FixtureResponse } from '@copilotkit/aimock';
import type { ModelRequest } from './model-request.ts';

/** One answer of the scripted model. */
export interface ModelReply {
  readonly text?: string;
  readonly calls?: readonly ModelCall[];
  /** How long it thinks before the first byte, in milliseconds. */
  readonly delayMs?: number;
  /** It thinks until this is settled. */
  readonly until?: Promise<unknown>;
  /** How long it waits before each piece, in milliseconds. */
  readonly pieceDelayMs?: number;
  /** How many characters a piece has: 20 if not set. */
  readonly pieceSize?: number;
  readonly fault?: ModelServerFault;
}

export interface ModelCall {
  readonly name: string;
  /** A string is sent as it is, so that it may be no JSON at all. */
  readonly arguments: string | Readonly<Record<string, unknown>>;
}

export type ModelServerFault =
  /** An error instead of an answer. */
  | { readonly kind: 'status'; readonly status: number; readonly message: string }
  /** The connection breaks after so many pieces. They come 10 ms apart if not set otherwise: what is not sent is lost. */
  | { readonly kind: 'cut'; readonly afterPieces: number };

const cutPieceDelayMs = 10;
/** The first names the role only, and the last is lost with the connection. */
const unseenPieces = 2;

/** A text, or all of it, or what follows from the request. */
export type Answer = string | ModelReply | ((request: ModelRequest) => string | ModelReply);

export function replyTo(request: ModelRequest, answer: Answer): ModelReply {
  const given = typeof answer === 'function' ? answer(request) : answer;
  return typeof given === 'string' ? { text: given } : given;
}

/** How the answer is sent, apart from what it says. */
export function wireOptions({ pieceDelayMs, pieceSize, fault }: ModelReply): Omit<Fixture, 'match' | 'response'> {
  const latency = pieceDelayMs ?? (fault?.kind === 'cut' ? cutPieceDelayMs : undefined);
  return {
    ...(latency !== undefined && { latency }),
    ...(pieceSize !== undefined && { chunkSize: pieceSize }),
    ...(fault?.kind === 'cut' && { truncateAfterChunks: fault.afterPieces + unseenPieces }),
  };
}

/** What the answer says. */
export function wireResponse(reply: ModelReply): FixtureResponse {
  const { text, calls, fault } = reply;
  if (fault?.kind === 'status')
    return { error: { message: fault.message, type: 'server_error' }, status: fault.status };
  if (calls === undefined || calls.length === 0) return { content: text ?? '' };
  const toolCalls = calls.map(({ name, arguments: given }) => ({
    name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
  }));
  return text === undefined ? { toolCalls } : { content: text, toolCalls };
}
