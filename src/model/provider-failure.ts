import { oneLine } from '../lib/plain-text.ts';
import { ModelError } from './language-model.ts';

/** What went wrong between us and a provider, whatever its package calls it. */
export type ProviderFailure =
  /** It answered with an error, or sent one in the middle of an answer. */
  | {
      readonly type: 'refused';
      readonly status: number | undefined;
      readonly message: string;
      /** Where its own words for the fault may stand: only searched, never shown. */
      readonly details: string;
      readonly retryAfter?: number;
    }
  /** There was no connection, or it was lost. */
  | { readonly type: 'network'; readonly code: string; readonly cause: Error }
  /** The answer ended before it was complete, or cannot be read. */
  | { readonly type: 'broken-answer' }
  /** The package did not even send the request. */
  | { readonly type: 'not-sent'; readonly message: string };

export interface FailureContext {
  /** The model's key in the config. */
  readonly modelKey: string;
  /** The provider's name for the model. */
  readonly modelName: string;
  readonly baseUrl: string;
  /** What no message may contain: the API key, the values of headers. */
  readonly secrets: readonly string[];
}

/** Puts the failure into words for the person who waits, and says whether trying again can help. */
export function toModelError(failure: ProviderFailure, context: FailureContext): ModelError {
  const model = `'${context.modelKey}'`;
  switch (failure.type) {
    case 'refused':
      return refusal(failure, context);
    case 'network':
      return new ModelError('transient', networkSentence(failure.code, context), { cause: failure.cause });
    case 'broken-answer':
      return new ModelError(
        'transient',
        `The answer of the model ${model} broke off before it was complete. Try again.`,
      );
    case 'not-sent':
      return new ModelError(
        'permanent',
        `The request to the model ${model} could not be made: ${short(failure.message, context)}`,
      );
  }
}

type Refusal = Extract<ProviderFailure, { type: 'refused' }>;

function refusal(failure: Refusal, context: FailureContext): ModelError {
  const { status } = failure;
  const model = `'${context.modelKey}'`;
  const setting = `models.${context.modelKey}`;
  const text = `${failure.message}\n${failure.details}`;

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
    const { retryAfter } = failure;
    const sentence = `${transientSentence(status, model)} ${whenAgain(retryAfter)}`;
    return new ModelError('transient', sentence, retryAfter === undefined ? {} : { retryAfter });
  }
  const words = short(failure.message, context);
  return new ModelError('permanent', `The provider of the model ${model} refuses the request (${status}): ${words}`);
}

/** What Ollama, OpenRouter, vLLM, llama.cpp, Gemini and others say of a model that has no function calling. */
const noTools =
  /does not support (?:tools|tool use|function)|support tool use|tool choice requires|tools param requires|(?:tools?|tool calling|function calling)[`'"]* is not (?:supported|enabled)/i;

/** The providers have no common code for it; these are their words. */
function isTooLong(status: number | undefined, text: string): boolean {
  if (status === 413 || /request[_ ]too[_ ]large/i.test(text)) return true;
  // "Too many tokens" may also mean: in this minute.
  if (status === 429) return false;
  return tooLong.test(text);
}

const tooLong =
  /context_length_exceeded|context (length|window|limit|size)|maximum prompt length|(prompt|input) is too long|token count .{0,40}exceeds|too many (input )?tokens|reduce the length of the messages|max_new_tokens.{0,6} must be/i;

function transientSentence(status: number | undefined, model: string): string {
  if (status === 429) return `The provider of the model ${model} takes no more requests from us for now.`;
  if (status === 529 || status === 503) return `The provider of the model ${model} is overloaded.`;
  const code = status === undefined ? '' : ` (${status})`;
  return `The provider of the model ${model} has a fault${code}.`;
}

function whenAgain(retryAfter: number | undefined): string {
  if (retryAfter === undefined || retryAfter < 2000) return 'Try again in a moment.';
  const seconds = Math.ceil(retryAfter / 1000);
  if (seconds < 120) return `Try again in ${seconds} seconds.`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `Try again in ${minutes} minutes.`;
  const hours = Math.ceil(minutes / 60);
  return hours < 48 ? `Try again in about ${hours} hours.` : `Try again in about ${Math.ceil(hours / 24)} days.`;
}

function networkSentence(code: string, { modelKey, baseUrl }: FailureContext): string {
  const model = `'${modelKey}'`;
  if (code === 'ECONNREFUSED' && isLocal(baseUrl)) {
    const advice = `Start the model server (Ollama, for example), or correct models.${modelKey}.base_url in the config.`;
    return `Nothing listens at ${baseUrl}, where the model ${model} should be. ${advice}`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `The address ${baseUrl} of the model ${model} cannot be found. Check the network, and the address in the config.`;
  }
  return `The connection to the model ${model} failed (${code}). Try again in a moment; if it stays so, check the network.`;
}

function isLocal(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { hostname } = new URL(baseUrl);
  return hostname === 'localhost' || hostname === '[::1]' || hostname === '0.0.0.0' || hostname.startsWith('127.');
}

/** The provider's own words on one line, without anything that looks like a key. */
function short(message: string, { secrets }: FailureContext): string {
  let clean = message.slice(0, longestRead);
  for (const secret of secrets) if (secret.length >= shortestSecret) clean = clean.replaceAll(secret, '…');
  return oneLine(clean.replace(/\b(sk|key|AIza)[-_]?[\w*-]{12,}/g, '…'), longestMessage);
}

const longestRead = 2000;
const longestMessage = 300;
/** A header's value like `1` is no secret, and taking it out would garble the message. */
const shortestSecret = 6;
