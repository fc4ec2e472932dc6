import { LogLevel, WebClient } from '@slack/web-api';
import { ChannelError } from '../../../src/contract.ts';
import { isJsonObject } from '../../../src/lib/json.ts';
import { readFailure, toChannelError, UnexpectedAnswer } from './failure.ts';

/** Where the Web API is, and who asks it. */
export interface SlackServer {
  readonly token: string;
  /** Ends with a slash. */
  readonly apiUrl: string;
  readonly requestTimeoutSecs: number;
  /** Told each time when Slack does not accept the token. Returns at once. */
  readonly onShutOut?: () => void;
}

/** What Slack has answered. It says "ok"; nothing else in it is sure. */
export type SlackAnswer = Readonly<Record<string, unknown>>;

export interface CallOptions {
  /** Done twice it changes nothing: a lost answer is transient, and not ambiguous. */
  readonly repeatable?: boolean;
  readonly signal?: AbortSignal;
}

/** The Web API for one token. Nothing is tried twice here, and no call waits for another one. */
export class SlackApi {
  readonly #server: SlackServer;
  readonly #client: WebClient;

  constructor(server: SlackServer) {
    this.#server = server;
    this.#client = clientFor(server);
  }

  /** Throws `ChannelError`; `refusalCode` tells what Slack has refused it with. */
  async call(
    method: string,
    args: Readonly<Record<string, unknown>>,
    { repeatable = false, signal }: CallOptions = {},
  ): Promise<SlackAnswer> {
    if (signal?.aborted) throw new ChannelError({ type: 'transient' }, `Slack, ${method}: it was called off`);
    // The client takes no signal for a call. One that has it in its requests costs less than a millisecond.
    const client = signal === undefined ? this.#client : clientFor(this.#server, signal);
    try {
      return answerIn(await client.apiCall(method, { ...args }));
    } catch (error) {
      const failure = toChannelError(method, readFailure(error), repeatable);
      if (failure.fault.type === 'auth') this.#server.onShutOut?.();
      throw failure;
    }
  }
}

/** Every client has an options object of its own: the library writes the token into what it is given. */
function clientFor({ token, apiUrl, requestTimeoutSecs }: SlackServer, signal?: AbortSignal): WebClient {
  return new WebClient(token, {
    slackApiUrl: apiUrl,
    timeout: requestTimeoutSecs * 1000,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    maxRequestConcurrency: 1000,
    logger: silent(),
    ...(signal !== undefined && { fetch: fetchWith(signal) }),
  });
}

function fetchWith(signal: AbortSignal): typeof fetch {
  return (input, init = {}) =>
    fetch(input, { ...init, signal: init.signal ? AbortSignal.any([init.signal, signal]) : signal });
}

/** The library would write to the console, and write down what was sent. */
function silent(): NonNullable<ConstructorParameters<typeof WebClient>[1]>['logger'] & object {
  return {
    debug() {},
    info() {},
    warn() {},
    error() {},
    setLevel() {},
    setName() {},
    getLevel: () => LogLevel.ERROR,
  };
}

function answerIn(answer: unknown): SlackAnswer {
  if (isJsonObject(answer) && answer.ok === true) return answer;
  throw new UnexpectedAnswer('the answer is not one of the Web API');
}
