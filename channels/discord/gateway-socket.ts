import { platform } from 'node:os';
import { GatewayCloseCodes as Close, GatewayOpcodes as Op } from 'discord.js';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { Network } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { parseJson } from '../../src/lib/json.ts';
import { connectionFault } from '../../src/lib/network/connection-fault.ts';
import { type InLanguage, type Words, wordsIn } from '../../src/lib/words.ts';
import type { Reception } from '../kit/reception.ts';
import { asClause } from '../kit/request-failure.ts';
import { discordWords } from './words.ts';

interface SocketOptions {
  readonly token: string;
  readonly intents: number;
  readonly url: string;
  /** The session to resume. Left out: a new one is identified, which counts against Discord's daily limit. */
  readonly session?: Session | undefined;
  readonly clock: Clock;
  readonly network: Network;
  /** Not called after the end. */
  readonly listener: {
    /** A new session has started; `guilds` is the bot's number of servers. */
    began(session: Session, guilds: number): void;
    /** The session is resumed, and all missed events have been sent. */
    resumed(): void;
    /** In Discord's order. */
    event(event: GatewayEvent): void;
    beat(): void;
  };
}

export interface GatewayEvent {
  readonly name: string;
  readonly data: unknown;
  readonly sequence: number;
}

/** How a connection ended, and what follows. */
export interface SocketEnd {
  /** What went wrong, for the operator. Left out: nothing. */
  readonly reason?: InLanguage;
  /** Of WebSocket or Discord, if it was closed from outside; 1006 if there was no close frame. */
  readonly code?: number;
  /** The session cannot be resumed. */
  readonly endsSession?: boolean;
  /** The least pause before the next connection, in ms. */
  readonly pause?: number;
}

/** Time limit until a session starts, in ms. */
const openingPatience = 30_000;
/** How late a heartbeat's acknowledgement may be, in ms. */
const beatGrace = 10_000;
/** After Invalid Session, Discord requires a random pause of 1 to 5 s. In ms. */
const invalidPause = 1_000;
const invalidSpread = 4_000;
/** Time limit for the closing handshake, in ms. */
const closePatience = 500;
/** Any code but 1000 and 1001, which make Discord drop the session. */
const resumableClose = 4200;

/** Discord drops the session after these codes. */
const sessionEnding: readonly number[] = [
  ...[1000, 1001],
  ...[Close.NotAuthenticated, Close.AlreadyAuthenticated, Close.InvalidSeq, Close.SessionTimedOut],
];

const payloadShape = z.discriminatedUnion('op', [
  z.object({ op: z.literal(Op.Dispatch), t: z.string(), s: z.int().nonnegative(), d: z.unknown() }),
  z.object({ op: z.literal(Op.Heartbeat) }),
  z.object({ op: z.literal(Op.Reconnect) }),
  z.object({ op: z.literal(Op.InvalidSession), d: z.boolean().catch(false) }),
  z.object({
    op: z.literal(Op.Hello),
    d: z.object({
      heartbeat_interval: z
        .number()
        .min(1)
        .max(2 ** 31 - 1),
    }),
  }),
  z.object({ op: z.literal(Op.HeartbeatAck) }),
]);
const readyShape = z.object({
  session_id: z.string().min(1),
  resume_gateway_url: z.url({ protocol: /^wss?$/ }),
  guilds: z.array(z.unknown()).catch([null]),
});

/**
 * One connection to Discord's gateway. After Hello it sends heartbeats and identifies or resumes a session; then events
 * come. It never reconnects: a new socket is opened after its end. Undocumented payloads are ignored. Heartbeats and
 * RESUME carry the sequence of the last stored event, so that Discord resends later ones.
 */
export class GatewaySocket {
  readonly #options: SocketOptions;
  readonly #socket: WebSocket;
  readonly #ended = Promise.withResolvers<SocketEnd>();
  readonly #gone = Promise.withResolvers<void>();
  #session: Session | undefined;
  #isReady = false;
  #isOver = false;
  /** Heartbeat interval in ms. Undefined before Hello. */
  #interval: number | undefined;
  #trouble: Words | undefined;
  #cancelBeat = (): void => {};
  #cancelWait: () => void;

  constructor(options: SocketOptions) {
    const { url, clock, network } = options;
    this.#options = options;
    this.#session = options.session;
    // A resumption that is not confirmed after Hello could hang for ever if it is retried.
    this.#cancelWait = clock.after(openingPatience, () =>
      this.end({ reason: noAnswerInTime, endsSession: this.#interval !== undefined }),
    );
    const address = new URL(url);
    address.search = '?v=10&encoding=json';
    address.hash = '';
    this.#socket = new WebSocket(address, { perMessageDeflate: false, agent: network.agentFor(address) })
      .on('message', (data, isBinary) => this.#read(isBinary ? '' : String(data)))
      .on('error', (error) => {
        const code = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
        const fault = connectionFault(error, address.host);
        this.#trouble ??= fault === undefined ? code : asClause(fault.wordsIn);
      })
      .on('close', (code) => this.#closed(code));
  }

  /** Resolves at the end, with what follows. */
  get ended(): Promise<SocketEnd> {
    return this.#ended.promise;
  }

  /** Resolves when the socket is closed, at most 0.5 s after the end. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Closes the connection; the session can be resumed on another one. Idempotent. */
  end(outcome: SocketEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelBeat();
    this.#cancelWait();
    this.#cancelWait = this.#options.clock.after(closePatience, () => this.#socket.terminate());
    this.#socket.close(resumableClose);
    this.#ended.resolve(outcome);
  }

  #closed(code: number): void {
    const cause = this.#trouble ?? closedWith(code);
    const reason: InLanguage = (language) => discordWords[language].unreachable({ cause: wordsIn(language, cause) });
    this.end({ reason, code, endsSession: sessionEnding.includes(code) });
    this.#cancelWait();
    this.#gone.resolve();
  }

  #read(text: string): void {
    const { data: payload } = payloadShape.safeParse(parseJson(text));
    if (payload === undefined || this.#isOver) return;
    switch (payload.op) {
      case Op.Dispatch:
        this.#dispatch({ name: payload.t, data: payload.d, sequence: payload.s });
        break;
      case Op.Heartbeat:
        this.#beat();
        break;
      case Op.Reconnect:
        this.end({});
        break;
      case Op.InvalidSession:
        this.end({
          reason: (language) => discordWords[language].sessionEnded,
          endsSession: !payload.d,
          pause: invalidPause + invalidSpread * Math.random(),
        });
        break;
      case Op.Hello:
        this.#greet(payload.d.heartbeat_interval);
        break;
      case Op.HeartbeatAck:
        if (!this.#isReady) return;
        this.#awaitBeat();
        this.#options.listener.beat();
    }
  }

  /** Ignores a second Hello. */
  #greet(promised: number): void {
    if (this.#interval !== undefined) return;
    this.#interval = promised;
    const { token, intents, clock } = this.#options;
    const keepBeating = (): void => {
      this.#cancelBeat = clock.after(promised, keepBeating);
      this.#beat();
    };
    // Discord asks for jitter before the first heartbeat.
    this.#cancelBeat = clock.after(promised * Math.random(), keepBeating);
    const session = this.#session;
    const properties = { os: platform(), browser: 'keyturn', device: 'keyturn' };
    if (session === undefined) this.#send(Op.Identify, { token, intents, properties });
    else this.#send(Op.Resume, { token, session_id: session.id, seq: session.sequence });
  }

  #beat(): void {
    this.#send(Op.Heartbeat, this.#session?.sequence ?? null);
  }

  #dispatch(event: GatewayEvent): void {
    if (event.name === 'READY') this.#begin(event);
    else if (event.name === 'RESUMED') this.#resume(event);
    else if (this.#session !== undefined) this.#options.listener.event(event);
  }

  #begin({ data, sequence }: GatewayEvent): void {
    const { data: ready } = readyShape.safeParse(data);
    if (ready === undefined || this.#isReady) return;
    this.#isReady = true;
    this.#session = new Session(ready.session_id, ready.resume_gateway_url, sequence);
    this.#options.listener.began(this.#session, ready.guilds.length);
    this.#awaitBeat();
  }

  #resume({ sequence }: GatewayEvent): void {
    if (this.#session === undefined || this.#isReady) return;
    this.#isReady = true;
    this.#session.arrived(sequence)();
    this.#options.listener.resumed();
    this.#awaitBeat();
  }

  #awaitBeat(): void {
    this.#cancelWait();
    this.#cancelWait = this.#options.clock.after((this.#interval ?? 0) + beatGrace, () =>
      this.end({ reason: (language) => discordWords[language].fellSilent }),
    );
  }

  #send(op: Op, d: unknown): void {
    this.#socket.send(JSON.stringify({ op, d }));
  }
}

const noAnswerInTime: InLanguage = (language) => discordWords[language].noAnswerInTime;

function closedWith(code: number): InLanguage {
  if (code === 1006) return (language) => discordWords[language].connectionBroke;
  return (language) => discordWords[language].connectionClosed({ code });
}

/** A gateway session, which spans connections, with the sequence number up to which its events are stored. */
export class Session {
  readonly id: string;
  readonly resumeUrl: string;
  #latest: number;
  /** The unstored events, in order. */
  readonly #waiting = new Set<number>();

  constructor(id: string, resumeUrl: string, sequence: number) {
    this.id = id;
    this.resumeUrl = resumeUrl;
    this.#latest = sequence;
  }

  /** This event and all before it are stored: Discord resends from here. */
  get sequence(): number {
    const [first] = this.#waiting;
    return first === undefined ? this.#latest : first - 1;
  }

  /** Call the returned function once the event is stored. */
  arrived(sequence: number): () => void {
    // It may come a second time.
    if (sequence > this.#latest) this.#waiting.add(sequence);
    this.#latest = Math.max(this.#latest, sequence);
    return () => this.#waiting.delete(sequence);
  }

  /** Forgets unstored events: Discord will resend them. */
  rewind(): void {
    this.#latest = this.sequence;
    this.#waiting.clear();
  }
}

/** Upper bound for how long Discord keeps a disconnected session, in ms. */
const sessionLife = 300_000;
/** Discord accepts one IDENTIFY per this time, in ms. */
const identifyPause = 5_000;

/** Where to resume: outlives connections, and the adapter's stop and start. Instants are ms since 1970. */
export class Continuity {
  /** The current or latest session. Undefined once it cannot be resumed. */
  session: Session | undefined;
  /** The latest reception. */
  reception: Reception | undefined;
  /** When a session was last requested. */
  begunAt = Number.NEGATIVE_INFINITY;

  /** The session to resume, if there is one that has not expired. */
  sessionAt(now: number): Session | undefined {
    const storedUntil = this.reception?.storedUntil();
    if (storedUntil === undefined || now - storedUntil > sessionLife) this.session = undefined;
    return this.session;
  }

  /** Time until another session may be requested, in ms. */
  pauseBefore(now: number): number {
    return Math.max(0, this.begunAt + identifyPause - now);
  }
}
