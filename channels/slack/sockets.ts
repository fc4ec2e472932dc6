import { WebSocket } from 'ws';
import { z } from 'zod';
import type { ChannelHost, Network } from '../../src/contract.ts';
import { backOff, sleep } from '../../src/lib/clock.ts';
import { parseJson } from '../../src/lib/json.ts';
import { connectionFault } from '../../src/lib/network/connection-fault.ts';
import { type InLanguage, type Words, wordsIn } from '../../src/lib/words.ts';
import type { Reception } from '../kit/reception.ts';
import { lostAnswer, SlackApi } from './api.ts';
import type { SlackSettings } from './settings.ts';
import { type ConnectFailure, readConnectFailure } from './tokens.ts';
import { slackWords } from './words.ts';

/** Delay of each further socket, in ms, so that they are not renewed together. */
const stagger = 20_000;
/** A socket this long silent is replaced; Slack pings at least every 30 s. In ms. */
const silence = 45_000;
/** How often the sockets are checked, in ms. */
const beat = 10_000;
/** A socket that ends within this time counts as a failure, in ms. */
const shortLife = 10_000;
/** Early farewells tolerated before backing off. */
const toleratedFarewells = 3;
/** Pause after the first failure, in ms. */
const firstPause = 250;
/** How long a socket that Slack is closing overlaps its successor, in ms. */
const grace = 3_000;
const crowdPause = 60_000;
/** Time limit for the closing handshake, in ms. */
const closePatience = 500;

interface SocketsOwner {
  readonly settings: Pick<SlackSettings, 'app_token' | 'api_url' | 'request_timeout_secs' | 'sockets'>;
  readonly network: Network;
  readonly host: ChannelHost;
  readonly reception: Reception;
  /** Stores an event. It is acknowledged when this resolves. */
  take(body: unknown): Promise<void>;
  /** Only the operator can fix it. Aborts the signal. */
  die(reason: Words): void;
}

/**
 * Keeps sockets open until the signal aborts, each in its slot: a socket that ends is replaced, for ever. When Slack
 * renews one, it is kept until its successor is open, so there is no gap. `ourAppId`: the app of the bot tokens, if
 * known. Never rejects.
 */
export async function holdSockets(
  owner: SocketsOwner,
  ourAppId: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const slots: Slots = { ...owner, ourAppId, signal, all: new Set(), lastReason: undefined };
  signal.addEventListener('abort', () => closeAll(slots), { once: true });
  const keeping = Array.from({ length: owner.settings.sockets }, (_, index) => keep(index, slots));
  await Promise.all([watch(slots), ...keeping]);
}

function closeAll({ all }: Slots): void {
  for (const socket of all) socket.close();
}

/** All sockets, open or not. */
interface Slots extends SocketsOwner {
  readonly ourAppId: string | undefined;
  readonly signal: AbortSignal;
  readonly all: Set<Socket>;
  /** Why the last socket ended or failed, since one was opened. */
  lastReason: Words | undefined;
}

function readyCount({ all }: Slots): number {
  return [...all].filter(({ state }) => state === 'ready').length;
}

function openOnes({ all }: Slots): readonly Socket[] {
  return [...all].filter(({ state }) => isOpen(state));
}

/** Replaces silent sockets, and reports the health regularly. */
async function watch(slots: Slots): Promise<void> {
  const { host, signal, reception, all } = slots;
  const { clock, log } = host;
  while (!signal.aborted) {
    await sleep(clock, beat, signal);
    if (signal.aborted) return;
    for (const socket of all) {
      if (clock.now() - socket.heardAt <= silence) continue;
      log.warn({}, 'a socket of Slack has fallen silent: it is replaced');
      socket.close();
    }
    const open = openOnes(slots);
    if (open.length > 0) reception.heard(Math.max(...open.map(({ heardAt }) => heardAt)));
    else reception.health.fail(slots.lastReason ?? noSocketOpen);
  }
}

async function keep(index: number, slots: Slots): Promise<void> {
  const { host, signal, reception } = slots;
  await sleep(host.clock, index * stagger, signal);
  let failures = 0;
  let former: Socket | undefined;
  while (!signal.aborted) {
    const socket = open(slots, former);
    const end = await socket.ended;
    if (signal.aborted) return;
    former = socket;
    const { openedAt } = socket;
    failures = openedAt === undefined || host.clock.now() - openedAt <= shortLife ? failures + 1 : 0;
    switch (end.type) {
      case 'farewell':
        await partWith(socket, end.reason, failures, slots);
        break;
      case 'closed':
        // It and the others may have been silent for a while: Slack redelivers only after minutes.
        if (openedAt !== undefined) reception.missed(socket.heardAt);
        await recover({ reason: end.why ?? socketsBreak, isFinal: false }, failures, slots);
        break;
      case 'refused':
        await recover(readConnectFailure(end.error, 'app'), failures, slots);
    }
  }
}

const noSocketOpen: InLanguage = (language) => slackWords[language].noSocketOpen;
const socketsBreak: InLanguage = (language) => slackWords[language].socketsBreak;
const tooManySockets: InLanguage = (language) => slackWords[language].tooManySockets;

function open(slots: Slots, former: Socket | undefined): Socket {
  const { reception, host, ourAppId, die, all } = slots;
  const socket: Socket = new Socket(slots, {
    left: () => {
      if (socket.state === 'gone') all.delete(socket);
      if (readyCount(slots) === 0) reception.closed();
    },
    opened: (appId = ourAppId) => {
      slots.lastReason = undefined;
      host.clock.after(grace, () => former?.close());
      // With tokens of two apps, no events arrive, or none can be answered.
      if (ourAppId !== undefined && appId !== ourAppId)
        die((language) => slackWords[language].otherApp({ app: String(appId), bot: ourAppId }));
      else if (readyCount(slots) > 1) reception.heard();
      else reception.opened();
    },
  });
  all.add(socket);
  socket.open();
  return socket;
}

async function partWith(socket: Socket, reason: string, failures: number, slots: Slots): Promise<void> {
  const { host, signal, die } = slots;
  switch (reason) {
    case 'link_disabled':
      return die((language) => slackWords[language].socketModeOff({ kind: 'app', code: reason }));
    case 'too_many_websockets':
      socket.close();
      return recover({ reason: tooManySockets, isFinal: false, pause: crowdPause }, 1, slots);
    default:
      host.log.debug({ reason }, 'Slack renews a socket');
      if (failures > toleratedFarewells) await sleep(host.clock, backOff(failures - toleratedFarewells), signal);
  }
}

async function recover({ reason, isFinal, pause = 0 }: ConnectFailure, failures: number, slots: Slots): Promise<void> {
  const { host, signal, reception, die } = slots;
  slots.lastReason = reason;
  const isAnyOpen = openOnes(slots).length > 0;
  // While another socket works, Slack's refusal may be wrong.
  if (isFinal && !isAnyOpen) return die(reason);
  if (failures === 0) return;
  host.log.info(
    { failures, reason: wordsIn('en', reason) },
    'a socket to Slack could not be kept, and will be opened again',
  );
  if (!isAnyOpen) reception.health.fail(reason);
  await sleep(host.clock, Math.max(backOff(failures, { firstPause }), pause), signal);
}

/** Why a socket must be replaced: the first of these to happen. */
type SocketEnd =
  /** Slack's API refused to open it. */
  | { readonly type: 'refused'; readonly error: unknown }
  /** Slack is going to close it. Until then it still sends and receives. */
  | { readonly type: 'farewell'; readonly reason: string }
  /** `why`: sentences for the operator, if the proxy or a certificate was at fault. */
  | { readonly type: 'closed'; readonly why?: Words | undefined };

/** Callbacks, called synchronously. */
interface SocketEvents {
  /** Slack is ready to send. `appId`: the app of the token. */
  opened(appId: string | undefined): void;
  /** Slack sends no new events through it. */
  left(): void;
}

/** `ready`: Slack may send new events through it · `leaving`: it still sends and receives. */
type SocketState = 'opening' | 'ready' | 'leaving' | 'gone';

function isOpen(state: SocketState): boolean {
  return state === 'ready' || state === 'leaving';
}

/** One Socket Mode connection. Never reconnects. */
class Socket {
  readonly #owner: SocketsOwner;
  readonly #events: SocketEvents;
  readonly #ended = Promise.withResolvers<SocketEnd>();
  readonly #over = new AbortController();
  #webSocket: WebSocket | undefined;
  #why: Words | undefined;
  #state: SocketState = 'opening';
  #openedAt: number | undefined;
  #heardAt: number;

  constructor(owner: SocketsOwner, events: SocketEvents) {
    this.#owner = owner;
    this.#events = events;
    this.#heardAt = owner.host.clock.now();
  }

  get ended(): Promise<SocketEnd> {
    return this.#ended.promise;
  }

  get state(): SocketState {
    return this.#state;
  }

  /** Undefined until Slack is ready to send. */
  get openedAt(): number | undefined {
    return this.#openedAt;
  }

  /** When Slack was last heard, or connecting began. */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** Starts connecting. */
  open(): void {
    this.#connect().catch((error: unknown) => this.#finish({ type: 'refused', error }));
  }

  /** Closes it at once, in any state. */
  close(): void {
    this.#finish({ type: 'closed' });
    this.#over.abort();
    this.#webSocket?.close();
    this.#owner.host.clock.after(closePatience, () => this.#webSocket?.terminate());
  }

  /** Throws `ChannelError` if Slack gives no URL. */
  async #connect(): Promise<void> {
    const { settings, network, host } = this.#owner;
    const { app_token: token, api_url: apiUrl, request_timeout_secs: requestTimeoutSecs } = settings;
    const { signal } = this.#over;
    const api = new SlackApi({ token, apiUrl, requestTimeoutSecs, network });
    const answer = await api.call(opening, {}, { repeatable: true, signal });
    const { data } = addressShape.safeParse(answer);
    if (data === undefined) throw lostAnswer(opening, (language) => slackWords[language].namesNoAddress, true);
    if (signal.aborted) return;
    this.#webSocket = new WebSocket(data.url, { perMessageDeflate: false, agent: network.agentFor(data.url) })
      .on('message', (text, isBinary) => this.#read(isBinary ? '' : String(text)))
      .on('ping', () => this.#hear())
      .on('error', (error) => {
        host.log.debug({ err: error }, 'a socket to Slack has failed');
        this.#why = connectionFault(error, new URL(data.url).host)?.wordsIn;
      })
      .on('close', () => this.#finish({ type: 'closed', why: this.#why }));
  }

  #read(text: string): void {
    if (this.#state === 'gone') return;
    this.#hear();
    const { host, take } = this.#owner;
    const parsed = parseJson(text);
    const { data: frame } = frameShape.safeParse(parsed);
    switch (frame?.type) {
      case 'hello':
        this.#openedAt = host.clock.now();
        this.#state = 'ready';
        this.#events.opened(frame.connection_info?.app_id);
        return;
      case 'disconnect':
        this.#ended.resolve({ type: 'farewell', reason: frame.reason });
        if (frame.reason === 'warning') return;
        this.#state = 'leaving';
        this.#events.left();
        return;
      case 'events_api':
      case 'interactive':
      case 'slash_commands':
        // `take` logs a failure, and Slack redelivers the event.
        void take(frame.payload).then(
          () => this.#acknowledge(frame.envelope_id),
          () => {},
        );
        return;
      case undefined:
        host.log.warn({}, 'a frame came from Slack that cannot be read');
        // Slack resends unacknowledged frames.
        this.#acknowledge(envelopeShape.safeParse(parsed).data?.envelope_id);
    }
  }

  #acknowledge(envelopeId: string | undefined): void {
    if (envelopeId === undefined) return;
    this.#webSocket?.send(JSON.stringify({ envelope_id: envelopeId, payload: {} }), (error) => {
      if (error) this.#owner.host.log.debug({ err: error }, 'an event of Slack could not be acknowledged');
    });
  }

  #hear(): void {
    this.#heardAt = this.#owner.host.clock.now();
    if (isOpen(this.#state)) this.#owner.reception.heard();
  }

  #finish(end: SocketEnd): void {
    if (this.#state === 'gone') return;
    this.#state = 'gone';
    this.#ended.resolve(end);
    this.#events.left();
  }
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
