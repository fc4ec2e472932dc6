import { ChannelError, type ChannelFault } from '../../src/contract.ts';
import { innermostError, wasNeverSent } from '../../src/lib/network-error.ts';

/** How a request to a platform failed that the platform itself has not refused. The words carry no token and no message. */
export type RequestFailure =
  /** The platform, or our own count of its limits, asks for a pause, in milliseconds. Nothing was done. */
  { readonly type: 'too-many'; readonly retryAfter: number } | NetworkFailure;

/** How a request failed of which the platform has said nothing. */
export type NetworkFailure =
  /** A file that was to be sent can't be read: the platform has got no whole request. */
  | { readonly type: 'unreadable'; readonly words: string }
  /** Proven not to have left this machine. */
  | { readonly type: 'not-sent'; readonly words: string }
  /** Something else than the platform's API answered: a proxy with its error page. Nothing was done. */
  | { readonly type: 'foreign'; readonly words: string; readonly status?: number }
  /** The answer was lost: the request may have been carried out. */
  | { readonly type: 'lost'; readonly words: string };

/** Thrown while a file is sent that is not there, or not whole. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';

  static from(error: unknown): UnreadableFile {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return new UnreadableFile(`the file can't be read any more (${code})`);
  }
}

/** Stands as the cause of a `ChannelError` where the platform itself has refused. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string | number;

  constructor(code: string | number) {
    super(`the platform says ${code}`);
    this.code = code;
  }
}

/** What the platform calls the error, if it was the platform that refused. */
export function refusalCode(error: unknown): string | number | undefined {
  return error instanceof ChannelError && error.cause instanceof Refusal ? error.cause.code : undefined;
}

/** Where the platform refuses with one of these, what was asked for is so already. Throws everything else. */
export function acceptRefusal(...codes: readonly (string | number)[]): (error: unknown) => void {
  return (error) => {
    const code = refusalCode(error);
    if (code === undefined || !codes.includes(code)) throw error;
  };
}

/**
 * The error for the core. The cause is at most what the platform calls it: its client's errors may hold what was sent.
 * `words`: what was tried, and how it failed.
 */
export function refusedError(fault: ChannelFault, words: string, code: string | number): ChannelError {
  return new ChannelError(fault, words, { cause: new Refusal(code) });
}

/** The error for the core where the platform has not refused. `tried`: what was tried. */
export function failedError(tried: string, failure: RequestFailure, repeatable: boolean): ChannelError {
  return new ChannelError(faultOf(failure, repeatable), `${tried}: ${failureWords(failure)}`);
}

/** The pause where a platform does not say for how long, in milliseconds. */
export const defaultRetry = 5_000;

/**
 * The failure as the core knows it. `repeatable` requests (edits, reactions) change nothing when they are done twice, so for
 * them a lost answer is transient. A page without a status may be about this request alone.
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

/** Says what went wrong on the network, below a platform's client. */
export function readNetworkError(error: unknown): NetworkFailure {
  const network = innermostError(error);
  const { name, code, message } = network;
  if (error instanceof UnreadableFile) return { type: 'unreadable', words: error.message };
  // What stands on the disk has changed since it was opened.
  if (name === 'NotReadableError') return { type: 'unreadable', words: "the file can't be read any more" };
  if (name === 'TimeoutError') return { type: 'lost', words: 'no answer in time' };
  if (name === 'AbortError') return { type: 'lost', words: 'it was called off' };
  if (message.includes('unexpected redirect'))
    return {
      type: 'foreign',
      words: 'the server sends us on to another address, which is not followed. Check api_url',
    };
  if (wasNeverSent(network)) return { type: 'not-sent', words: `no connection (${code ?? message})` };
  if (code !== undefined) return { type: 'lost', words: `the connection broke (${code})` };
  // The client itself stumbled over the answer, as over a body that is the JSON value null.
  return { type: 'lost', words: `the answer could not be read (${name})` };
}
