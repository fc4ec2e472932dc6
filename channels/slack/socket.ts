import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { SocketModeReceiver } from '@slack/bolt';
import { z } from 'zod';
import type { ChannelHost } from '../../src/contract.ts';
import { parseJson } from '../../src/lib/json.ts';
import { fetchUntil, libraryLogger } from './api.ts';
import type { SlackSettings } from './settings.ts';

/** What is the first to happen to a socket after it was opened, or instead of that. */
export type SocketEnd =
  /** It could not be opened, for what Slack's client threw. */
  | { readonly type: 'refused'; readonly error: unknown }
  /** Slack is going to close it. Until then it still brings and takes something. */
  | { readonly type: 'farewell'; readonly reason: string }
  | { readonly type: 'closed' };

/** Told at once. */
export interface SocketEvents {
  /** Slack is ready to send: with the app that the token belongs to. */
  opened(appId: string | undefined): void;
  /** A sign of life after the greeting. */
  heard(): void;
  /** Slack sends nothing new through it any more. */
  left(): void;
  /** Stores what came. Slack is told that it came when this resolves. */
  take(body: unknown): Promise<void>;
}

export type SocketSettings = Pick<SlackSettings, 'app_token' | 'api_url' | 'request_timeout_secs'>;

/** How long Slack's client waits for the answers to its pings, and for those of Slack, in milliseconds. */
const pongPatience = 15_000;
const pingPatience = 60_000;

/**
 * One connection of Socket Mode, which is never opened again: a new connection is a new socket. Bolt's client opens and
 * closes it, and sends pings. The frames are read here: the client would acknowledge nothing later, close a socket at the
 * first farewell, and end the process by a payload that is null.
 */
export class Socket {
  readonly ended: Promise<SocketEnd>;
  readonly #host: Pick<ChannelHost, 'clock' | 'log'>;
  readonly #events: SocketEvents;
  readonly #client: SocketModeReceiver['client'];
  readonly #abandoned = new AbortController();
  readonly #end: (end: SocketEnd) => void;
  #state: 'opening' | 'ready' | 'leaving' | 'gone' = 'opening';
  #openedAt: number | undefined;
  #heardAt: number;
  #stopPings = (): void => {};

  /** Begins to connect. */
  constructor(settings: SocketSettings, events: SocketEvents, host: Pick<ChannelHost, 'clock' | 'log'>) {
    const { promise, resolve } = Promise.withResolvers<SocketEnd>();
    this.ended = promise;
    this.#end = resolve;
    this.#host = host;
    this.#events = events;
    this.#heardAt = host.clock.now();
    this.#client = clientFor(settings, this.#abandoned.signal, host);
    this.#client.removeAllListeners('ws_message');
    this.#client.on('ws_message', (data: unknown) => this.#read(data));
    this.#client.on('authenticated', (answer: unknown) => {
      // Thrown into the client, which would otherwise go on to connect.
      if (this.#abandoned.signal.aborted) throw new Error('This connection is not wanted any more.');
      this.#stopPings = watchPings(addressIn(answer), () => this.#hear());
    });
    this.#client.on('close', () => this.#finish({ type: 'closed' }));
    this.#client.start().catch((error: unknown) => this.#finish({ type: 'refused', error }));
  }

  /** Whether Slack may send something new through it. */
  get isReady(): boolean {
    return this.#state === 'ready';
  }

  /** Whether it brings and takes something. */
  get isOpen(): boolean {
    return this.isReady || this.#state === 'leaving';
  }

  get isGone(): boolean {
    return this.#state === 'gone';
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
    const log = (error: unknown): void => this.#host.log.debug({ err: error }, 'a socket was not closed in form');
    // The first call says goodbye, the second one does not wait for an answer.
    for (let calls = 0; calls < 2; calls += 1) this.#client.disconnect().catch(log);
    this.#finish({ type: 'closed' });
  }

  #read(data: unknown): void {
    if (this.#abandoned.signal.aborted) return;
    this.#hear();
    const parsed = typeof data === 'string' ? parseJson(data) : undefined;
    const { data: frame } = frameShape.safeParse(parsed);
    switch (frame?.type) {
      case 'hello':
        this.#openedAt = this.#host.clock.now();
        this.#state = 'ready';
        this.#events.opened(frame.connection_info?.app_id);
        return;
      case 'disconnect':
        this.#leave(frame.reason);
        return;
      case 'events_api':
      case 'interactive':
      case 'slash_commands':
        void this.#take(frame.payload, frame.envelope_id);
        return;
      case undefined:
        this.#host.log.warn({}, 'a frame came from Slack that cannot be read');
        // It would be sent again if nobody acknowledged it.
        this.#acknowledge(envelopeShape.safeParse(parsed).data?.envelope_id);
    }
  }

  #leave(reason: string): void {
    if (reason !== 'warning') this.#state = 'leaving';
    this.#end({ type: 'farewell', reason });
    if (reason !== 'warning') this.#events.left();
  }

  async #take(body: unknown, envelopeId: string): Promise<void> {
    try {
      await this.#events.take(body);
    } catch {
      // `take` has logged it, and Slack delivers it again.
      return;
    }
    this.#acknowledge(envelopeId);
  }

  #acknowledge(envelopeId: string | undefined): void {
    const answer = JSON.stringify({ envelope_id: envelopeId, payload: {} });
    if (envelopeId === undefined) return;
    this.#client.websocket?.send(answer, (error) => {
      if (error) this.#host.log.debug({ err: error }, 'an event of Slack could not be acknowledged');
    });
  }

  #hear(): void {
    this.#heardAt = this.#host.clock.now();
    if (this.isOpen && !this.#abandoned.signal.aborted) this.#events.heard();
  }

  #finish(end: SocketEnd): void {
    if (this.#state === 'gone') return;
    this.#state = 'gone';
    this.#stopPings();
    this.#end(end);
    this.#events.left();
  }
}

function clientFor(
  settings: SocketSettings,
  over: AbortSignal,
  { log }: Pick<ChannelHost, 'log'>,
): SocketModeReceiver['client'] {
  const receiver = new SocketModeReceiver({
    appToken: settings.app_token,
    autoReconnectEnabled: false,
    clientPingTimeout: pongPatience,
    serverPingTimeout: pingPatience,
    logger: libraryLogger(log),
    // An object of its own: the client writes into it. And no headers: they would replace the app token.
    installerOptions: {
      clientOptions: {
        slackApiUrl: settings.api_url,
        timeout: settings.request_timeout_secs * 1000,
        retryConfig: { retries: 0 },
        rejectRateLimitedCalls: true,
        fetch: fetchUntil(over),
      },
    },
  });
  return receiver.client;
}

function addressIn(answer: unknown): string {
  const isObject = typeof answer === 'object' && answer !== null;
  return isObject && 'url' in answer && typeof answer.url === 'string' ? answer.url : '';
}

/** Under these names, undici tells of every control frame that any of its sockets receives. */
const names = ['undici:websocket:ping', 'undici:websocket:pong'] as const;

/** Calls back at each ping and pong that the other side sends over the socket with this address, until it is called off. */
function watchPings(address: string, callback: () => void): () => void {
  const own = URL.parse(address)?.href;
  const look = (message: unknown): void => {
    const socket = typeof message === 'object' && message !== null && 'websocket' in message ? message.websocket : null;
    if (own !== undefined && addressIn(socket) === own) callback();
  };
  for (const name of names) subscribe(name, look);
  return () => {
    for (const name of names) unsubscribe(name, look);
  };
}

const envelopeShape = z.object({ envelope_id: z.string() });

/** What comes through a socket, as far as Slack documents it. */
const frameShape = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    connection_info: z.object({ app_id: z.string() }).optional().catch(undefined),
  }),
  z.object({ type: z.literal('disconnect'), reason: z.string().catch('') }),
  envelopeShape.extend({
    type: z.literal('events_api'),
    payload: z.looseObject({ event: z.looseObject({ type: z.string() }) }),
  }),
  envelopeShape.extend({
    type: z.enum(['interactive', 'slash_commands']),
    payload: z.record(z.string(), z.unknown()),
  }),
]);
