import { GrammyError, HttpError } from 'grammy';
import { z } from 'zod';
import { ChannelError, type ChannelFault } from '../../src/contract.ts';
import { innermostError } from '../../src/lib/http.ts';
import {
  defaultRetry,
  failedError,
  type NetworkFailure,
  readNetworkError,
  UnreadableFile,
} from '../kit/request-failure.ts';

/** How a request to the Bot API failed. The words contain neither the token nor message text. */
export type Failure =
  | {
      readonly type: 'refused';
      readonly code: number;
      readonly words: string;
      readonly retryAfter?: number | undefined;
      readonly movedTo?: string | undefined;
    }
  | NetworkFailure;

/** The answer says "ok", but does not have the documented shape. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

/** Takes anything that the client can throw. */
export function readFailure(error: unknown): Failure {
  if (error instanceof GrammyError) return readRefusal(error);
  if (error instanceof UnreadableFile) return { type: 'unreadable', words: error.message };
  if (error instanceof HttpError) return readRequestError(error.error);
  if (error instanceof UnexpectedAnswer) return { type: 'lost', words: error.message };
  return readNetworkError(error);
}

/**
 * `repeatable` requests (edits, typing) are idempotent, so a lost answer is transient. Sets no `cause`: the client's
 * errors contain the token and the message's text.
 */
export function toChannelError(method: string, failure: Failure, repeatable: boolean): ChannelError {
  const tried = `Telegram, ${method}`;
  if (failure.type !== 'refused') return failedError(tried, failure, repeatable);
  return new ChannelError(faultOfRefusal(failure), `${tried}: ${failure.words}`);
}

function faultOfRefusal({ code, retryAfter, movedTo }: Failure & { readonly type: 'refused' }): ChannelFault {
  if (movedTo !== undefined) return { type: 'moved', chatId: movedTo };
  if (code === 429)
    return { type: 'rate-limited', retryAfter: retryAfter === undefined ? defaultRetry : retryAfter * 1000 };
  if (code === 401 || code === 404) return { type: 'auth' };
  return { type: code >= 500 ? 'transient' : 'permanent' };
}

const longestWords = 300;

const refusalShape = z.object({
  error_code: z.number(),
  description: z.string().catch(''),
  parameters: z
    .object({
      retry_after: z.number().optional().catch(undefined),
      migrate_to_chat_id: z.number().optional().catch(undefined),
    })
    .catch({}),
});

function readRefusal(error: GrammyError): Failure {
  const { data } = refusalShape.safeParse(error);
  if (data === undefined) return { type: 'foreign', words: 'what answered is not a Bot API; check api_root' };

  const { retry_after, migrate_to_chat_id } = data.parameters;
  const moved =
    migrate_to_chat_id === undefined
      ? ''
      : ` (the group became a supergroup; its chat id is now ${migrate_to_chat_id})`;
  return {
    type: 'refused',
    code: data.error_code,
    words: `${data.error_code} ${data.description}`.slice(0, longestWords) + moved,
    retryAfter: retry_after,
    movedTo: migrate_to_chat_id === undefined ? undefined : String(migrate_to_chat_id),
  };
}

function readRequestError(error: unknown): Failure {
  const { name, message } = innermostError(error);
  if (error instanceof Error && 'type' in error && error.type === 'invalid-json') return readForeignBody(message);
  if (name === 'AbortError' || message.includes(' timed out after '))
    return { type: 'lost', words: 'no answer in time' };
  return readNetworkError(error);
}

/** A proxy's page is not JSON from the first character; a cut-off answer of the Bot API ends too early. */
function readForeignBody(message: string): Failure {
  if (/end of JSON|Unterminated|Expected .* in JSON/.test(message))
    return { type: 'lost', words: 'the answer was cut off' };
  return { type: 'foreign', words: 'an error page of a proxy came in place of an answer' };
}
