import { AISDKError, APICallError, TypeValidationError } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { FailureContext } from './fault-table.ts';
import type { ModelError } from './language-model.ts';
import { brokenAnswer, networkFailure, notSent, oddAnswer, refusal, streamFailure } from './provider-failure.ts';

/**
 * Turns an error that a provider package threw, or a stream contained, into a message for the person who waits, and
 * tells whether a retry can help. Undefined if neither the provider nor the network is at fault: then it is a bug.
 */
export function modelErrorOf(error: unknown, context: FailureContext, now: number): ModelError | undefined {
  if (APICallError.isInstance(error)) return ofApiCall(error, context, now);
  if (AISDKError.isInstance(error)) {
    // An error in the stream, in a form that the package does not expect.
    if (TypeValidationError.isInstance(error) && isStreamError(error.value)) return streamFailure(error.value, context);
    if (/without a finish reason/.test(error.message)) return brokenAnswer(context);
    return unreadableAnswers.includes(error.name)
      ? oddAnswer(oddPath(error.cause), context)
      : notSent(error.message, context);
  }
  // The data is nested so deep that the package overflows the stack.
  if (error instanceof Error && /call stack/.test(error.message)) return oddAnswer(undefined, context);
  // Anthropic's package, where an answer has no beginning.
  if (error instanceof Error && /normalized Anthropic stream error/.test(error.message)) return brokenAnswer(context);
  if (error instanceof Error) return networkFailure(error, context);
  if (typeof error === 'string') return streamFailure({ message: error }, context);
  return isJsonObject(error) ? streamFailure(error, context) : undefined;
}

/** The packages' names for an answer that violates the protocol. */
const unreadableAnswers = [
  'AI_EmptyResponseBodyError',
  'AI_InvalidResponseDataError',
  'AI_JSONParseError',
  'AI_TypeValidationError',
];

function ofApiCall(error: APICallError, context: FailureContext, now: number): ModelError {
  const { statusCode: status, responseHeaders: headers = {}, responseBody: body, data, message } = error;
  if (status === undefined) return networkFailure(error, context) ?? notSent(message, context);
  // Without a schema for the body, the package's message is only the status.
  const words = data === undefined ? undefined : message;
  return refusal({ status, headers, body, words, message }, context, now);
}

/** Where the first odd part stands, of those that zod names. */
function oddPath(error: unknown): string | undefined {
  const issues = error instanceof Error && 'issues' in error ? error.issues : undefined;
  const path = pathIn(Array.isArray(issues) ? issues : []);
  const words = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key).slice(0, 40)}`)).join('');
  return words === '' ? undefined : words.replace(/^\./, '');
}

/** The deepest of the first issue: each member of a union has its own issues. */
function pathIn(issues: readonly unknown[]): readonly unknown[] {
  const [issue] = issues;
  if (typeof issue !== 'object' || issue === null) return [];
  const path = 'path' in issue && Array.isArray(issue.path) ? issue.path : [];
  const inner = 'errors' in issue && Array.isArray(issue.errors) ? issue.errors : [];
  return [...path, ...pathIn(Array.isArray(inner[0]) ? inner[0] : [])];
}

function isStreamError(value: unknown): value is JsonObject {
  return isJsonObject(value) && (isJsonObject(value.error) || typeof value.error === 'string');
}
