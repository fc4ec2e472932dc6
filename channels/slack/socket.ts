import { WebSocket } from 'ws';
import { z } from 'zod';
import type { ChannelHost } from '../../src/contract.ts';
import { parseJson } from '../../src/lib/json.ts';
import { lostAnswer, SlackApi } from './api.ts';
import type { SlackSettings } from './settings.ts';

/** What is the first to happen to a socket after it was opened, or instead of that. */
export type SocketEnd =
  /** It could not be opened, for what Slack's API refused. */
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

/** How long the farewell may take, in milliseconds. */
const closePatience = 500;

/** One connection of Socket Mode, which is never opened again: a new connection is a new socket. */
export class Socket {
  readonly #host: Pick<ChannelHost, 'clock' | 'log'>;
  readonly #events: SocketEvents;
  readonly #ended = Promise.withResolvers<SocketEnd>();
  readonly #over = new AbortController();
  #socket: WebSocket | undefined;
  #state: 'opening' | 'ready' | 'leaving' | 'gone' = 'opening';
  #openedAt: number | undefined;
  #heardAt: number;

  /** Begins to connect. */
  constructor(settings: SocketSettings, events: SocketEvents, host: Pick<ChannelHost, 'clock' | 'log'>) {
    this.#host = host;
    this.#events = events;
    this.#heardAt = host.clock.now();
    this.#connect(settings).catch((error: unknown) => this.#finish({ type: 'refused', error }));
  }

  get ended(): Promise<SocketEnd> {
    return this.#ended.promise;
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
    this.#finish({ type: 'closed' });
    this.#over.abort();
    this.#socket?.close();
    this.#host.clock.after(closePatience, () => this.#socket?.terminate());
  }

  /** Throws `ChannelError` where Slack gives no address to connect to. */
  async #connect({ app_token: token, api_url: apiUrl, request_timeout_secs: requestTimeoutSecs }: SocketSettings) {
    const api = new SlackApi({ token, apiUrl, requestTimeoutSecs });
    const answer = await api.call(opening, {}, { repeatable: true, signal: this.#over.signal });
    const { data } = addressShape.safeParse(answer);
    if (data === undefined) throw lostAnswer(opening, 'the answer names no address', true);
    if (this.isGone) return;
    this.#socket = new WebSocket(data.url, { perMessageDeflate: false })
      .on('message', (text, isBinary) => this.#read(isBinary ? '' : String(text)))
      .on('ping', () => this.#hear())
      .on('error', (error) => this.#host.log.debug({ err: error }, 'a socket to Slack has failed'))
      .on('close', () => this.#finish({ type: 'closed' }));
  }

  #read(text: string): void {
    if (this.isGone) return;
    this.#hear();
    const parsed = parseJson(text);
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
    this.#ended.resolve({ type: 'farewell', reason });
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
    if (envelopeId === undefined) return;
    this.#socket?.send(JSON.stringify({ envelope_id: envelopeId, payload: {} }), (error) => {
      if (error) this.#host.log.debug({ err: error }, 'an event of Slack could not be acknowledged');
    });
  }

  #hear(): void {
    this.#heardAt = this.#host.clock.now();
    if (this.isOpen) this.#events.heard();
  }

  #finish(end: SocketEnd): void {
    if (this.isGone) return;
    this.#state = 'gone';
    this.#ended.resolve(end);
    this.#events.left();
  }
}

const opening = 'apps.connections.open';
const addressShape = z.object({ url: z.url({ protocol: /^wss?$/ }) });
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
