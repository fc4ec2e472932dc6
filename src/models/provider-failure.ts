import { innermostError } from '../lib/http.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { connectionFault } from '../lib/network/connection-fault.ts';
import type { InLanguage } from '../lib/words.ts';
import { type FailureContext, modelErrorFor, short } from './fault-table.ts';
import type { BodyFault } from './foreign-forms/foreign-forms.ts';
import { ModelError, type ModelUsage } from './language-model.ts';
import { readJson } from './partial-json.ts';
import { type ForeignDeed, modelWords } from './words.ts';

/** What the body of an answer ended with, in words. `kind`: its content type. */
export function bodyFailure(fault: BodyFault, kind: string, context: FailureContext): ModelError {
  switch (fault.type) {
    case 'fault':
      return streamFailure(fault.fault, context);
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
export function oddAnswer(path: string | undefined, { modelKey, serverKind }: FailureContext): ModelError {
  const words: InLanguage = (language) => {
    const say = modelWords[language];
    if (path === undefined) return say.unreadable({ modelKey });
    return path === 'data' ? say.unreadableEvent({ modelKey }) : say.oddPart({ modelKey, path });
  };
  return new ModelError('faulty', words, { again: (language) => modelWords[language].otherVersion({ serverKind }) });
}

/** The request could not be made of what it should hold. */
export function notSent(message: string, context: FailureContext): ModelError {
  const { modelKey } = context;
  const told = short(message, context);
  return new ModelError('permanent', (language) => modelWords[language].notSent({ modelKey, told }));
}

/** A response that is no answer. */
export interface Refusal {
  readonly status: number;
  readonly headers: RefusalHeaders;
  readonly body: string | undefined;
  /** The server's words. Default: what looks like them in the body. */
  readonly words?: string | undefined;
  /** What is said if there are none. */
  readonly message: string;
}

type RefusalHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The server has refused the request, or failed. */
export function refusal(refused: Refusal, context: FailureContext, now: number): ModelError {
  const { status, headers, body, words = wordsIn(body), message } = refused;
  // The provider reported success, and then sent something else.
  if (status < 400) return brokenAnswer(context);
  const retryAfter = readRetryAfter(headers, body, now);
  return modelErrorFor({ status, message: endsOf(words ?? message), details: endsOf(body ?? ''), retryAfter }, context);
}

/** What errors say stands at the beginning, or behind a request that is repeated. All of it would be searched for long. */
function endsOf(text: string): string {
  return text.length <= 2 * longestBody ? text : `${text.slice(0, longestBody)}\n${text.slice(-longestBody)}`;
}

/** The wait that a provider asks for, in ms: from the headers, or as Google does from the body. */
function readRetryAfter(headers: RefusalHeaders, body: string | undefined, now: number) {
  const milliseconds = toNumber(headers['retry-after-ms']?.toString());
  if (milliseconds !== undefined) return milliseconds;
  const header = headers['retry-after']?.toString();
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
  const value = readJson(body);
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

/** An error that came as data: `{ message, type, code }` in one of several wrappings. */
export function streamFailure(error: JsonObject, context: FailureContext): ModelError {
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

/** The connection failed or was lost. Undefined if it is not the network's fault: then it is a bug. */
export function networkFailure(error: Error, context: FailureContext): ModelError | undefined {
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
