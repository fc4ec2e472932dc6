import { DiscordAPIError, HTTPError, RateLimitError } from '@discordjs/rest';
import { z } from 'zod';
import { isJsonObject } from '../../../src/lib/json.ts';
import { innermostError, wasNeverSent } from '../../../src/lib/network-error.ts';
import { type Failure, ForeignAnswer, LimitReached, LostAnswer, UnreadableFile } from './failure.ts';

/** Says what went wrong. Takes anything that the library or our transport can throw. */
export function readFailure(error: unknown): Failure {
  if (error instanceof RateLimitError) return readRateLimit(error);
  if (error instanceof DiscordAPIError) return readRefusal(error);
  if (error instanceof HTTPError) return readStatus(error.status);
  if (error instanceof LimitReached) return { type: 'refused', status: 429, code: error.code, words: error.message };
  if (error instanceof ForeignAnswer) return { type: 'foreign', words: error.message };
  if (error instanceof LostAnswer) return { type: 'lost', words: error.message };
  if (error instanceof UnreadableFile) return { type: 'unreadable', words: error.message };
  return readNetworkError(error);
}

/** Where Discord does not say for how long, in milliseconds. */
const defaultRetry = 5_000;

/** The library throws it, too, where it knows from earlier answers that the limit is reached. */
function readRateLimit({ retryAfter }: RateLimitError): Failure {
  return { type: 'too-many', retryAfter: retryAfter > 0 ? Math.ceil(retryAfter) : defaultRetry };
}

const refusalShape = z.object({
  code: z.number().catch(0),
  message: z.string().catch(''),
  errors: z.unknown().optional(),
});
const longestWords = 300;

function readRefusal({ status, rawError }: DiscordAPIError): Failure {
  const { code, message, errors } = refusalShape.parse(rawError);
  const places = mistakesIn(errors, '', 0).slice(0, 5).join(', ');
  const words = places === '' ? message : `${message} (${places})`;
  return { type: 'refused', status, code, words: words.slice(0, longestWords) };
}

/** Where the mistakes are and what Discord calls them. Its sentences may repeat what was sent. */
function mistakesIn(errors: unknown, path: string, depth: number): readonly string[] {
  if (!isJsonObject(errors) || depth > 8) return [];
  const { _errors: here, ...below } = errors;
  const own = Array.isArray(here)
    ? here.flatMap((mistake) => (isJsonObject(mistake) ? [`${path || 'all of it'}: ${String(mistake.code)}`] : []))
    : [];
  const inside = Object.entries(below).flatMap(([key, value]) =>
    mistakesIn(value, path === '' ? key : `${path}.${key}`, depth + 1),
  );
  return [...own, ...inside];
}

/** 504 and 524 say that a server behind did not answer in time: it may have done it. */
function readStatus(status: number): Failure {
  const words = `the server answers ${status}`;
  return { type: status === 504 || status === 524 ? 'lost' : 'foreign', words };
}

function readNetworkError(error: unknown): Failure {
  const network = innermostError(error);
  const { name, code, message } = network;
  // What stands on the disk has changed since it was opened.
  if (name === 'NotReadableError') return { type: 'unreadable', words: "the file can't be read any more" };
  if (name === 'TimeoutError') return { type: 'lost', words: 'no answer in time' };
  if (name === 'AbortError') return { type: 'lost', words: 'it was called off' };
  if (wasNeverSent(network)) return { type: 'not-sent', words: `no connection (${code ?? message})` };
  if (code !== undefined) return { type: 'lost', words: `the connection broke (${code})` };
  // The library itself stumbled over the answer, as over a body that is the JSON value null.
  return { type: 'lost', words: `the answer could not be read (${name})` };
}
