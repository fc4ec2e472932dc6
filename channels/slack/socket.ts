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

export type Socket = ReturnType<typeof openSocket>;

/** One connection of Socket Mode, which is never opened again: a new connection is a new socket. Begins to connect. */
export function openSocket(
  { app_token: token, api_url: apiUrl, request_timeout_secs: requestTimeoutSecs }: SocketSettings,
  events: SocketEvents,
  { clock, log }: Pick<ChannelHost, 'clock' | 'log'>,
) {
  const ended = Promise.withResolvers<SocketEnd>();
  const over = new AbortController();
  let webSocket: WebSocket | undefined;
  let state: 'opening' | 'ready' | 'leaving' | 'gone' = 'opening';
  let openedAt: number | undefined;
  let heardAt = clock.now();

  const isOpen = (): boolean => state === 'ready' || state === 'leaving';

  /** Throws `ChannelError` where Slack gives no address to connect to. */
  async function connect(): Promise<void> {
    const api = new SlackApi({ token, apiUrl, requestTimeoutSecs });
    const answer = await api.call(opening, {}, { repeatable: true, signal: over.signal });
    const { data } = addressShape.safeParse(answer);
    if (data === undefined) throw lostAnswer(opening, 'the answer names no address', true);
    if (over.signal.aborted) return;
    webSocket = new WebSocket(data.url, { perMessageDeflate: false })
      .on('message', (text, isBinary) => read(isBinary ? '' : String(text)))
      .on('ping', hear)
      .on('error', (error) => log.debug({ err: error }, 'a socket to Slack has failed'))
      .on('close', () => finish({ type: 'closed' }));
  }

  function read(text: string): void {
    if (state === 'gone') return;
    hear();
    const parsed = parseJson(text);
    const { data: frame } = frameShape.safeParse(parsed);
    switch (frame?.type) {
      case 'hello':
        openedAt = clock.now();
        state = 'ready';
        events.opened(frame.connection_info?.app_id);
        return;
      case 'disconnect':
        leave(frame.reason);
        return;
      case 'events_api':
      case 'interactive':
      case 'slash_commands':
        void take(frame.payload, frame.envelope_id);
        return;
      case undefined:
        log.warn({}, 'a frame came from Slack that cannot be read');
        // It would be sent again if nobody acknowledged it.
        acknowledge(envelopeShape.safeParse(parsed).data?.envelope_id);
    }
  }

  function leave(reason: string): void {
    if (reason !== 'warning') state = 'leaving';
    ended.resolve({ type: 'farewell', reason });
    if (reason !== 'warning') events.left();
  }

  async function take(body: unknown, envelopeId: string): Promise<void> {
    try {
      await events.take(body);
    } catch {
      // `take` has logged it, and Slack delivers it again.
      return;
    }
    acknowledge(envelopeId);
  }

  function acknowledge(envelopeId: string | undefined): void {
    if (envelopeId === undefined) return;
    webSocket?.send(JSON.stringify({ envelope_id: envelopeId, payload: {} }), (error) => {
      if (error) log.debug({ err: error }, 'an event of Slack could not be acknowledged');
    });
  }

  function hear(): void {
    heardAt = clock.now();
    if (isOpen()) events.heard();
  }

  function finish(end: SocketEnd): void {
    if (state === 'gone') return;
    state = 'gone';
    ended.resolve(end);
    events.left();
  }

  connect().catch((error: unknown) => finish({ type: 'refused', error }));
  return {
    ended: ended.promise,
    /** Whether Slack may send something new through it. */
    isReady: (): boolean => state === 'ready',
    /** Whether it brings and takes something. */
    isOpen,
    isGone: (): boolean => state === 'gone',
    /** Since when it is, or was, open. Undefined before that. */
    openedAt: (): number | undefined => openedAt,
    /** When the last sign of life came from the other side, or when it began to connect. */
    heardAt: (): number => heardAt,
    /** Ends it at once, whatever it is doing. */
    close(): void {
      finish({ type: 'closed' });
      over.abort();
      webSocket?.close();
      clock.after(closePatience, () => webSocket?.terminate());
    },
  };
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
