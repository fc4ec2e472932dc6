import { AISDKError, APICallError, TypeValidationError } from '@ai-sdk/provider';
import { innermostError } from '../lib/http.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../lib/json.ts';
import { oneLine } from '../lib/plain-text.ts';
import { durationWords } from '../lib/time-words.ts';
import { ModelError, type ModelUsage } from './language-model.ts';

export interface FailureContext {
  /** The model's key in the config. */
  readonly modelKey: string;
  /** The provider's name for the model. */
  readonly modelName: string;
  readonly baseUrl: string;
  /** Must not appear in messages: the API key and header values. */
  readonly secrets: readonly string[];
}

/**
 * Turns an error that a provider package threw, or a stream contained, into a message for the person who waits, and
 * tells whether a retry can help. Undefined if neither the provider nor the network is at fault: then it is a bug.
 */
export function modelErrorOf(error: unknown, context: FailureContext, now: number): ModelError | undefined {
  if (APICallError.isInstance(error)) return ofApiCall(error, context, now);
  if (AISDKError.isInstance(error)) {
    // An error in the stream, in a form that the package does not expect.
    if (TypeValidationError.isInstance(error) && isStreamError(error.value)) return ofStream(error.value, context);
    return unreadableAnswers.includes(error.name) ? brokenAnswer(context) : notSent(error.message, context);
  }
  // The data is nested so deep that the package overflows the stack, or an answer of Anthropic begins with no JSON.
  if (error instanceof Error && unreadable.test(error.message)) return brokenAnswer(context);
  if (error instanceof Error) return ofNetwork(error, context);
  if (typeof error === 'string') return refusal({ message: error }, context);
  return isJsonObject(error) ? ofStream(error, context) : undefined;
}

const unreadable = /call stack|normalized Anthropic stream error/;

/** The packages' names for an answer that violates the protocol. */
const unreadableAnswers = [
  'AI_EmptyResponseBodyError',
  'AI_InvalidResponseDataError',
  'AI_JSONParseError',
  'AI_TypeValidationError',
];

/** The answer is incomplete or unreadable. */
export function brokenAnswer({ modelKey }: FailureContext, usage?: ModelUsage): ModelError {
  const words = `The answer of the model '${modelKey}' broke off before it was complete. Try again.`;
  return new ModelError('transient', words, { usage });
}

function notSent(message: string, context: FailureContext): ModelError {
  const words = `The request to the model '${context.modelKey}' could not be made: ${short(message, context)}`;
  return new ModelError('permanent', words);
}

function ofApiCall(error: APICallError, context: FailureContext, now: number): ModelError {
  const { statusCode, responseHeaders, responseBody, data, message } = error;
  if (statusCode === undefined) return ofNetwork(error, context) ?? notSent(message, context);
  // The provider reported success, and then sent something else.
  if (statusCode < 400) return brokenAnswer(context);
  // Without a schema for the body, the package's message is only the status.
  const words = data === undefined ? wordsIn(responseBody) : undefined;
  const retryAfter = readRetryAfter(responseHeaders, responseBody, now);
  return refusal({ status: statusCode, message: words ?? message, details: responseBody, retryAfter }, context);
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
  const words = ['error', 'message', 'detail', 'msg'].map((key) => wordsOf(value[key]));
  return words.find((text) => text !== undefined);
}

function isStreamError(value: unknown): value is JsonObject {
  return isJsonObject(value) && (isJsonObject(value.error) || typeof value.error === 'string');
}

/** An error that came as data: `{ message, type, code }` in one of several wrappings. */
function ofStream(error: JsonObject, context: FailureContext): ModelError {
  const inner = isJsonObject(error.error) ? error.error : error;
  const kinds = [inner.type, inner.code, inner.status, error.type].filter((kind) => typeof kind === 'string');
  const told = [inner.statusCode, inner.code, inner.status].map(toStatus).find((status) => status !== undefined);
  const status = told ?? statuses.find(([name]) => kinds.some((kind) => name.test(kind)))?.[1];
  return refusal({ status, message: wordsOf(error) ?? 'no reason given', details: kinds.join(' ') }, context);
}

function toStatus(value: JsonValue | undefined): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && status >= 400 && status <= 599 ? status : undefined;
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

interface Refusal {
  readonly status?: number | undefined;
  readonly message: string;
  /** Where its error codes may be: searched, never shown. */
  readonly details?: string | undefined;
  readonly retryAfter?: number | undefined;
}

/** An error response, or an error in the middle of an answer. */
function refusal({ status, message, details = '', retryAfter }: Refusal, context: FailureContext): ModelError {
  const model = `'${context.modelKey}'`;
  const setting = `models.${context.modelKey}`;
  const text = `${message}\n${details}`;
  if (isTooLong(status, text)) {
    const advice = 'Start a new conversation with /new, or choose a model that takes more.';
    return new ModelError('too-long', `The conversation is too long for the model ${model}. ${advice}`);
  }
  if (status === 402 || /insufficient_quota|credit balance/i.test(text)) {
    const advice = "Add credit in the provider's console, or choose another model.";
    return new ModelError('unavailable', `The account of the model ${model} has no credit left. ${advice}`);
  }
  if (noTools.test(text)) {
    const advice = `Set ${setting}.tool_calls to "text" in the config: then it makes its calls in words.`;
    return new ModelError('unavailable', `The model ${model} cannot call tools where it runs. ${advice}`);
  }
  if (status === 401 || status === 403 || /API_KEY_INVALID|invalid_api_key/.test(text)) {
    const advice = `Check ${setting}.api_key in the config, or the variable that it names, then try again.`;
    return new ModelError('auth', `The model's provider refuses the API key of ${model}. ${advice}`);
  }
  if (status === 404) {
    const where = isLocal(context.baseUrl) ? `${context.baseUrl} (is it installed there?)` : 'its provider';
    const advice = `Check ${setting}.name and ${setting}.base_url in the config.`;
    return new ModelError('unavailable', `The model '${context.modelName}' is not known at ${where}. ${advice}`);
  }
  if (status === undefined || status >= 500 || [408, 409, 425, 429].includes(status)) {
    const words = `The provider of the model ${model} ${transientWords(status)}. Try again ${whenAgain(retryAfter)}.`;
    return new ModelError('transient', words, { retryAfter });
  }
  const words = short(message, context);
  return new ModelError('permanent', `The provider of the model ${model} refuses the request (${status}): ${words}`);
}

/** The messages of Ollama, OpenRouter, vLLM, llama.cpp, Gemini and others for a model without function calling. */
const noTools =
  /does not support (?:tools|tool use|function)|support tool use|tool choice requires|tools param requires|(?:tools?|tool calling|function calling)[`'"]* is not (?:supported|enabled)/i;

/** Providers have no common code for it, only messages. With 429, "too many tokens" means the rate limit. */
function isTooLong(status: number | undefined, text: string): boolean {
  if (status === 413 || /request[_ ]too[_ ]large/i.test(text)) return true;
  return status !== 429 && tooLong.test(text);
}

const tooLong =
  /context_length_exceeded|context (length|window|limit|size)|maximum prompt length|(prompt|input) is too long|token count .{0,40}exceeds|too many (input )?tokens|reduce the length of the messages|max_new_tokens.{0,6} must be/i;

function transientWords(status: number | undefined): string {
  if (status === 429) return 'takes no more requests from us for now';
  if (status === 529 || status === 503) return 'is overloaded';
  return `has a fault${status === undefined ? '' : ` (${status})`}`;
}

/** Rounded up: a retry that is too early is refused again. */
function whenAgain(retryAfter = 0): string {
  if (retryAfter < 2000) return 'in a moment';
  return `in ${durationWords(retryAfter + (retryAfter < 60_000 ? 999 : 59_999))}`;
}

/** The connection failed or was lost. */
function ofNetwork(error: Error, context: FailureContext): ModelError | undefined {
  const { code = '' } = innermostError(error);
  if (/^(E[A-Z]|UND_ERR_|CERT_|DEPTH_|SELF_|UNABLE_)/.test(code))
    return new ModelError('transient', networkWords(code, context), { cause: error });
  // fetch's message for an incomplete body, if there is no code.
  return error.message === 'terminated' ? brokenAnswer(context) : undefined;
}

function networkWords(code: string, { modelKey, baseUrl }: FailureContext): string {
  if (code === 'ECONNREFUSED' && isLocal(baseUrl)) {
    const advice = `Start the model server (Ollama, for example), or correct models.${modelKey}.base_url in the config.`;
    return `Nothing listens at ${baseUrl}, where the model '${modelKey}' should be. ${advice}`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `The address ${baseUrl} of the model '${modelKey}' cannot be found. Check the network, and the address in the config.`;
  }
  return `The connection to the model '${modelKey}' failed (${code}). Try again in a moment; if it stays so, check the network.`;
}

function isLocal(baseUrl: string): boolean {
  const hostname = URL.parse(baseUrl)?.hostname ?? '';
  return ['localhost', '[::1]', '0.0.0.0'].includes(hostname) || hostname.startsWith('127.');
}

/** The provider's message on one line, without anything that looks like a key. */
function short(message: string, { secrets }: FailureContext): string {
  // A short header value such as `1` is not secret, and removing it would garble the message.
  const clean = secrets
    .filter(({ length }) => length >= 6)
    .reduce((text, secret) => text.replaceAll(secret, '…'), message.slice(0, 2000));
  return oneLine(clean.replace(/\b(sk|key|AIza)[-_]?[\w*-]{12,}/g, '…'), 300);
}
