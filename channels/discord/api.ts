import { REST, type RESTOptions, RESTJSONErrorCodes as Reason, RequestMethod } from 'discord.js';
import { z } from 'zod';
import { ChannelError, type OutboundFile } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { parseJson } from '../../src/lib/json.ts';
import { readBody } from '../../src/lib/read-body.ts';
import { openFile, uploadTime } from '../kit/file-transfer.ts';
import { FailedRequest, toChannelError } from './failure.ts';
import type { DiscordSettings } from './settings.ts';

const methods = {
  GET: RequestMethod.Get,
  POST: RequestMethod.Post,
  PUT: RequestMethod.Put,
  PATCH: RequestMethod.Patch,
  DELETE: RequestMethod.Delete,
} as const;

export type Method = keyof typeof methods;
export type ApiRoute = `/${string}`;

export interface CallOptions {
  readonly body?: unknown;
  /** Read from disk while they are sent, as `files[0]` and so on. */
  readonly files?: readonly OutboundFile[];
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Whether the token goes with it; the routes of an interaction have one of their own in the path. True if left out. */
  readonly auth?: boolean;
  /** Done twice it changes nothing: a lost answer is transient, and not ambiguous. True for GET if left out. */
  readonly repeatable?: boolean;
  /** It shows a reply or a file: cards and what Keyturn itself says do not wait for it. */
  readonly isContent?: boolean;
  readonly signal?: AbortSignal;
}

/** What Discord allows a bot for all requests together, a second, in two halves. What stands in its place has limits of its own. */
const mostPerSecond = 25;
/** More than Discord takes in one request, in bytes. */
const largestRequest = 25 * 2 ** 20;
/** What is answered is never that long: messages, a page of a hundred at most. In bytes. */
const largestAnswer = 8 * 2 ** 20;

/** Discord's REST API. Nothing is tried twice here, and no call waits for a limit to pass: it is told of instead. */
export class DiscordApi {
  readonly #token: string;
  /** The library sends the requests of one route one after the other, however long one takes: so each track has its own. */
  readonly #rests: { readonly control: REST; readonly content: REST };
  readonly #invalid: InvalidRequests;
  /** Known once the bot is: then what lacks a permission tells how to let the bot in with all that it needs. */
  applicationId: string | undefined;

  /** Only the guard against too many invalid requests looks at the clock. */
  constructor(settings: Pick<DiscordSettings, 'token' | 'api_url' | 'request_timeout_secs'>, clock: Clock) {
    const { token, api_url: apiUrl, request_timeout_secs: requestTimeoutSecs } = settings;
    this.#token = token;
    this.#invalid = createInvalidRequests(clock);
    const isDiscords = /^(.+\.)?discord(app)?\.com$/.test(URL.parse(apiUrl)?.hostname ?? '');
    const options: Partial<RESTOptions> = {
      version: '10',
      api: apiUrl,
      retries: 0,
      // The library's own ends with the head of the answer; ours, in the transport, with its last byte.
      timeout: timeFor(largestRequest, requestTimeoutSecs) + 1000,
      makeRequest: transport(requestTimeoutSecs, this.#invalid),
      globalRequestsPerSecond: isDiscords ? mostPerSecond : Number.POSITIVE_INFINITY,
      // Waiting, it would keep texts in its queue that are outdated by then, and execute them all.
      rejectOnRateLimit: () => true,
    };
    this.#rests = { control: new REST(options), content: new REST(options) };
  }

  /**
   * The answer as it was parsed: undefined where it is empty. Throws `ChannelError`; `refusalCode` tells what Discord has
   * refused it with.
   */
  async call(method: Method, route: ApiRoute, options: CallOptions = {}): Promise<unknown> {
    const { body, files = [], query, auth = true, repeatable = method === 'GET', isContent = false, signal } = options;
    const rest = this.#rests[isContent ? 'content' : 'control'];
    this.#invalid.check(auth);
    // The library forgets it with the first answer that says it was wrong.
    rest.setToken(this.#token);
    try {
      const answer = await rest.request({
        method: methods[method],
        fullRoute: route,
        auth,
        ...(files.length === 0 ? { body } : { body: await formOf(files, body), passThroughBody: true }),
        query: query && new URLSearchParams(query),
        // The library listens to it and never stops: one that lives on must not collect these.
        signal: signal && AbortSignal.any([signal]),
      });
      return answer instanceof ArrayBuffer ? undefined : answer;
    } catch (error) {
      const { applicationId } = this;
      throw toChannelError({ method, route, auth, hasFiles: files.length > 0, applicationId }, error, repeatable);
    }
  }
}

function timeFor(bytes: number, requestTimeoutSecs: number): number {
  return requestTimeoutSecs * 1000 + uploadTime(bytes);
}

const headersShape = z.record(z.string(), z.string());

/**
 * How the library sends a request. It ends in time, with the whole answer or not at all, and follows nobody to another
 * address, since the token goes with it. Throws `FailedRequest` where something else than Discord's API has answered.
 */
function transport(requestTimeoutSecs: number, invalid: InvalidRequests): RESTOptions['makeRequest'] {
  return async (url, { method = 'GET', headers: given, body: content, signal }) => {
    // The library has written everything but a form as JSON.
    const body = typeof content === 'string' || content instanceof FormData ? content : null;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeFor(sizeOf(body), requestTimeoutSecs));
    try {
      const headers = headersShape.parse(given);
      const response = await fetch(url, {
        ...{ method, headers, body },
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      });
      invalid.count(response, 'Authorization' in headers);
      return await wholeAnswer(response);
    } catch (error) {
      if (late.signal.aborted) throw lost('no answer in time');
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
}

function sizeOf(body: string | FormData | null): number {
  if (!(body instanceof FormData)) return body?.length ?? 0;
  return [...body].reduce((size, [, part]) => size + (typeof part === 'string' ? part.length : part.size), 0);
}

const refusalShape = z.object({ code: z.number() });

/** The answer as the library can bear it. It knows what to do with a limit and a fault of the server, whatever their body. */
async function wholeAnswer(response: Response): Promise<Response> {
  const { status, statusText, headers: given } = response;
  const bytes = await readBody(response, largestAnswer);
  if (bytes === 'too-large') throw lost('the answer is longer than any of Discord');
  const text = new TextDecoder().decode(bytes);
  const answer = parseJson(text);
  const code = refusalShape.safeParse(answer).data?.code;
  // Too many changes of an old message: that limit is not worth waiting for, since people wait for the news.
  if (status === 429 && code === Reason.MaximumNumberOfEditsToMessagesOlderThanOneHourReached)
    throw new FailedRequest({ type: 'refused', status, code, words: '' });
  if (status === 429 || status >= 500) return new Response(null, { status, statusText, headers: given });

  if (status >= 300 && status < 400)
    throw foreign('the server sends us on to another address, which is not followed. Check api_url');
  const isOk = status < 300;
  const isEmpty = isOk && text === '';
  if (isOk && answer === undefined && /^\s*[[{]/.test(text)) throw lost('the answer was cut off');
  // "404: Not Found" has the code 0: there is no such place at this server.
  if (!isEmpty && (answer === undefined || (!isOk && !code && status !== 401)))
    throw foreign(
      `what answers, with ${status}, is not Discord's API: a proxy's page, or another server. Check api_url`,
    );

  // It was seen to be JSON, whatever its type says, and is not encoded any more; an empty one makes the library stumble.
  const headers = new Headers(given);
  if (isEmpty) headers.delete('content-type');
  else headers.set('content-type', 'application/json');
  headers.delete('content-encoding');
  headers.delete('content-length');
  return new Response(isEmpty ? null : text, { status, statusText, headers });
}

/** It says that it was done, but does not hold what Discord promises, or does not arrive. */
const lost = (words: string) => new FailedRequest({ type: 'lost', words });

const foreign = (words: string) => new FailedRequest({ type: 'foreign', words });

/** Discord shuts out an address after 10 000 in this time; other bots may share ours. */
const window = 10 * 60_000;
const mostInWindow = 5_000;
const firstPause = 1_000;
const longestPause = 5 * 60_000;

/**
 * Stops asking before Discord shuts us out. A token that was refused is tried again ever more seldom, and nothing is asked
 * for a while once too much was refused.
 */
export function createInvalidRequests(clock: Clock) {
  let windowEndsAt = 0;
  let counted = 0;
  let tokenRefusals = 0;
  let askAgainAt = 0;
  return {
    /** Throws `ChannelError` where it is better not to ask. */
    check(hasToken: boolean): void {
      const now = clock.now();
      if (now < windowEndsAt && counted >= mostInWindow)
        throw new ChannelError(
          { type: 'rate-limited', retryAfter: windowEndsAt - now },
          'Discord has refused too many requests, so that it is asked no more for some minutes. The log says what it refused',
        );
      if (hasToken && now < askAgainAt)
        throw new ChannelError(
          { type: 'auth' },
          'Discord has not accepted the token just now. Check channels.discord.token',
        );
    },

    /** Counts an answer. A limit that is shared with others is not our fault. */
    count({ status, headers }: Pick<Response, 'status' | 'headers'>, hasToken: boolean): void {
      const now = clock.now();
      if (hasToken) {
        const pause = Math.min(longestPause, firstPause * 2 ** Math.min(tokenRefusals, 16));
        tokenRefusals = status === 401 ? tokenRefusals + 1 : 0;
        askAgainAt = status === 401 ? now + pause : 0;
      }
      const isOurs = status === 429 && headers.get('x-ratelimit-scope') !== 'shared';
      if (status !== 401 && status !== 403 && !isOurs) return;
      if (now >= windowEndsAt) {
        windowEndsAt = now + window;
        counted = 0;
      }
      counted += 1;
    },
  };
}

type InvalidRequests = ReturnType<typeof createInvalidRequests>;

/** A form with files that are read from disk while it is sent. Throws `UnreadableFile` if one is not there. */
async function formOf(files: readonly OutboundFile[], body: unknown): Promise<FormData> {
  const form = new FormData();
  form.append('payload_json', JSON.stringify(body ?? {}));
  for (const [index, { path, mediaType, name }] of files.entries())
    form.append(`files[${index}]`, await openFile(path, mediaType), name.toWellFormed());
  return form;
}
