import { AISDKError, APICallError, TypeValidationError } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { wordsIn, wordsOf } from './failure-words.ts';
import type { ProviderFailure } from './provider-failure.ts';
import { readRetryAfter } from './retry-after.ts';

/**
 * Reads what a provider package threw, or sent as an error in the middle of a stream. Undefined if it is neither a
 * provider's fault nor the network's, and with that a bug.
 */
export function readSdkFailure(error: unknown, now: number): ProviderFailure | undefined {
  if (APICallError.isInstance(error)) return readApiCallError(error, now);
  if (AISDKError.isInstance(error)) {
    // An error in the stream that is spelled as the package does not expect it.
    if (TypeValidationError.isInstance(error) && isStreamError(error.value)) return readStreamError(error.value);
    if (unreadableAnswers.includes(error.name)) return { type: 'broken-answer' };
    return { type: 'not-sent', message: error.message };
  }
  // Data that is so deep that the package's own walk through it fails.
  if (error instanceof RangeError && error.message.includes('call stack')) return { type: 'broken-answer' };
  if (error instanceof Error) return readNetworkError(error);
  if (typeof error === 'string') return { type: 'refused', status: undefined, message: error, details: '' };
  return isJsonObject(error) ? readStreamError(error) : undefined;
}

function isStreamError(value: unknown): value is JsonObject {
  return isJsonObject(value) && (isJsonObject(value.error) || typeof value.error === 'string');
}

/** The names that the packages give to an answer that is not what the protocol says. */
const unreadableAnswers = [
  'AI_EmptyResponseBodyError',
  'AI_InvalidResponseDataError',
  'AI_JSONParseError',
  'AI_TypeValidationError',
];

function readApiCallError(error: APICallError, now: number): ProviderFailure {
  const { statusCode, responseHeaders, responseBody } = error;
  if (statusCode === undefined) {
    return readNetworkError(error) ?? { type: 'not-sent', message: error.message };
  }
  // The provider said that all is well, and then sent something else.
  if (statusCode < 400) return { type: 'broken-answer' };
  const retryAfter = readRetryAfter(responseHeaders, responseBody, now);
  return {
    type: 'refused',
    status: statusCode,
    // What the package has no schema for it calls by its status.
    message: (error.data === undefined ? wordsIn(responseBody) : undefined) ?? error.message,
    details: responseBody ?? '',
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

function readNetworkError(error: Error): ProviderFailure | undefined {
  const cause = findCoded(error);
  if (cause !== undefined) return { type: 'network', code: cause.code, cause };
  // fetch's word for a body that ends in the middle, where it gives no code.
  return error.message === 'terminated' ? { type: 'broken-answer' } : undefined;
}

function findCoded(error: Error): (Error & { readonly code: string }) | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if (hasCode(current)) return current;
    current = current.cause;
  }
  return undefined;
}

function hasCode(error: Error): error is Error & { readonly code: string } {
  return (
    'code' in error &&
    typeof error.code === 'string' &&
    /^(E[A-Z]|UND_ERR_|CERT_|DEPTH_|SELF_|UNABLE_)/.test(error.code)
  );
}

/** An error that came as data: `{ message, type, code }` in one of several wrappings. */
function readStreamError(error: JsonObject): ProviderFailure {
  const inner = isJsonObject(error.error) ? error.error : error;
  const message = wordsOf(error) ?? 'no reason given';
  const kinds = [inner.type, inner.code, inner.status, error.type].filter((kind) => typeof kind === 'string');
  const status = toStatus(inner.statusCode) ?? toStatus(inner.code) ?? toStatus(inner.status) ?? statusByKind(kinds);
  return { type: 'refused', status, message, details: kinds.join(' ') };
}

function toStatus(value: JsonValue | undefined): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && status >= 400 && status <= 599 ? status : undefined;
}

function statusByKind(kinds: readonly string[]): number | undefined {
  for (const kind of kinds) {
    const found = statuses.find(([name]) => name.test(kind));
    if (found !== undefined) return found[1];
  }
  return undefined;
}

const statuses = [
  [/overloaded/i, 529],
  [/rate_limit|resource_exhausted/i, 429],
  [/authentication/i, 401],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/too_large/i, 413],
  [/invalid_request|invalid_argument/i, 400],
] as const;
