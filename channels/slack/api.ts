import { webApi } from '@slack/bolt';
import { z } from 'zod';
import { type ChannelError, directNetwork, type Network } from '../../src/contract.ts';
import { systemClock, withTimeout } from '../../src/lib/clock.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import type { Log } from '../../src/lib/log.ts';
import type { InLanguage, Words } from '../../src/lib/words.ts';
import { lenient, optionalText } from '../kit/read-payload.ts';
import {
  answerCutOff,
  foreign,
  lost,
  proxyPage,
  type RequestFailure,
  readNetworkError,
  requestError,
  serverAnswers,
  tooMany,
} from '../kit/request-failure.ts';
import { kitWords } from '../kit/words.ts';
import { slackWords } from './words.ts';

export interface SlackServer {
  readonly token: string;
  /** Ends with a slash. */
  readonly apiUrl: string;
  readonly requestTimeoutSecs: number;
  /** Default: directly. */
  readonly network?: Network;
  /** Called each time Slack rejects the token. */
  readonly onShutOut?: () => void;
}

/** Slack's answer. Only `ok` has been checked. */
export type SlackAnswer = Readonly<Record<string, unknown>>;

export interface CallOptions {
  /** The request is idempotent: a lost answer is transient, not ambiguous. */
  readonly repeatable?: boolean;
  readonly signal?: AbortSignal;
}

/** The Web API for one token. Never retries; calls run in parallel. */
export class SlackApi {
  readonly #server: SlackServer;

  constructor(server: SlackServer) {
    this.#server = server;
  }

  async call(
    method: string,
    args: Readonly<Record<string, unknown>>,
    { repeatable = false, signal }: CallOptions = {},
  ): Promise<SlackAnswer> {
    if (signal?.aborted) throw toChannelError(method, { fault: { type: 'transient' }, words: calledOff }, repeatable);
    // A client takes no signal per call. Making one costs less than a millisecond.
    const client = clientFor(this.#server, signal);
    try {
      const answer: unknown = await client.apiCall(method, { ...args });
      if (isJsonObject(answer) && answer.ok === true) return answer;
    } catch (error) {
      const failure = toChannelError(method, readFailure(error), repeatable);
      if (failure.fault.type === 'auth') this.#server.onShutOut?.();
      throw failure;
    }
    throw lostAnswer(method, (language) => slackWords[language].answersOtherwise, repeatable);
  }

  /**
   * Posts to a URL that Slack has given, and returns the status. `what` describes the request. Throws `ChannelError`
   * without the URL: anybody who knows it can post there.
   */
  async post(
    what: Words,
    url: string,
    content: { readonly type: string; readonly body: Blob | string },
    { repeatable, patience = 0 }: { readonly repeatable: boolean; readonly patience?: number },
  ): Promise<number> {
    if (!this.isTrusted(URL.parse(url)))
      throw toChannelError(what, { fault: { type: 'permanent' }, words: notSlacksAddress }, repeatable);
    try {
      const milliseconds = this.#server.requestTimeoutSecs * 1000 + patience;
      return await withTimeout({ clock: systemClock, milliseconds }, async (signal) => {
        const headers = { 'content-type': content.type };
        const response = await this.#fetch(url, {
          method: 'POST',
          headers,
          body: content.body,
          redirect: 'error',
          signal,
        });
        await response.body?.cancel();
        return response.status;
      });
    } catch (error) {
      throw toChannelError(what, readNetworkError(error), repeatable);
    }
  }

  /** Gets a URL with the token, without following redirects. Throws what `fetch` throws. */
  get(url: URL, signal: AbortSignal): Promise<Response> {
    return this.#fetch(url, { headers: { authorization: `Bearer ${this.#server.token}` }, redirect: 'manual', signal });
  }

  get #fetch(): typeof fetch {
    return (this.#server.network ?? directNetwork).fetch;
  }

  /** Whether a URL is on Slack's hosts or the API's origin, so that the token may be sent there. */
  isTrusted(address: URL | null): address is URL {
    if (address === null || address.username !== '' || address.password !== '') return false;
    if (address.origin === new URL(this.#server.apiUrl).origin) return true;
    const isSlack = address.hostname === 'slack.com' || address.hostname.endsWith('.slack.com');
    return isSlack && address.protocol === 'https:' && address.port === '';
  }
}

/** Each client gets its own options: the library writes the token into them. */
function clientFor(
  { token, apiUrl, requestTimeoutSecs, network = directNetwork }: SlackServer,
  signal?: AbortSignal,
): webApi.WebClient {
  return new webApi.WebClient(token, {
    slackApiUrl: apiUrl,
    timeout: requestTimeoutSecs * 1000,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    maxRequestConcurrency: 1000,
    logger: libraryLogger(),
    fetch: signal === undefined ? network.fetch : fetchUntil(network, signal),
  });
}

function fetchUntil(network: Network, over: AbortSignal): typeof fetch {
  return (input, init) =>
    network.fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, over]) : over });
}

/**
 * The logger for Slack's libraries. Warnings and errors go to our debug log; the rest contains message texts and is
 * dropped. Without a log, everything is.
 */
export function libraryLogger(log?: Log): webApi.Logger {
  const write = (...words: readonly unknown[]): void =>
    log?.debug({ words: words.map(String) }, "Slack's library warns");
  return {
    debug() {},
    info() {},
    warn: write,
    error: write,
    setLevel() {},
    getLevel: () => webApi.LogLevel.ERROR,
    setName() {},
  };
}

const calledOff: InLanguage = (language) => kitWords[language].calledOff;
const notSlacksAddress: InLanguage = (language) => slackWords[language].notSlacksAddress;

export function toChannelError(tried: Words, failure: RequestFailure, repeatable: boolean): ChannelError {
  return requestError({ platform: 'Slack', tried }, failure, repeatable);
}

export function lostAnswer(method: string, words: InLanguage, repeatable: boolean): ChannelError {
  return toChannelError(method, lost(words), repeatable);
}

/** The id of the message that was sent. */
export function sentTs(method: string, { ts }: SlackAnswer): string {
  if (typeof ts === 'string') return ts;
  throw lostAnswer(method, (language) => slackWords[language].namesNoMessage, false);
}

/** Takes anything that the client can throw. */
function readFailure(error: unknown): RequestFailure {
  if (error instanceof webApi.WebAPIPlatformError) return readPlatformError(error.data);
  if (error instanceof webApi.WebAPIRateLimitedError) return readStatus(429, error.retryAfter);
  if (error instanceof webApi.WebAPIHTTPError) return readStatus(error.statusCode);
  if (error instanceof webApi.WebAPIRequestError) return readNetworkError(error.original);
  // 429 without a Retry-After header.
  if (error instanceof Error && error.message.startsWith('Retry header did not contain')) return readStatus(429);
  return readNetworkError(error);
}

export function readStatus(status: number, retrySecs = Number.NaN): RequestFailure {
  if (status === 429) return tooMany(Number.isFinite(retrySecs) ? retrySecs * 1000 : undefined);
  if (status === 504) return lost(serverAnswers(status));
  if (status >= 500) return foreign(serverAnswers(status), status);
  return foreign((language) => slackWords[language].notSlacksStatus({ status }), status);
}

const refusalShape = z.object({
  error: z.string(),
  needed: optionalText,
  response_metadata: lenient(z.object({ retryAfter: lenient(z.number()) })),
});

/** The client reports a body that is not JSON as the error code. */
function readPlatformError(body: unknown): RequestFailure {
  const { data } = refusalShape.safeParse(body);
  if (data === undefined) return lost((language) => slackWords[language].notWebApi);
  const { error: code, needed, response_metadata: { retryAfter: secs } = {} } = data;
  if (/^\w[\w.-]{0,99}$/.test(code))
    return { fault: refusalFault(code, secs), words: refusalWords(code, needed ?? ''), code };
  const begin = code.trimStart().charAt(0);
  if (begin === '' || begin === '{' || begin === '[') return lost(answerCutOff);
  return foreign(proxyPage);
}

function refusalFault(code: string, retrySecs: number | undefined): RequestFailure['fault'] {
  if (tooManyCodes.test(code)) return tooMany(retrySecs && retrySecs * 1000).fault;
  if (wrongToken.test(code)) return { type: 'auth' };
  return { type: forNow.test(code) ? 'transient' : 'permanent' };
}

/** What to do about a refusal, unless its code says it all. */
function refusalWords(code: string, needed: string): Words {
  const advice = adviceFor(code, needed);
  if (advice === undefined) return code;
  return (language) => slackWords[language].withAdvice({ code, advice: advice(language) });
}

function adviceFor(code: string, needed: string): InLanguage | undefined {
  const scopes = /^[\w:.,\s-]{1,200}$/.test(needed) ? needed : '';
  switch (code) {
    case 'missing_scope':
      return (language) => slackWords[language].lacksPermission({ scopes });
    case 'channel_not_found':
    case 'not_in_channel':
      return (language) => slackWords[language].botNotInChannel;
    case 'restricted_action':
      return (language) => slackWords[language].appsMayNotWrite;
    case 'messages_tab_disabled':
      return (language) => slackWords[language].messagesTabOff;
    default:
      return undefined;
  }
}

/** The bot, or the recipient of an ephemeral message, is not in the channel. */
export const absence = /^(?:channel_not_found|not_in_channel|user_not_in_channel|is_archived|restricted_action)$/;
/** The workspace does not support the request: retrying is useless. */
export const noFeature = /^(?:feature_not_enabled|method_deprecated|unknown_method|missing_scope|no_permission)$/;
const tooManyCodes = /^(?:rate_?limited|message_limit_exceeded)$/;
const wrongToken =
  /^(?:invalid_auth|not_authed|account_inactive|token_revoked|token_expired|not_allowed_token_type|user_removed_from_team|team_access_not_granted|access_denied)$/;
const forNow =
  /^(?:internal_error|fatal_error|service_unavailable|temporarily_unavailable|(?:request_)?timeout|team_added_to_org|accesslimited)$/;
