import { GrammyError, HttpError } from 'grammy';
import { z } from 'zod';
import type { ChannelError, ChannelFault } from '../../src/contract.ts';
import { innermostError } from '../../src/lib/http.ts';
import { lenient } from '../kit/read-payload.ts';
import { foreign, lost, type RequestFailure, readNetworkError, requestError, tooMany } from '../kit/request-failure.ts';

/** `repeatable` requests (edits, typing) are idempotent, so a lost answer is transient. */
export function toChannelError(method: string, error: unknown, repeatable: boolean): ChannelError {
  return requestError(`Telegram, ${method}`, readFailure(error), repeatable);
}

/** Takes anything that the client can throw. */
export function readFailure(error: unknown): RequestFailure {
  if (error instanceof GrammyError) return readRefusal(error);
  return error instanceof HttpError ? readRequestError(error.error) : readNetworkError(error);
}

const longestWords = 300;

const refusalShape = z.object({
  error_code: z.number(),
  description: z.string().catch(''),
  parameters: z.object({ retry_after: lenient(z.number()), migrate_to_chat_id: lenient(z.number()) }).catch({}),
});

function readRefusal(error: GrammyError): RequestFailure {
  const { data } = refusalShape.safeParse(error);
  if (data === undefined) return foreign('what answered is not a Bot API; check api_root');
  const { error_code: code, description, parameters } = data;
  const { migrate_to_chat_id: newId } = parameters;
  const moved = newId === undefined ? '' : ` (the group became a supergroup; its chat id is now ${newId})`;
  const words = `${code} ${description}`.slice(0, longestWords);
  return { fault: faultOfRefusal(code, parameters), words: words + moved, code: words };
}

function faultOfRefusal(
  code: number,
  { retry_after: secs, migrate_to_chat_id: newId }: z.output<typeof refusalShape>['parameters'],
): ChannelFault | 'lost' {
  if (newId !== undefined) return { type: 'moved', chatId: String(newId) };
  if (code === 429) return tooMany(secs && secs * 1000).fault;
  if (code === 401 || code === 404) return { type: 'auth' };
  return { type: code >= 500 ? 'transient' : 'permanent' };
}

function readRequestError(error: unknown): RequestFailure {
  const { name, message } = innermostError(error);
  if (error instanceof Error && 'type' in error && error.type === 'invalid-json') return readForeignBody(message);
  if (name === 'AbortError' || message.includes(' timed out after ')) return lost('no answer in time');
  return readNetworkError(error);
}

/** A proxy's page is not JSON from the first character; a cut-off answer of the Bot API ends too early. */
function readForeignBody(message: string): RequestFailure {
  if (/end of JSON|Unterminated|Expected .* in JSON/.test(message)) return lost('the answer was cut off');
  return foreign('an error page of a proxy came in place of an answer');
}
