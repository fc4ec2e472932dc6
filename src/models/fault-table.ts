/*
 * What becomes of each fault of a model server: one table, read from the top. A `transient` fault is waited for, a `faulty`
 * answer is asked for again at most twice, all others are said at once. `test/models/recorded-faults.jsonl` has what real
 * servers send.
 */

import { oneLine } from '../lib/plain-text.ts';
import { durationWords } from '../lib/time-words.ts';
import { ModelError, type ModelFault } from './language-model.ts';
import { sizesIn, type ToldSizes } from './refused-size.ts';

export interface FailureContext {
  /** The model's key in the config. */
  readonly modelKey: string;
  /** The provider's name for the model. */
  readonly modelName: string;
  readonly baseUrl: string;
  /** The kind of server expected there. */
  readonly serverKind: string;
  /** Must not appear in messages: the API key and header values. */
  readonly secrets: readonly string[];
}

/** What is known of a fault. */
export interface Trouble {
  /** Of the connection: `ECONNREFUSED`. */
  readonly code?: string;
  /** Of HTTP, or of an error in an answer. */
  readonly status?: number | undefined;
  /** The server's own words. */
  readonly message: string;
  /** Where its error codes may be: searched, never shown. */
  readonly details?: string | undefined;
  /** The wait that it asks for, in ms. */
  readonly retryAfter?: number | undefined;
}

interface Row {
  readonly when: (trouble: Trouble, context: FailureContext) => boolean;
  readonly fault: ModelFault;
  /** State and cause, and what to do unless it is to wait. */
  readonly words: (trouble: Trouble, context: FailureContext) => string;
  /** Waiting may not help: a minute of it must be enough. */
  readonly isDoubtful?: true;
  /** It is the tools that are refused. */
  readonly lacksTools?: true;
}

/** The first row that fits the fault, in words for the person who waits. */
export function modelErrorFor(trouble: Trouble, context: FailureContext, cause?: Error): ModelError {
  const { fault, words, isDoubtful, lacksTools } = table.find(({ when }) => when(trouble, context)) ?? lastRow;
  const { retryAfter } = trouble;
  const again = fault === 'transient' || fault === 'faulty' ? `Try again ${whenAgain(retryAfter)}.` : undefined;
  const sizes = fault === 'too-long' ? sizesOf(trouble) : {};
  const options = { cause, retryAfter: fault === 'transient' ? retryAfter : undefined, again, isDoubtful, lacksTools };
  return new ModelError(fault, words(trouble, context), { ...options, ...sizes });
}

const hasCode =
  (codes: RegExp) =>
  ({ code }: Trouble): boolean =>
    code !== undefined && codes.test(code);

const hasStatus =
  (...statuses: readonly number[]) =>
  ({ status }: Trouble): boolean =>
    status !== undefined && statuses.includes(status);

const says =
  (words: RegExp) =>
  ({ message, details = '' }: Trouble): boolean =>
    words.test(`${message}\n${details}`);

function sizesOf({ message, details = '' }: Trouble): ToldSizes {
  return sizesIn(`${message}\n${details}`);
}

const isRefusal = ({ status }: Trouble): boolean => status !== undefined && status >= 400 && status < 500;

/** Providers have no common code for it, only messages. With 429, "too many tokens" means the rate limit. */
const tooLong =
  /context_length_exceeded|exceed_context_size|context (length|window|limit|size)|(?:maximum|max) (?:prompt|model|input|sequence) (?:length|tokens)|(?:prompt|input) (?:is )?too long|token count .{0,40}exceeds|too many (?:input )?tokens|reduce the length of the messages|max_new_tokens.{0,6} must be|range of input length|exceeded model token limit|tokens_limit_reached|requested (?:more tokens|\d+ tokens)|must have less than [\d,]+ tokens|max_(?:seq|model|input)_len|exceeds the model limit|request(?: body)? too large|上下文长度|最大上下文|(?:输入|请求).{0,20}(?:过长|太长|超过|超出)/i;

/** Of OpenAI, Anthropic, DeepSeek, Moonshot, Alibaba and Zhipu. Google says "quota" for a rate limit. */
const noCredit =
  /insufficient_quota|credit balance|insufficient (?:account )?(?:balance|credits)|exceeded_current_quota_error|arrearage|account is in good standing|余额不足|欠费|额度(?:不足|已用尽)|FreeTierOnly|free tier .{0,40}exhausted/i;

/** The messages of Ollama, OpenRouter, vLLM, llama.cpp, Gemini and others for a model without function calling. */
const noTools =
  /does not support (?:tools|tool use|function)|support tool use|tool choice requires|tools param requires|(?:tools?|tool calling|function calling)[`'"]* is not (?:supported|enabled)/i;

/** A picture that cannot be read, or a model that sees none. */
const noPictures =
  /(?:image|picture|vision|multimodal|mmproj|media)[\s\S]{0,60}(?:not (?:be )?(?:supported|valid|allowed|enabled|process|load|decod|identif)|unsupported|invalid|fail)|(?:not support|unsupported|invalid|(?:failed|unable|cannot|could not) (?:to )?(?:load|decode|process|identify|read))[\s\S]{0,40}(?:image|picture|vision|multimodal|media)|support image input|图片|图像/i;

const unknownModel =
  /model[_ ](?:does )?not[_ ](?:exist|found)|unknown model|模型不存在|无可用渠道|no available channels? for/i;

/** What servers say of an address that they do not have: Ollama and others in Go, LM Studio, llama.cpp, Express, FastAPI. */
const noSuchPath =
  /\b(?:404 )?(?:page|file) not found\b|unexpected endpoint or method|\bcannot post\b|no route (?:matched|found)|invalid url \(/i;
const notFound = /^\s*(?:404:? *)?not found\.?\s*$/i;

/** Whether it is the address that is unknown, and not the model. */
function isOfPath({ message, status, details = '' }: Trouble, { baseUrl }: FailureContext): boolean {
  if (unknownModel.test(`${message}\n${details}`)) return false;
  if (noSuchPath.test(`${message}\n${details}`)) return status === undefined || status === 404 || status === 405;
  return status === 404 && hasNoPath(baseUrl) && notFound.test(message);
}

function hasNoPath(baseUrl: string): boolean {
  return URL.parse(baseUrl)?.pathname === '/';
}

/** Of a key that is right: the provider keeps this account, or this place, from the model. */
const keptOut = /region|country|territory|location|model access|not (?:allowed|permitted|authorized) to|没有权限|无权/i;

const table: readonly Row[] = [
  {
    when: hasCode(/^(?:EPROTO|ERR_SSL_|HPE_|ERR_INVALID_URL)/),
    fault: 'unavailable',
    words: ({ code }, { modelKey, baseUrl }) =>
      `What answers at ${baseUrl} does not speak as that address says (${code}). Check models.${modelKey}.base_url in the config: http:// or https://, and the port.`,
  },
  {
    when: (trouble, { baseUrl }) => hasCode(/^ECONNREFUSED$/)(trouble) && isLocal(baseUrl),
    fault: 'transient',
    words: (_trouble, { modelKey, baseUrl }) =>
      `Nothing listens at ${baseUrl}, where the model '${modelKey}' should be. Start the model server (Ollama, for example), or correct models.${modelKey}.base_url in the config.`,
  },
  {
    when: hasCode(/^ENOTFOUND$/),
    fault: 'transient',
    isDoubtful: true,
    words: (_trouble, { modelKey, baseUrl }) =>
      `The address ${baseUrl} of the model '${modelKey}' cannot be found. Check the network, and the address in the config.`,
  },
  {
    when: hasCode(/^EAI_AGAIN$/),
    fault: 'transient',
    words: (_trouble, { modelKey, baseUrl }) =>
      `The address ${baseUrl} of the model '${modelKey}' cannot be looked up now. Check the network.`,
  },
  {
    when: hasCode(/./),
    fault: 'transient',
    words: ({ code }, { modelKey }) =>
      `The connection to the model '${modelKey}' failed (${code}). If it stays so, check the network.`,
  },
  {
    when: (trouble) =>
      hasStatus(413)(trouble) ||
      says(/request[_ ]too[_ ]large/i)(trouble) ||
      (trouble.status !== 429 && says(tooLong)(trouble)),
    fault: 'too-long',
    words: (trouble, { modelKey }) =>
      `The conversation is too long for the model '${modelKey}'${sizeWords(sizesOf(trouble))}. Start a new conversation with /new, or choose a model that takes more.`,
  },
  {
    when: (trouble) => hasStatus(402)(trouble) || says(noCredit)(trouble),
    fault: 'unavailable',
    words: (_trouble, { modelKey }) =>
      `The account of the model '${modelKey}' has no credit left. Add credit in the provider's console, or choose another model.`,
  },
  {
    when: says(noTools),
    fault: 'unavailable',
    lacksTools: true,
    words: (_trouble, { modelKey }) =>
      `The model '${modelKey}' cannot call tools where it runs. Set models.${modelKey}.tool_calls to "text" in the config: then it makes its calls in words.`,
  },
  {
    when: (trouble) => hasStatus(403)(trouble) && says(keptOut)(trouble),
    fault: 'unavailable',
    words: ({ message }, context) =>
      `The provider of the model '${context.modelKey}' does not let this account or place use it (403): ${short(message, context)}`,
  },
  {
    when: (trouble) =>
      hasStatus(401, 403)(trouble) ||
      says(/API_KEY_INVALID|invalid_api_key|InvalidApiKey|api key not valid|invalid api key|无效的令牌/i)(trouble),
    fault: 'auth',
    words: (_trouble, { modelKey }) =>
      `The model's provider refuses the API key of '${modelKey}'. Check models.${modelKey}.api_key in the config, or the variable that it names, then try again.`,
  },
  {
    when: (trouble) => trouble.status !== 429 && says(noPictures)(trouble),
    fault: 'permanent',
    words: ({ message, status }, context) =>
      `The provider of the model '${context.modelKey}' refuses the request${inBrackets(status)}: ${short(message, context)}`,
  },
  {
    when: isOfPath,
    fault: 'unavailable',
    words: ({ message }, context) => {
      const { modelKey, baseUrl } = context;
      const said = short(message, context).replace(/\.$/, '');
      const advice = hasNoPath(baseUrl)
        ? `models.${modelKey}.base_url may lack /v1: write "${baseUrl.replace(/\/+$/, '')}/v1" in the config.`
        : `Check models.${modelKey}.base_url in the config: most servers have theirs at /v1.`;
      return `The server at ${baseUrl} has no chats at that address (${said}). ${advice}`;
    },
  },
  {
    when: (trouble) => hasStatus(404)(trouble) || (trouble.status !== 429 && says(unknownModel)(trouble)),
    fault: 'unavailable',
    words: (_trouble, { modelKey, modelName, baseUrl }) => {
      const where = isLocal(baseUrl) ? `${baseUrl} (is it installed there?)` : 'its provider';
      return `The model '${modelName}' is not known at ${where}. Check models.${modelKey}.name and models.${modelKey}.base_url in the config.`;
    },
  },
  {
    when: hasStatus(429),
    fault: 'transient',
    words: (_trouble, { modelKey }) =>
      `The provider of the model '${modelKey}' takes no more requests from us for now.`,
  },
  {
    when: says(/loading model|model is (?:still )?loading/i),
    fault: 'transient',
    words: (_trouble, { modelKey }) => `The server of the model '${modelKey}' is still loading it.`,
  },
  {
    when: hasStatus(503, 529),
    fault: 'transient',
    words: (_trouble, { modelKey }) => `The provider of the model '${modelKey}' is overloaded.`,
  },
  {
    // From 520 on they are Cloudflare's, for a server behind it that does not answer.
    when: hasStatus(408, 409, 425, 502, 504, 520, 521, 522, 523, 524, 530),
    fault: 'transient',
    words: ({ status }, { modelKey }) =>
      `The provider of the model '${modelKey}' does not answer for now${inBrackets(status)}.`,
  },
  {
    when: isRefusal,
    fault: 'permanent',
    words: ({ message, status }, context) =>
      `The provider of the model '${context.modelKey}' refuses the request (${status}): ${short(message, context)}`,
  },
];

/** A fault that the server tells of in its own words: no wait mends it. */
const lastRow: Row = {
  when: () => true,
  fault: 'faulty',
  words: ({ message, status }, context) =>
    `The server of the model '${context.modelKey}' has a fault${inBrackets(status)}: ${asSentence(short(message, context))}`,
};

function sizeWords({ window, size }: ToldSizes): string {
  if (window === undefined) return '';
  const takes = `it takes ${window.toLocaleString('en')} tokens`;
  return size === undefined ? ` (${takes})` : ` (${takes}, and this is ${size.toLocaleString('en')})`;
}

function inBrackets(status: number | undefined): string {
  return status === undefined ? '' : ` (${status})`;
}

function asSentence(text: string): string {
  return /[.!?…。！？]$/.test(text) ? text : `${text}.`;
}

/** Rounded up: a retry that is too early is refused again. */
function whenAgain(retryAfter = 0): string {
  if (retryAfter < 2000) return 'in a moment';
  return `in ${durationWords(retryAfter + (retryAfter < 60_000 ? 999 : 59_999))}`;
}

function isLocal(baseUrl: string): boolean {
  const hostname = URL.parse(baseUrl)?.hostname ?? '';
  return ['localhost', '[::1]', '0.0.0.0'].includes(hostname) || hostname.startsWith('127.');
}

/** The provider's message on one line, without anything that looks like a key. */
export function short(message: string, { secrets }: FailureContext): string {
  // A short header value such as `1` is not secret, and removing it would garble the message.
  const clean = secrets
    .filter(({ length }) => length >= 6)
    .reduce((text, secret) => text.replaceAll(secret, '…'), message.slice(0, 2000));
  return oneLine(clean.replace(/\b(sk|key|AIza)[-_]?[\w*-]{12,}/g, '…'), 300);
}
