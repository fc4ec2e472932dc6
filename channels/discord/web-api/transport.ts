import type { RESTOptions } from '@discordjs/rest';
import { RESTJSONErrorCodes as Reason } from 'discord-api-types/v10';
import { z } from 'zod';
import { parseJson } from '../../../src/lib/json.ts';
import { readBody } from '../../../src/lib/read-body.ts';
import { ForeignAnswer, LimitReached, LostAnswer } from './failure.ts';
import type { CountedAnswer } from './invalid-requests.ts';

type MakeRequest = RESTOptions['makeRequest'];

/** Bytes a second: a line that is slower is as good as dead. */
const slowestLine = 100_000;
/** More than Discord takes in one request, in bytes. */
const largestRequest = 25 * 2 ** 20;
/** What is answered is never that long: messages, a page of a hundred at most. In bytes. */
const largestAnswer = 8 * 2 ** 20;

/** How long the longest request may take, in milliseconds. */
export function longestTransfer(requestTimeoutSecs: number): number {
  return requestTimeoutSecs * 1000 + allowance(largestRequest) + 1000;
}

export interface TransportOptions {
  readonly requestTimeoutSecs: number;
  /** Told of every answer. */
  readonly answered: (answer: CountedAnswer) => void;
}

/**
 * How the library sends a request. It ends in time, with the whole answer or not at all, and follows nobody to another
 * address, since the token goes with it. Throws `ForeignAnswer` where something else than Discord's API has answered.
 */
export function transport({ requestTimeoutSecs, answered }: TransportOptions): MakeRequest {
  return async (url, { method = 'GET', headers, body, signal }) => {
    const timeout = new AbortController();
    const content = bodyOf(body);
    const milliseconds = requestTimeoutSecs * 1000 + allowance(sizeOf(content));
    const timer = setTimeout(() => timeout.abort(), milliseconds);
    try {
      const given = headersShape.parse(headers);
      const response = await fetch(url, {
        method,
        headers: given,
        body: content,
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      });
      answered({
        status: response.status,
        hasToken: 'Authorization' in given,
        isShared: response.headers.get('x-ratelimit-scope') === 'shared',
      });
      return await wholeAnswer(response);
    } catch (error) {
      if (timeout.signal.aborted) throw new LostAnswer('no answer in time');
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
}

const headersShape = z.record(z.string(), z.string());

function allowance(bytes: number): number {
  return Math.ceil((bytes * 1000) / slowestLine);
}

/** The library has written everything but a form as JSON. */
function bodyOf(body: unknown): string | FormData | null {
  return typeof body === 'string' || body instanceof FormData ? body : null;
}

function sizeOf(content: string | FormData | null): number {
  if (!(content instanceof FormData)) return content?.length ?? 0;
  let size = 0;
  for (const [, part] of content) size += typeof part === 'string' ? part.length : part.size;
  return size;
}

async function wholeAnswer(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const text = await readText(response);
  if (status === 429) checkLimit(text);
  // The library knows what to do with these, whatever their body is.
  if (status === 429 || status >= 500) return new Response(null, { status, statusText, headers });
  checkAnswer(status, text);
  return new Response(text === '' ? null : text, { status, statusText, headers: withJsonType(headers, text) });
}

async function readText(response: Response): Promise<string> {
  const bytes = await readBody(response, largestAnswer);
  if (bytes === 'too-large') throw new LostAnswer('the answer is longer than any of Discord');
  return new TextDecoder().decode(bytes);
}

const refusalShape = z.object({ code: z.number() });

/** Too many changes of an old message: another one does not help to wait for, since people wait for the news. */
function checkLimit(text: string): void {
  const code = refusalShape.safeParse(parseJson(text)).data?.code;
  if (code === Reason.MaximumNumberOfEditsToMessagesOlderThanOneHourReached) throw new LimitReached(code);
}

function checkAnswer(status: number, text: string): void {
  if (status >= 300 && status < 400)
    throw new ForeignAnswer('the server sends us on to another address, which is not followed. Check api_url');
  const isOk = status < 300;
  if (isOk && text === '') return;
  const answer = parseJson(text);
  if (answer === undefined && isOk && /^\s*[[{]/.test(text)) throw new LostAnswer('the answer was cut off');
  if (answer === undefined) throw new ForeignAnswer(foreignWords(status));
  // "404: Not Found" has the code 0: there is no such place at this server.
  if (!isOk && !refusalShape.safeParse(answer).data?.code && status !== 401)
    throw new ForeignAnswer(foreignWords(status));
}

function foreignWords(status: number): string {
  return `what answers, with ${status}, is not Discord's API: a proxy's page, or another server. Check api_url`;
}

/** It was seen to be JSON, whatever its type says; and the library stumbles over an empty body that has this type. */
function withJsonType(headers: Headers, text: string): Headers {
  const changed = new Headers(headers);
  if (text === '') changed.delete('content-type');
  else changed.set('content-type', 'application/json');
  // The body is not encoded any more.
  changed.delete('content-encoding');
  changed.delete('content-length');
  return changed;
}
