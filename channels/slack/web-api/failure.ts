import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { z } from 'zod';
import { ChannelError, type ChannelFault } from '../../../src/contract.ts';
import { innermostError, wasNeverSent } from '../../../src/lib/network-error.ts';
import { refusalFault, refusalWords } from './refusals.ts';

/** How a request to the Web API failed. The words carry neither a token nor the text of a message. */
export type Failure =
  /** Slack refused, by the name of an error. */
  | {
      readonly type: 'refused';
      readonly code: string;
      /** The scopes that are missing, where that is what is wrong. */
      readonly needed?: string;
      /** In seconds. */
      readonly retryAfter?: number;
    }
  /** Slack asks for a pause, in seconds. Nothing was done. */
  | { readonly type: 'too-many'; readonly retryAfter?: number }
  /** Nothing was done, and it makes no sense to try it again. */
  | { readonly type: 'unreadable'; readonly words: string }
  /** Proven not to have left this machine. */
  | { readonly type: 'not-sent'; readonly words: string }
  /** Something that is not the Web API answered: a proxy with its error page. */
  | { readonly type: 'foreign'; readonly words: string }
  /** The answer was lost: the request may have been carried out. */
  | { readonly type: 'lost'; readonly words: string };

/** Stands as the cause of a `ChannelError` where Slack itself has refused. */
class SlackRefusal extends Error {
  override readonly name = 'SlackRefusal';
  /** As Slack names it: `channel_not_found`. */
  readonly code: string;

  constructor(code: string) {
    super(`Slack says ${code}`);
    this.code = code;
  }
}

/** Thrown when an answer says "ok" but does not hold what Slack promises. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

/** The name that Slack gives to the error, if it was Slack that refused. */
export function refusalCode(error: unknown): string | undefined {
  return error instanceof ChannelError && error.cause instanceof SlackRefusal ? error.cause.code : undefined;
}

/** Says what went wrong. Takes anything that the client can throw. */
export function readFailure(error: unknown): Failure {
  if (error instanceof WebAPIPlatformError) return readPlatformError(error.data);
  if (error instanceof WebAPIRateLimitedError) return { type: 'too-many', retryAfter: error.retryAfter };
  if (error instanceof WebAPIHTTPError) return readStatus(error.statusCode);
  if (error instanceof WebAPIRequestError) return readNetworkError(error.original);
  if (error instanceof UnexpectedAnswer) return { type: 'lost', words: error.message };
  return readOtherError(error);
}

/** Says what went wrong on the network, below the client. */
export function readNetworkError(error: unknown): Failure {
  const network = innermostError(error);
  const { name, code, message } = network;
  if (name === 'TimeoutError') return { type: 'lost', words: 'no answer in time' };
  if (name === 'AbortError') return { type: 'lost', words: 'it was called off' };
  if (message.includes('unexpected redirect'))
    return {
      type: 'foreign',
      words: 'the server sends us on to another address, which is not followed. Check api_url',
    };
  if (wasNeverSent(network)) return { type: 'not-sent', words: `no connection (${code ?? message})` };
  return { type: 'lost', words: `the connection broke (${code ?? 'unknown'})` };
}

/** What an HTTP status says where there is no answer of the Web API. */
export function readStatus(status: number, retryAfter?: number): Failure {
  if (status === 429) return { type: 'too-many', ...(retryAfter !== undefined && { retryAfter }) };
  if (status === 504) return { type: 'lost', words: 'the server answers 504' };
  if (status >= 500) return { type: 'foreign', words: `the server answers ${status}` };
  return { type: 'foreign', words: `the server answers ${status}, which Slack does not. Check api_url` };
}

/**
 * The failure as the core knows it. `repeatable` requests (edits, reactions) change nothing when they are done twice, so
 * for them a lost answer is transient. The cause is at most a `SlackRefusal`: the client's errors may hold what was sent.
 */
export function toChannelError(method: string, failure: Failure, repeatable: boolean): ChannelError {
  const prefix = `Slack, ${method}:`;
  if (failure.type !== 'refused')
    return new ChannelError(faultOf(failure, repeatable), `${prefix} ${wordsOf(failure)}`);
  const { code, needed, retryAfter } = failure;
  return new ChannelError(
    refusalFault(code, retryAfter === undefined ? undefined : retryAfter * 1000),
    `${prefix} ${refusalWords(code, needed)}`,
    { cause: new SlackRefusal(code) },
  );
}

const defaultRetrySecs = 5;

function wordsOf(failure: Exclude<Failure, { readonly type: 'refused' }>): string {
  return failure.type === 'too-many' ? 'too many requests' : failure.words;
}

function faultOf(failure: Exclude<Failure, { readonly type: 'refused' }>, repeatable: boolean): ChannelFault {
  switch (failure.type) {
    case 'too-many':
      return { type: 'rate-limited', retryAfter: (failure.retryAfter ?? defaultRetrySecs) * 1000 };
    case 'unreadable':
      return { type: 'permanent' };
    case 'not-sent':
    case 'foreign':
      return { type: 'transient' };
    case 'lost':
      return { type: repeatable ? 'transient' : 'ambiguous' };
  }
}

const refusalShape = z.object({
  error: z.string(),
  needed: z.string().optional().catch(undefined),
  response_metadata: z
    .object({ retryAfter: z.number().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** The client gives a body that is not JSON as the name of the error. */
function readPlatformError(body: unknown): Failure {
  const { data } = refusalShape.safeParse(body);
  if (data === undefined) return { type: 'lost', words: 'what answered is not the Web API' };
  const { error: code, needed, response_metadata: { retryAfter } = {} } = data;
  if (/^\w[\w.-]{0,99}$/.test(code))
    return {
      type: 'refused',
      code,
      ...(needed !== undefined && { needed }),
      ...(retryAfter !== undefined && { retryAfter }),
    };
  const begin = code.trimStart().charAt(0);
  if (begin === '' || begin === '{' || begin === '[') return { type: 'lost', words: 'the answer was cut off' };
  return { type: 'foreign', words: 'an error page of a proxy came in place of an answer' };
}

function readOtherError(error: unknown): Failure {
  // A refusal without the header that says for how long.
  if (error instanceof Error && error.message.startsWith('Retry header did not contain')) return { type: 'too-many' };
  const { name, code } = innermostError(error);
  if (name === 'TimeoutError' || name === 'AbortError' || code !== undefined) return readNetworkError(error);
  // The client itself stumbled over the answer, as over a body that is the JSON value null.
  return { type: 'lost', words: `the answer could not be read (${name})` };
}
