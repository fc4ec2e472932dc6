import { type App, SocketModeReceiver } from '@slack/bolt';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Log } from '../../../src/lib/log.ts';
import { boltLogger } from './bolt-logger.ts';
import { readFrame } from './frame.ts';
import { watchPings } from './pings.ts';

export interface SocketDependencies {
  readonly app: App;
  readonly appToken: string;
  readonly apiUrl: string;
  readonly requestTimeoutSecs: number;
  /** Told of every sign of life after the greeting. */
  readonly onHeard: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is the first to happen to a socket after it was opened, or instead of that. */
export type SocketEnd =
  /** It could not be opened, for what Slack's client threw. */
  | { readonly type: 'refused'; readonly error: unknown }
  /** Slack is going to close it. Until then it still brings and takes something. */
  | { readonly type: 'farewell'; readonly reason: string }
  | { readonly type: 'closed' };

/** How long Slack's client waits for the answers to its pings, and for those of Slack, in milliseconds. */
const pongPatience = 15_000;
const pingPatience = 60_000;

/**
 * One connection of Socket Mode, on a receiver of Bolt's that never connects again by itself: a new connection is a new
 * socket. Whatever Slack's client makes of what comes, it ends here.
 */
export class Socket {
  readonly #dependencies: SocketDependencies;
  readonly #receiver: SocketModeReceiver;
  readonly #abandoned = new AbortController();
  readonly #opened = Promise.withResolvers<{ readonly appId?: string }>();
  readonly #ended = Promise.withResolvers<SocketEnd>();
  readonly #closing = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<void>();
  #heardAt: number;
  #openedAt: number | undefined;
  #isGone = false;
  #isLeaving = false;
  #stopPings = (): void => {};

  /** Begins to connect. */
  constructor(dependencies: SocketDependencies) {
    this.#dependencies = dependencies;
    this.#heardAt = dependencies.clock.now();
    this.#receiver = this.#makeReceiver();
    this.#guard();
    this.#receiver.start().then(
      () => this.#closeIfAbandoned(),
      (error: unknown) => this.#finish({ type: 'refused', error }),
    );
  }

  /** Resolves when Slack is ready to send through it: with the app that the token belongs to. May never do so. */
  get opened(): Promise<{ readonly appId?: string }> {
    return this.#opened.promise;
  }

  get ended(): Promise<SocketEnd> {
    return this.#ended.promise;
  }

  /** Resolves when Slack sends nothing new through it any more. */
  get closing(): Promise<void> {
    return this.#closing.promise;
  }

  /** Resolves when nothing is left of it. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Whether Slack may send something new through it. */
  get isReady(): boolean {
    return this.isOpen && !this.#isLeaving;
  }

  /** Whether it brings and takes something. */
  get isOpen(): boolean {
    return this.#openedAt !== undefined && !this.#isGone;
  }

  /** Since when it is, or was, open. Undefined before that. */
  get openedAt(): number | undefined {
    return this.#openedAt;
  }

  /** When the last sign of life came from the other side, or when it began to connect. */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** Ends it at once, whatever it is doing. */
  close(): void {
    if (this.#abandoned.signal.aborted) return;
    this.#abandoned.abort();
    this.#disconnect();
    this.#finish({ type: 'closed' });
  }

  #makeReceiver(): SocketModeReceiver {
    const { app, appToken, apiUrl, requestTimeoutSecs, log } = this.#dependencies;
    const receiver = new SocketModeReceiver({
      appToken,
      autoReconnectEnabled: false,
      clientPingTimeout: pongPatience,
      serverPingTimeout: pingPatience,
      logger: boltLogger(log),
      // An object of its own: the client writes into it. And no headers: they would replace the app token.
      installerOptions: {
        clientOptions: {
          slackApiUrl: apiUrl,
          timeout: requestTimeoutSecs * 1000,
          retryConfig: { retries: 0 },
          rejectRateLimitedCalls: true,
          fetch: fetchUntil(this.#abandoned.signal),
        },
      },
      processEventErrorHandler: async () => false,
    });
    receiver.init(app);
    return receiver;
  }

  /**
   * The one place where what Slack's client cannot bear is kept from it. It takes every frame in a function that nobody
   * waits for: a payload that is null, or that names one of its own events, would end as an unhandled rejection or worse.
   */
  #guard(): void {
    const { log } = this.#dependencies;
    const { client } = this.#receiver;
    const handlers = client.listeners('ws_message');
    client.removeAllListeners('ws_message');
    client.on('ws_message', (data: unknown) => {
      this.#hear();
      const forClient = this.#look(data);
      if (forClient === undefined) return;
      for (const handle of handlers)
        Promise.resolve(handle(forClient, false)).catch((error: unknown) =>
          log.warn({ err: error }, "Slack's client could not take a frame"),
        );
    });
    client.on('authenticated', (answer: unknown) => {
      // Thrown into the client, which would otherwise go on to connect.
      if (this.#abandoned.signal.aborted) throw new Error('This connection is not wanted any more.');
      this.#stopPings = watchPings(addressIn(answer), () => this.#hear());
    });
    client.on('close', () => this.#finish({ type: 'closed' }));
  }

  /** Gives what the client is to take of a frame, if anything. */
  #look(data: unknown): unknown {
    if (this.#abandoned.signal.aborted) return undefined;
    const frame = readFrame(data);
    switch (frame.type) {
      case 'hello':
        this.#openedAt = this.#dependencies.clock.now();
        this.#opened.resolve(frame.appId === undefined ? {} : { appId: frame.appId });
        return data;
      case 'farewell':
        // The client would close it at once, and what is still on its way would be lost.
        this.#isLeaving ||= frame.reason !== 'warning';
        this.#ended.resolve({ type: 'farewell', reason: frame.reason });
        if (this.#isLeaving) this.#closing.resolve();
        return undefined;
      case 'envelope':
        return this.#receiver.client.eventNames().includes(frame.name) ? this.#emptied(frame.envelopeId) : data;
      case 'rubbish':
        return this.#emptied(frame.envelopeId);
    }
  }

  /** What cannot be read would be sent again if nobody acknowledged it: the client gets an envelope with nothing in it. */
  #emptied(envelopeId: string | undefined): string | undefined {
    this.#dependencies.log.warn({}, 'a frame came from Slack that cannot be read');
    return envelopeId && JSON.stringify({ type: 'unreadable', envelope_id: envelopeId, payload: {} });
  }

  #hear(): void {
    const { clock, onHeard } = this.#dependencies;
    this.#heardAt = clock.now();
    if (this.isOpen && !this.#abandoned.signal.aborted) onHeard();
  }

  #closeIfAbandoned(): void {
    if (this.#abandoned.signal.aborted) this.#disconnect();
  }

  /** The first call says goodbye, the second one does not wait for an answer. */
  #disconnect(): void {
    const { client } = this.#receiver;
    const log = (error: unknown): void =>
      this.#dependencies.log.debug({ err: error }, 'a socket was not closed in form');
    client.disconnect().catch(log);
    client.disconnect().catch(log);
  }

  #finish(end: SocketEnd): void {
    this.#isGone = true;
    this.#stopPings();
    this.#ended.resolve(end);
    this.#closing.resolve();
    this.#gone.resolve();
  }
}

function fetchUntil(over: AbortSignal): typeof fetch {
  return (input, init) => fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, over]) : over });
}

function addressIn(answer: unknown): string {
  const isObject = typeof answer === 'object' && answer !== null;
  return isObject && 'url' in answer && typeof answer.url === 'string' ? answer.url : '';
}
