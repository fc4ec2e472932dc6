import { ChannelError, type ChannelFault } from '../../src/contract.ts';
import { innermostError, wasNeverSent } from '../../src/lib/http.ts';

/** How a request failed without a refusal by the platform. The words contain neither tokens nor message text. */
export type RequestFailure =
  /** A rate limit, the platform's or our own count of it. In ms. Nothing was done. */
  { readonly type: 'too-many'; readonly retryAfter: number } | NetworkFailure;

/** The platform did not answer. */
export type NetworkFailure =
  /** The file to send cannot be read: the platform got no complete request. */
  | { readonly type: 'unreadable'; readonly words: string }
  /** Certainly never left this machine. */
  | { readonly type: 'not-sent'; readonly words: string }
  /** Something else answered, such as a proxy with an error page. Nothing was done. */
  | { readonly type: 'foreign'; readonly words: string; readonly status?: number }
  /** The answer was lost: the request may have been executed. */
  | { readonly type: 'lost'; readonly words: string };

/** The file to send is missing or incomplete. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';

  static from(error: unknown): UnreadableFile {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return new UnreadableFile(`the file can no longer be read (${code})`);
  }
}

/** The cause of a `ChannelError` if the platform refused. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string | number;

  constructor(code: string | number) {
    super(`the platform says ${code}`);
    this.code = code;
  }
}

/** The platform's error code, if it refused. */
export function refusalCode(error: unknown): string | number | undefined {
  return error instanceof ChannelError && error.cause instanceof Refusal ? error.cause.code : undefined;
}

/** Ignores these refusals: the requested state already holds. Rethrows everything else. */
export function acceptRefusal(...codes: readonly (string | number)[]): (error: unknown) => void {
  return (error) => {
    const code = refusalCode(error);
    if (code === undefined || !codes.includes(code)) throw error;
  };
}

/**
 * An error for a refusal. Its cause holds only the code: the client's errors may contain what was sent. `words`: what
 * was tried, and how it failed.
 */
export function refusedError(fault: ChannelFault, words: string, code: string | number): ChannelError {
  return new ChannelError(fault, words, { cause: new Refusal(code) });
}

/** An error for any other failure. `tried`: what was tried. */
export function failedError(tried: string, failure: RequestFailure, repeatable: boolean): ChannelError {
  return new ChannelError(faultOf(failure, repeatable), `${tried}: ${failureWords(failure)}`);
}

/** The pause after a rate limit without one, in ms. */
export const defaultRetry = 5_000;

/**
 * `repeatable` requests (edits, reactions) are idempotent, so a lost answer is transient. A foreign page without a
 * status may be about this request alone.
 */
function faultOf(failure: RequestFailure, repeatable: boolean): ChannelFault {
  switch (failure.type) {
    case 'too-many':
      return { type: 'rate-limited', retryAfter: failure.retryAfter };
    case 'unreadable':
      return { type: 'permanent' };
    case 'not-sent':
      return { type: 'transient', isUnsent: true };
    case 'foreign':
      return { type: 'transient', isBlocked: (failure.status ?? 400) < 500 };
    case 'lost':
      return { type: repeatable ? 'transient' : 'ambiguous' };
  }
}

function failureWords(failure: RequestFailure): string {
  return failure.type === 'too-many' ? 'too many requests' : failure.words;
}

/** Classifies a network error, below the platform's client. */
export function readNetworkError(error: unknown): NetworkFailure {
  const network = innermostError(error);
  const { name, code, message } = network;
  if (error instanceof UnreadableFile) return { type: 'unreadable', words: error.message };
  // The file has changed since it was opened.
  if (name === 'NotReadableError') return { type: 'unreadable', words: 'the file can no longer be read' };
  if (name === 'TimeoutError') return { type: 'lost', words: 'no answer in time' };
  if (name === 'AbortError') return { type: 'lost', words: 'it was called off' };
  if (message.includes('unexpected redirect'))
    return {
      type: 'foreign',
      words: 'the server sends us on to another address, which is not followed. Check api_url',
    };
  if (wasNeverSent(network)) return { type: 'not-sent', words: `no connection (${code ?? message})` };
  if (code !== undefined) return { type: 'lost', words: `the connection broke (${code})` };
  // The client failed to read the answer, such as the JSON value null.
  return { type: 'lost', words: `the answer could not be read (${name})` };
}
