import { REST, RequestMethod } from '@discordjs/rest';
import type { OutboundFile } from '../../../src/contract.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { toChannelError } from './failure.ts';
import { formOf } from './form.ts';
import { InvalidRequests } from './invalid-requests.ts';
import { readFailure } from './read-failure.ts';
import { longestTransfer, transport } from './transport.ts';

export interface DiscordApiOptions {
  readonly token: string;
  /** Without a slash at its end, and without the version: `https://discord.com/api`. */
  readonly apiUrl: string;
  readonly requestTimeoutSecs: number;
  /** Only the guard against too many invalid requests looks at it. */
  readonly clock: Clock;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type ApiRoute = `/${string}`;

export interface CallOptions {
  readonly body?: unknown;
  /** Read from disk while they are sent, as `files[0]` and so on. */
  readonly files?: readonly OutboundFile[];
  readonly query?: Readonly<Record<string, string>>;
  /** Whether the token goes with it; the routes of an interaction have one of their own in the path. True if left out. */
  readonly auth?: boolean;
  /** Done twice it changes nothing: a lost answer is transient, and not ambiguous. True for GET if left out. */
  readonly repeatable?: boolean;
  readonly signal?: AbortSignal;
}

const libraryMethods = {
  GET: RequestMethod.Get,
  POST: RequestMethod.Post,
  PUT: RequestMethod.Put,
  PATCH: RequestMethod.Patch,
  DELETE: RequestMethod.Delete,
} as const satisfies Record<Method, RequestMethod>;

/** What Discord allows a bot for all requests together, a second. What stands in its place has limits of its own. */
const mostPerSecond = 50;
/** More of them are looked through for those that are not needed any more: an interaction leaves one behind. */
const manyBuckets = 100;

/** Discord's REST API. Nothing is tried twice here, and no call waits for a limit to pass: it is told of instead. */
export class DiscordApi {
  readonly #token: string;
  readonly #rest: REST;
  readonly #invalid: InvalidRequests;

  constructor({ token, apiUrl, requestTimeoutSecs, clock }: DiscordApiOptions) {
    this.#token = token;
    this.#invalid = new InvalidRequests(clock);
    this.#rest = new REST({
      version: '10',
      api: apiUrl,
      retries: 0,
      // The library's own ends with the head of the answer; ours, in the transport, with its last byte.
      timeout: longestTransfer(requestTimeoutSecs),
      makeRequest: transport({ requestTimeoutSecs, answered: (answer) => this.#invalid.count(answer) }),
      globalRequestsPerSecond: isOfDiscord(apiUrl) ? mostPerSecond : Number.POSITIVE_INFINITY,
      // Waiting, it would keep texts in its queue that are outdated by then, and execute them all.
      rejectOnRateLimit: () => true,
      hashSweepInterval: 0,
      handlerSweepInterval: 0,
    });
  }

  /**
   * The answer as it was parsed: undefined where it is empty. Throws `ChannelError`; `refusalCode` tells what Discord has
   * refused it with.
   */
  async call(method: Method, route: ApiRoute, options: CallOptions = {}): Promise<unknown> {
    const { auth = true, repeatable = method === 'GET', files = [] } = options;
    const request = { method, route, auth, hasFiles: files.length > 0 };
    this.#invalid.check(auth);
    try {
      return await this.#request(method, route, options);
    } catch (error) {
      throw toChannelError(request, readFailure(error), repeatable);
    }
  }

  async #request(method: Method, route: ApiRoute, options: CallOptions): Promise<unknown> {
    const { body, files = [], query, auth = true, signal } = options;
    const content = files.length === 0 ? { body } : { body: await formOf(files, body), passThroughBody: true };
    if (this.#rest.handlers.size > manyBuckets) this.#rest.handlers.sweep(({ inactive }) => inactive);
    // The library forgets it with the first answer that says it was wrong.
    this.#rest.setToken(this.#token);
    const answer = await this.#rest.request({
      method: libraryMethods[method],
      fullRoute: route,
      auth,
      ...content,
      ...(query !== undefined && { query: new URLSearchParams(query) }),
      // The library listens to it and never stops: one that lives on must not collect these.
      ...(signal !== undefined && { signal: AbortSignal.any([signal]) }),
    });
    return answer instanceof ArrayBuffer ? undefined : answer;
  }
}

function isOfDiscord(apiUrl: string): boolean {
  return /^(.+\.)?discord(app)?\.com$/.test(URL.parse(apiUrl)?.hostname ?? '');
}
