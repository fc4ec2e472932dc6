import { WebSocket } from 'ws';
import { z } from 'zod';
import type { ChannelHost } from '../../src/contract.ts';
import { parseJson } from '../../src/lib/json.ts';
import { lostAnswer, SlackApi } from './api.ts';
import type { SlackSettings } from './settings.ts';

/** Why a socket must be replaced: the first of these to happen. */
export type SocketEnd =
  /** Slack's API refused to open it. */
  | { readonly type: 'refused'; readonly error: unknown }
  /** Slack is going to close it. Until then it still sends and receives. */
  | { readonly type: 'farewell'; readonly reason: string }
  | { readonly type: 'closed' };

/** Callbacks, called synchronously. */
export interface SocketEvents {
  /** Slack is ready to send. `appId`: the app of the token. */
  opened(appId: string | undefined): void;
  /** A sign of life after Hello. */
  heard(): void;
  /** Slack sends no new events through it. */
  left(): void;
  /** Stores an event. It is acknowledged when this resolves. */
  take(body: unknown): Promise<void>;
}

export type SocketSettings = Pick<SlackSettings, 'app_token' | 'api_url' | 'request_timeout_secs'>;

/** Time limit for the closing handshake, in ms. */
const closePatience = 500;

export type Socket = ReturnType<typeof openSocket>;

/** One Socket Mode connection. Starts connecting at once; never reconnects. */
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

  /** Throws `ChannelError` if Slack gives no URL. */
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
        // Slack resends unacknowledged frames.
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
      // `take` has logged it, and Slack redelivers it.
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
    /** Whether Slack may send new events through it. */
    isReady: (): boolean => state === 'ready',
    /** Whether it still sends and receives. */
    isOpen,
    isGone: (): boolean => state === 'gone',
    /** When it was opened; undefined before. */
    openedAt: (): number | undefined => openedAt,
    /** When Slack was last heard, or connecting began. */
    heardAt: (): number => heardAt,
    /** Closes it at once, in any state. */
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

/** Frames, as Slack documents them. */
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
