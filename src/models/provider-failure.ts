import { AISDKError, APICallError, TypeValidationError } from '@ai-sdk/provider';
import { innermostError } from '../lib/http.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../lib/json.ts';
import { connectionFault } from '../lib/network/connection-fault.ts';
import type { InLanguage } from '../lib/words.ts';
import { type FailureContext, modelErrorFor, short } from './fault-table.ts';
import type { BodyFault } from './foreign-forms/foreign-forms.ts';
import { ModelError, type ModelUsage } from './language-model.ts';
import { type ForeignDeed, modelWords } from './words.ts';

/**
 * Turns an error that a provider package threw, or a stream contained, into a message for the person who waits, and
 * tells whether a retry can help. Undefined if neither the provider nor the network is at fault: then it is a bug.
 */
export function modelErrorOf(error: unknown, context: FailureContext, now: number): ModelError | undefined {
  if (APICallError.isInstance(error)) return ofApiCall(error, context, now);
  if (AISDKError.isInstance(error)) {
    // An error in the stream, in a form that the package does not expect.
    if (TypeValidationError.isInstance(error) && isStreamError(error.value)) return ofStream(error.value, context);
    if (/without a finish reason/.test(error.message)) return brokenAnswer(context);
    return unreadableAnswers.includes(error.name)
      ? oddAnswer(oddPath(error.cause), context)
      : notSent(error.message, context);
  }
  // The data is nested so deep that the package overflows the stack.
  if (error instanceof Error && /call stack/.test(error.message)) return oddAnswer(undefined, context);
  // Anthropic's package, where an answer has no beginning.
  if (error instanceof Error && /normalized Anthropic stream error/.test(error.message)) return brokenAnswer(context);
  if (error instanceof Error) return ofNetwork(error, context);
  if (typeof error === 'string') return ofStream({ message: error }, context);
  return isJsonObject(error) ? ofStream(error, context) : undefined;
}

/** The packages' names for an answer that violates the protocol. */
const unreadableAnswers = [
  'AI_EmptyResponseBodyError',
  'AI_InvalidResponseDataError',
  'AI_JSONParseError',
  'AI_TypeValidationError',
];

/** What the body of an answer ended with, in words. `kind`: its content type. */
export function bodyFailure(fault: BodyFault, kind: string, context: FailureContext): ModelError {
  switch (fault.type) {
    case 'fault':
      return ofStream(fault.fault, context);
    case 'odd':
      return oddAnswer(fault.path, context);
    case 'strange':
      return foreignServer(hasNoKind(kind) ? { type: 'no-events' } : { type: 'sent', kind }, context);
    case 'endless':
      return endlessAnswer();
    case 'lost':
      return brokenAnswer(context);
  }
}

function hasNoKind(kind: string): boolean {
  return kind === '' || kind === 'text/event-stream';
}

/** What answers there does not speak the protocol of the provider. */
export function foreignServer(did: ForeignDeed, { modelKey, baseUrl, serverKind }: FailureContext): ModelError {
  return new ModelError('unavailable', (language) =>
    modelWords[language].foreign({ modelKey, baseUrl, serverKind, did }),
  );
}

/** The model writes without end. */
export function endlessAnswer(): ModelError {
  return new ModelError('permanent', (language) => modelWords[language].endless);
}

/** The answer ended before it was complete. */
export function brokenAnswer(context: FailureContext, usage?: ModelUsage): ModelError {
  const again: InLanguage = (language) => modelWords[language].tryAgain;
  return new ModelError('transient', (language) => modelWords[language].brokeOff(context), { usage, again });
}

/** The model ended its answer for a reason that is a fault. `reason`: in the provider's word; undefined: with nothing. */
export function failedAnswer(reason: string | undefined, { modelKey }: FailureContext, usage: ModelUsage): ModelError {
  const again: InLanguage = (language) => modelWords[language].tryOtherWords;
  const words: InLanguage = (language) => {
    const say = modelWords[language];
    return reason === undefined
      ? say.endedEmpty({ modelKey })
      : say.answerFailed({ modelKey, reason: reason.slice(0, 60) });
  };
  return new ModelError('faulty', words, { usage, again });
}

/** A part of the answer cannot be understood. `path`: where it stands. */
function oddAnswer(path: string | undefined, { modelKey, serverKind }: FailureContext): ModelError {
  const words: InLanguage = (language) => {
    const say = modelWords[language];
    if (path === undefined) return say.unreadable({ modelKey });
    return path === 'data' ? say.unreadableEvent({ modelKey }) : say.oddPart({ modelKey, path });
  };
  return new ModelError('faulty', words, { again: (language) => modelWords[language].otherVersion({ serverKind }) });
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

function notSent(message: string, context: FailureContext): ModelError {
  const { modelKey } = context;
  const told = short(message, context);
  return new ModelError('permanent', (language) => modelWords[language].notSent({ modelKey, told }));
}

function ofApiCall(error: APICallError, context: FailureContext, now: number): ModelError {
  const { statusCode, responseHeaders, responseBody, data, message } = error;
  if (statusCode === undefined) return ofNetwork(error, context) ?? notSent(message, context);
  // The provider reported success, and then sent something else.
  if (statusCode < 400) return brokenAnswer(context);
  // Without a schema for the body, the package's message is only the status.
  const words = data === undefined ? wordsIn(responseBody) : undefined;
  const retryAfter = readRetryAfter(responseHeaders, responseBody, now);
  return modelErrorFor({ status: statusCode, message: words ?? message, details: responseBody, retryAfter }, context);
}

/** The wait that a provider asks for, in ms: from the headers, or as Google does from the body. */
function readRetryAfter(headers: APICallError['responseHeaders'], body: string | undefined, now: number) {
  const milliseconds = toNumber(headers?.['retry-after-ms']);
  if (milliseconds !== undefined) return milliseconds;
  const header = headers?.['retry-after'];
  const instant = header?.endsWith('GMT') ? Date.parse(header) : Number.NaN;
  if (!Number.isNaN(instant)) return Math.max(0, instant - now);
  const seconds = toNumber(header) ?? toNumber(body?.match(/"retryDelay"\s*:\s*"([\d.]{1,12})s"/)?.[1]);
  return seconds === undefined ? undefined : seconds * 1000;
}

function toNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

/** The server's own message in the body, in any of the usual forms. Undefined for HTML or an empty body. */
function wordsIn(body: string | undefined): string | undefined {
  if (body === undefined || body.length > longestBody) return undefined;
  const value = parseJson(body);
  return wordsOf(value === undefined && !body.trimStart().startsWith('<') ? body : value);
}

/** In characters. Longer bodies are not error messages. */
const longestBody = 20_000;

function wordsOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (Array.isArray(value)) return wordsOf(value[0]);
  if (!isJsonObject(value)) return undefined;
  const words = ['error', 'message', 'detail', 'msg', 'error_msg'].map((key) => wordsOf(value[key]));
  return words.find((text) => text !== undefined);
}

function isStreamError(value: unknown): value is JsonObject {
  return isJsonObject(value) && (isJsonObject(value.error) || typeof value.error === 'string');
}

/** An error that came as data: `{ message, type, code }` in one of several wrappings. */
function ofStream(error: JsonObject, context: FailureContext): ModelError {
  const inner = isJsonObject(error.error) ? error.error : error;
  const kinds = [inner.type, inner.code, inner.status, error.type].filter((kind) => typeof kind === 'string');
  const message = wordsOf(error) ?? '';
  const told = [inner.statusCode, inner.code, inner.status].map(toStatus).find((status) => status !== undefined);
  const ofKind = statuses.find(([name]) => kinds.some((kind) => name.test(kind)))?.[1];
  const status = told ?? ofKind ?? (busy.test(message) ? 529 : undefined);
  return modelErrorFor({ status, message, details: kinds.join(' ') }, context);
}

function toStatus(value: JsonValue | undefined): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && status >= 400 && status <= 599 ? status : undefined;
}

const statuses = [
  [/overloaded/i, 529],
  [/unavailable/i, 503],
  [/rate_limit|resource_exhausted|throttling/i, 429],
  [/authentication/i, 401],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/too_large/i, 413],
  [/invalid_request|invalid_argument/i, 400],
] as const;

/** An error without a code that says it will pass. */
const busy = /\b(?:overloaded|too busy|server busy|too many requests)\b|服务器繁忙|系统繁忙/i;

/** The connection failed or was lost. */
function ofNetwork(error: Error, context: FailureContext): ModelError | undefined {
  const { code = '' } = innermostError(error);
  const fault = connectionFault(error, URL.parse(context.baseUrl)?.host ?? context.baseUrl);
  if (fault !== undefined) {
    const { modelKey } = context;
    const words: InLanguage = (language) =>
      modelWords[language].unreachable({ modelKey, told: fault.wordsIn(language) });
    return new ModelError(fault.isFinal ? 'unavailable' : 'transient', words, { cause: error });
  }
  if (/^(E[A-Z]|UND_ERR_|HPE_|CERT_|DEPTH_|SELF_|UNABLE_)/.test(code)) {
    return modelErrorFor({ code, message: '' }, context, error);
  }
  // fetch's message for an incomplete body, if there is no code.
  return error.message === 'terminated' ? brokenAnswer(context) : undefined;
}
