import { GrammyError, HttpError } from 'grammy/web';
import { z } from 'zod';
import type { ChannelError, ChannelFault } from '../../src/contract.ts';
import { innermostError } from '../../src/lib/http.ts';
import type { Words } from '../../src/lib/words.ts';
import { lenient } from '../kit/read-payload.ts';
import {
  answerCutOff,
  foreign,
  lost,
  noAnswerInTime,
  proxyPage,
  type RequestFailure,
  readNetworkError,
  requestError,
  tooMany,
} from '../kit/request-failure.ts';
import { telegramWords } from './words.ts';

/** `repeatable` requests (edits, typing) are idempotent, so a lost answer is transient. */
export function toChannelError(tried: Words, error: unknown, repeatable: boolean): ChannelError {
  return requestError({ platform: 'Telegram', tried }, readFailure(error), repeatable);
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
  if (data === undefined) return foreign((language) => telegramWords[language].notBotApi);
  const { error_code: code, description, parameters } = data;
  const { migrate_to_chat_id: newId } = parameters;
  const said = `${code} ${description}`.slice(0, longestWords);
  const words: Words = newId === undefined ? said : (language) => telegramWords[language].movedTo({ said, newId });
  return { fault: faultOfRefusal(code, parameters), words, code: said };
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
  if (error instanceof SyntaxError) return readForeignBody(message);
  if (name === 'AbortError' || message.includes(' timed out after ')) return lost(noAnswerInTime);
  return readNetworkError(error);
}

/** A proxy's page is not JSON from the first character; a cut-off answer of the Bot API ends too early. */
function readForeignBody(message: string): RequestFailure {
  if (/end of JSON|Unterminated|Expected .* in JSON/.test(message)) return lost(answerCutOff);
  return foreign(proxyPage);
}
