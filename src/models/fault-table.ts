/*
 * What becomes of each fault of a model server: one table, read from the top. A `transient` fault is waited for, a `faulty`
 * answer is asked for again at most twice, all others are said at once. `test/models/recorded-faults.jsonl` has what real
 * servers send.
 */

import { oneLine } from '../lib/plain-text.ts';
import { durationWords } from '../lib/time-words.ts';
import type { InLanguage } from '../lib/words.ts';
import { ModelError, type ModelFault } from './language-model.ts';
import { sizesIn, type ToldSizes } from './refused-size.ts';
import { modelWords, type ServerKind } from './words.ts';

export interface FailureContext {
  /** The model's key in the config. */
  readonly modelKey: string;
  /** The provider's name for the model. */
  readonly modelName: string;
  readonly baseUrl: string;
  /** The kind of server expected there. */
  readonly serverKind: ServerKind;
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

type Words = (typeof modelWords)['en'];

interface Row {
  readonly when: (trouble: Trouble, context: FailureContext) => boolean;
  readonly fault: ModelFault;
  /** State and cause, and what to do unless it is to wait. */
  readonly words: (say: Words, trouble: Trouble, context: FailureContext) => string;
  /** Waiting may not help: a minute of it must be enough. */
  readonly isDoubtful?: true;
  /** It is the tools that are refused. */
  readonly lacksTools?: true;
}

/** The first row that fits the fault, in words for the person who waits. */
export function modelErrorFor(trouble: Trouble, context: FailureContext, cause?: Error): ModelError {
  const { fault, words, isDoubtful, lacksTools } = table.find(({ when }) => when(trouble, context)) ?? lastRow;
  const { retryAfter } = trouble;
  const again = fault === 'transient' || fault === 'faulty' ? tryAgain(retryAfter) : undefined;
  const sizes = fault === 'too-long' ? sizesOf(trouble) : {};
  const options = { cause, retryAfter: fault === 'transient' ? retryAfter : undefined, again, isDoubtful, lacksTools };
  const said: InLanguage = (language) => words(modelWords[language], trouble, context);
  return new ModelError(fault, said, { ...options, ...sizes });
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
    words: (say, { code = '' }, context) => say.wrongProtocol({ ...context, code }),
  },
  {
    when: (trouble, { baseUrl }) => hasCode(/^ECONNREFUSED$/)(trouble) && isLocal(baseUrl),
    fault: 'transient',
    words: (say, _trouble, context) => say.nothingListens(context),
  },
  {
    when: hasCode(/^ENOTFOUND$/),
    fault: 'transient',
    isDoubtful: true,
    words: (say, _trouble, context) => say.unknownAddress(context),
  },
  {
    when: hasCode(/^EAI_AGAIN$/),
    fault: 'transient',
    words: (say, _trouble, context) => say.noLookup(context),
  },
  {
    when: hasCode(/./),
    fault: 'transient',
    words: (say, { code = '' }, context) => say.connectionFailed({ ...context, code }),
  },
  {
    when: (trouble) =>
      hasStatus(413)(trouble) ||
      says(/request[_ ]too[_ ]large/i)(trouble) ||
      (trouble.status !== 429 && says(tooLong)(trouble)),
    fault: 'too-long',
    words: (say, trouble, { modelKey }) => say.tooLong({ modelKey, ...sizesOf(trouble) }),
  },
  {
    when: (trouble) => hasStatus(402)(trouble) || says(noCredit)(trouble),
    fault: 'unavailable',
    words: (say, _trouble, context) => say.noCredit(context),
  },
  {
    when: says(noTools),
    fault: 'unavailable',
    lacksTools: true,
    words: (say, _trouble, context) => say.noTools(context),
  },
  {
    when: (trouble) => hasStatus(403)(trouble) && says(keptOut)(trouble),
    fault: 'unavailable',
    words: (say, trouble, context) => say.keptOut(toldOf(say, trouble, context)),
  },
  {
    when: (trouble) =>
      hasStatus(401, 403)(trouble) ||
      says(/API_KEY_INVALID|invalid_api_key|InvalidApiKey|api key not valid|invalid api key|无效的令牌/i)(trouble),
    fault: 'auth',
    words: (say, _trouble, context) => say.keyRefused(context),
  },
  {
    when: (trouble) => trouble.status !== 429 && says(noPictures)(trouble),
    fault: 'permanent',
    words: (say, trouble, context) => say.refused(toldOf(say, trouble, context)),
  },
  {
    when: isOfPath,
    fault: 'unavailable',
    words(say, { message }, context) {
      const { modelKey, baseUrl } = context;
      const told = short(message, context).replace(/\.$/, '');
      const advice = hasNoPath(baseUrl)
        ? say.lacksVersion({ modelKey, baseUrl: baseUrl.replace(/\/+$/, '') })
        : say.checkPath({ modelKey });
      return say.withAdvice(say.noChats({ modelKey, baseUrl, told }), advice);
    },
  },
  {
    when: (trouble) => hasStatus(404)(trouble) || (trouble.status !== 429 && says(unknownModel)(trouble)),
    fault: 'unavailable',
    words: (say, _trouble, { modelKey, modelName, baseUrl }) =>
      say.unknownModel({ modelKey, modelName, baseUrl: isLocal(baseUrl) ? baseUrl : '' }),
  },
  {
    when: hasStatus(429),
    fault: 'transient',
    words: (say, _trouble, context) => say.limited(context),
  },
  {
    when: says(/loading model|model is (?:still )?loading/i),
    fault: 'transient',
    words: (say, _trouble, context) => say.stillLoading(context),
  },
  {
    when: hasStatus(503, 529),
    fault: 'transient',
    words: (say, _trouble, context) => say.overloaded(context),
  },
  {
    // From 520 on they are Cloudflare's, for a server behind it that does not answer.
    when: hasStatus(408, 409, 425, 502, 504, 520, 521, 522, 523, 524, 530),
    fault: 'transient',
    words: (say, { status }, { modelKey }) => say.noAnswer({ modelKey, status }),
  },
  {
    when: isRefusal,
    fault: 'permanent',
    words: (say, trouble, context) => say.refused(toldOf(say, trouble, context)),
  },
];

/** A fault that the server tells of in its own words: no wait mends it. */
const lastRow: Row = {
  when: () => true,
  fault: 'faulty',
  words: (say, trouble, context) => say.serverFault(toldOf(say, trouble, context)),
};

function toldOf(say: Words, { message, status }: Trouble, context: FailureContext) {
  const told = message === '' ? say.noReason : short(message, context);
  return { modelKey: context.modelKey, status, told };
}

/** Rounded up: a retry that is too early is refused again. */
function tryAgain(retryAfter = 0): InLanguage {
  const milliseconds = retryAfter + (retryAfter < 60_000 ? 999 : 59_999);
  return (language) => {
    const say = modelWords[language];
    return retryAfter < 2000 ? say.tryAgainSoon : say.tryAgainIn({ time: durationWords(milliseconds, language) });
  };
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
