import { REST, type RESTOptions, RESTJSONErrorCodes as Reason, RequestMethod } from 'discord.js';
import { z } from 'zod';
import { ChannelError, directNetwork, type Network, type OutboundFile } from '../../src/contract.ts';
import { backOff, type Clock, withOwnSignal, withTimeout } from '../../src/lib/clock.ts';
import { readBody } from '../../src/lib/http.ts';
import { parseJson } from '../../src/lib/json.ts';
import { openFile, uploadTime } from '../kit/file-transfer.ts';
import { answerCutOff, FailedRequest, foreign, lost, requestSentOn } from '../kit/request-failure.ts';
import { toChannelError } from './failure.ts';
import type { DiscordSettings } from './settings.ts';
import { discordWords } from './words.ts';

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
  /** Streamed from disk as `files[0]` and so on. */
  readonly files?: readonly OutboundFile[];
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Whether to send the bot token; interaction routes carry their own token in the path. Default: true. */
  readonly auth?: boolean;
  /** The request is idempotent: a lost answer is transient, not ambiguous. Default: true for GET. */
  readonly repeatable?: boolean;
  /** Sends a reply or a file: cards and Keyturn's own messages do not queue behind it. */
  readonly isContent?: boolean;
  readonly signal?: AbortSignal;
}

/** Half of Discord's global limit of 50 requests per second; one instance per track. Not applied to other servers. */
const mostPerSecond = 25;
/** More than Discord accepts in one request, in bytes. */
const largestRequest = 25 * 2 ** 20;
/** Longer than any real answer: the longest is a page of a hundred messages. In bytes. */
const largestAnswer = 8 * 2 ** 20;

/** Discord's REST API. Never retries, and never waits for a rate limit: it throws instead. */
export class DiscordApi {
  readonly #token: string;
  /** The library sends the requests of one route one after the other, so each track has its own instance. */
  readonly #rests: { readonly control: REST; readonly content: REST };
  readonly #restraint: Restraint;
  /** Set once known. Errors about missing permissions then include the invite link. */
  applicationId: string | undefined;

  constructor(
    settings: Pick<DiscordSettings, 'token' | 'api_url' | 'request_timeout_secs'>,
    clock: Clock,
    network: Network = directNetwork,
  ) {
    const { token, api_url: apiUrl, request_timeout_secs: requestTimeoutSecs } = settings;
    this.#token = token;
    this.#restraint = new Restraint(clock);
    const isDiscords = /^(.+\.)?discord(app)?\.com$/.test(URL.parse(apiUrl)?.hostname ?? '');
    const options: Partial<RESTOptions> = {
      version: '10',
      api: apiUrl,
      retries: 0,
      // The library's timeout ends with the headers; ours, in the transport, covers the whole body.
      timeout: timeFor(largestRequest, requestTimeoutSecs) + 1000,
      makeRequest: transport(clock, requestTimeoutSecs, network),
      invalidRequestWarningInterval: mostInvalid,
      globalRequestsPerSecond: isDiscords ? mostPerSecond : Number.POSITIVE_INFINITY,
      // Waiting in the library's queue would deliver outdated texts, all of them.
      rejectOnRateLimit: () => true,
    };
    const open = (): REST =>
      new REST(options).on('invalidRequestWarning', ({ remainingTime }) => this.#restraint.pause(remainingTime));
    this.#rests = { control: open(), content: open() };
  }

  /** Returns the parsed answer; nothing to read if it is empty. Throws `ChannelError`; `refusalCode` reads its code. */
  async call(method: Method, route: ApiRoute, options: CallOptions = {}): Promise<unknown> {
    const { body, files = [], query, auth = true, repeatable = method === 'GET', isContent = false, signal } = options;
    const rest = this.#rests[isContent ? 'content' : 'control'];
    this.#restraint.check(auth);
    // The library drops the token after the first 401.
    rest.setToken(this.#token);
    try {
      const content = files.length === 0 ? { body } : { body: await formOf(files, body), passThroughBody: true };
      const request = { method: methods[method], fullRoute: route, auth, ...content };
      const answer: unknown = await withOwnSignal(signal, (own) =>
        rest.request({ ...request, query: query && new URLSearchParams(query), signal: own.signal }),
      );
      if (auth) this.#restraint.accepted();
      return answer;
    } catch (error) {
      const { applicationId } = this;
      const request = { method, route, auth, applicationId };
      const failure = toChannelError(request, error, repeatable);
      if (failure.fault.type === 'auth') this.#restraint.refused();
      throw failure;
    }
  }
}

function timeFor(bytes: number, requestTimeoutSecs: number): number {
  return requestTimeoutSecs * 1000 + uploadTime(bytes);
}

const headersShape = z.record(z.string(), z.string());

/**
 * How the library sends a request: with a deadline for the whole answer, and without following redirects, which would
 * leak the token. Throws `FailedRequest` if the answer is incomplete or not from Discord's API.
 */
function transport(clock: Clock, requestTimeoutSecs: number, network: Network): RESTOptions['makeRequest'] {
  return async (url, { method = 'GET', headers: given, body: content, signal }) => {
    // The library has serialised everything but a form to JSON.
    const body = typeof content === 'string' || content instanceof FormData ? content : null;
    const milliseconds = timeFor(sizeOf(body), requestTimeoutSecs);
    const headers = headersShape.parse(given);
    return withTimeout({ clock, milliseconds, signal: signal ?? undefined }, async (own) =>
      wholeAnswer(await network.fetch(url, { method, headers, body, redirect: 'manual', signal: own })),
    );
  };
}

function sizeOf(body: string | FormData | null): number {
  if (!(body instanceof FormData)) return body?.length ?? 0;
  return [...body].reduce((size, [, part]) => size + (typeof part === 'string' ? part.length : part.size), 0);
}

const refusalShape = z.object({ code: z.number() });

/** The answer in a form that the library can handle. It handles 429 and 5xx itself, whatever the body. */
async function wholeAnswer(response: Response): Promise<Response> {
  const { statusText, headers: given } = response;
  const bytes = await readBody(response, largestAnswer);
  if (bytes === 'too-large') throw new FailedRequest(lost((language) => discordWords[language].answerTooLong));
  const text = new TextDecoder().decode(bytes);
  const answer = parseJson(text);
  const code = refusalShape.safeParse(answer).data?.code;
  // Too many edits of an old message: not worth waiting for, since people wait for the text.
  const isFinal = code === Reason.MaximumNumberOfEditsToMessagesOlderThanOneHourReached;
  const status = isFinal ? 400 : response.status;
  if (status === 429 || status >= 500) return new Response(null, { status, statusText, headers: given });

  if (status >= 300 && status < 400) throw new FailedRequest(foreign(requestSentOn));
  const isOk = status < 300;
  const isEmpty = isOk && text === '';
  if (isOk && answer === undefined && /^\s*[[{]/.test(text)) throw new FailedRequest(lost(answerCutOff));
  // "404: Not Found" has the code 0: the route does not exist on this server.
  if (!isEmpty && (answer === undefined || (!isOk && !code && status !== 401)))
    throw new FailedRequest(foreign((language) => discordWords[language].notDiscordsApi({ status })));

  // The body is known to be JSON, whatever the headers say; an empty body makes the library fail.
  const headers = new Headers(given);
  headers.set('content-type', isEmpty ? 'text/plain' : 'application/json');
  return new Response(isEmpty ? null : text, { status, statusText, headers });
}

/** Discord blocks an IP address after 10,000 invalid requests in ten minutes; other bots may share ours. */
const mostInvalid = 5_000;
const pauses = { longestPause: 5 * 60_000, chance: () => 1 };

/** Stops requests before Discord blocks us: with growing pauses after a refused token, and after too many refusals. */
class Restraint {
  readonly #clock: Clock;
  #pausedUntil = 0;
  #tokenRefusals = 0;
  #askAgainAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws `ChannelError` if no request should be sent now. */
  check(hasToken: boolean): void {
    const now = this.#clock.now();
    if (now < this.#pausedUntil)
      throw new ChannelError(
        { type: 'rate-limited', retryAfter: this.#pausedUntil - now },
        (language) => discordWords[language].tooManyRefusals,
      );
    if (hasToken && now < this.#askAgainAt)
      throw new ChannelError({ type: 'auth' }, (language) => discordWords[language].tokenJustRefused);
  }

  pause(milliseconds: number): void {
    this.#pausedUntil = this.#clock.now() + milliseconds;
  }

  accepted(): void {
    this.#tokenRefusals = 0;
  }

  refused(): void {
    this.#tokenRefusals += 1;
    this.#askAgainAt = this.#clock.now() + backOff(this.#tokenRefusals, pauses);
  }
}

/** A form that streams its files from disk. Throws `FailedRequest` if one is missing. */
async function formOf(files: readonly OutboundFile[], body: unknown): Promise<FormData> {
  const form = new FormData();
  form.append('payload_json', JSON.stringify(body ?? {}));
  for (const [index, { path, mediaType, name }] of files.entries())
    form.append(`files[${index}]`, await openFile(path, mediaType), name.toWellFormed());
  return form;
}
