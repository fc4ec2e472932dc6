import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import type { Changes } from '../changes.ts';
import { parseJson } from '../json.ts';
import { type Places, type User, wireGuild } from './places.ts';
import type { DiscordTimes } from './times.ts';

const op = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  acknowledge: 11,
} as const;

/** An IDENTIFY that came. */
interface Identify {
  readonly at: number;
  readonly intents: number;
  /** What became of it: a session, INVALID_SESSION, or the code of the close. */
  readonly outcome: 'ready' | 'invalid' | 4004 | 4013 | 4014;
}

/** A RESUME that came. */
interface Resume {
  /** Where the connection was made to. */
  readonly path: string;
}

/** What `GET /gateway/bot` tells of the starts that are left. Times are in milliseconds. */
interface SessionStartLimit {
  readonly total: number;
  readonly remaining: number;
  readonly resetAfter: number;
  readonly maxConcurrency: number;
}

/** One event as it went over the wire, or would have. */
interface SentEvent {
  readonly op: typeof op.dispatch;
  readonly t: string;
  readonly s: number;
  readonly d: unknown;
}

/** What begins with an IDENTIFY: it counts its events, and keeps them for those who lost the connection. */
interface Session {
  readonly id: string;
  readonly intents: number;
  sent: SentEvent[];
  sequence: number;
  /** Up to where the bot says that it has received what it was told. */
  confirmed: number;
  /** When its connection broke; undefined while there is one. */
  lostAt: number | undefined;
}

interface Connection {
  readonly socket: WebSocket;
  /** Where it was made to. */
  readonly path: string;
  session: Session | undefined;
}

const payloadForm = z.object({ op: z.int(), d: z.unknown().optional() });
const identifyForm = z.object({ token: z.string(), intents: z.int(), properties: z.looseObject({}) });
const resumeForm = z.object({ token: z.string(), session_id: z.string(), seq: z.int() });

/** Where a client makes its connections to, and where it comes back to. */
const paths = { first: '/gw/', again: '/gw/again/' } as const;
const largestPayload = 4096;
/** Every intent that means something. */
const knownIntents = 0b11_0011_0011_1111_1111_1111_1111;

/** What the gateway knows of the Discord that it tells of. */
export interface ToldWorld {
  readonly now: () => number;
  readonly times: DiscordTimes;
  readonly changes: Changes;
  readonly places: Places;
  readonly application: { readonly id: string; readonly flags: number; mayBeTold(intents: number): boolean };
  readonly account: { readonly token: string | undefined; readonly user: User; reset(): void };
}

/** The WebSocket side of Discord, and what can go wrong with it. */
export class Gateway {
  readonly #world: ToldWorld;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  readonly #connections = new Set<Connection>();
  identifies: readonly Identify[] = [];
  resumes: readonly Resume[] = [];
  /** What `GET /gateway/bot` tells; each IDENTIFY takes one. */
  startLimit: SessionStartLimit = { total: 1000, remaining: 1000, resetAfter: 0, maxConcurrency: 1 };
  /** How many connections were made so far. */
  connectionsMade = 0;
  /** How many heartbeats came so far. */
  heartbeats = 0;
  /** How many missed events are sent again at most; who missed more has to start over. */
  mostReplayed = 1000;
  /** Heartbeats get no answer. */
  isDeafToBeats = false;
  /** Nothing is said and nothing heard: connections stand, even new ones, and that is all. */
  isSilent = false;
  /** How much the bot has said into that silence. */
  unheard = 0;
  /** Every attempt to connect is answered with this status. */
  refusal: number | undefined;
  /** Where the server is, without a slash at the end. */
  origin = '';

  constructor(world: ToldWorld) {
    this.#world = world;
  }

  /** What a client is told to connect to. */
  get url(): string {
    return `${this.origin}${paths.first}`;
  }

  get #open(): readonly Connection[] {
    return [...this.#connections].filter(({ socket }) => socket.readyState === WebSocket.OPEN);
  }

  /** How many connections are open. */
  get openConnections(): number {
    return this.#open.length;
  }

  /** Whether a session has a connection, so that what happens is told at once. */
  get isReady(): boolean {
    return this.#open.some(({ session }) => this.#sessions.has(session?.id ?? ''));
  }

  /** Whether the bot has said, with a heartbeat, that it has all that it was told. */
  get isCaughtUp(): boolean {
    return [...this.#sessions.values()].every(({ sequence, confirmed }) => confirmed >= sequence);
  }

  /** Tells everybody who asked for it. Those who lost their connection are told when they resume. */
  publish(event: string, intent: number, data: unknown): void {
    for (const session of this.#sessions.values())
      if (intent === 0 || (session.intents & intent) !== 0) this.#tell(session, event, data);
  }

  /** Sends a whole frame, whether or not it is one, on every connection. */
  sendFrame(frame: unknown): void {
    for (const { socket } of this.#open) socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Asks the client to connect again and to resume. */
  requestReconnect(): void {
    for (const connection of this.#open) this.#send(connection, op.reconnect, null);
  }

  /** Ends the sessions, unless they can be resumed. */
  invalidate(isResumable: boolean): void {
    if (!isResumable) this.#sessions.clear();
    for (const connection of this.#open) this.#send(connection, op.invalidSession, isResumable);
  }

  /** Closes every connection. After 1000, 1001, 4004, 4007 and 4009 no session can be resumed. */
  closeWith(code: number, reason = ''): void {
    if (endsSession(code)) this.#sessions.clear();
    for (const { socket } of this.#open) socket.close(code, reason);
  }

  /** Breaks every connection without a word. */
  drop(): void {
    for (const { socket } of this.#connections) socket.terminate();
  }

  /** Takes a connection, or refuses it: JSON without compression, in the version 10. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const path = `${pathname.replace(/\/$/, '')}/`;
    const isKnown = Object.values<string>(paths).includes(path) && searchParams.get('v') === '10';
    const isSound = isKnown && searchParams.get('encoding') === 'json' && !searchParams.has('compress');
    const status = this.refusal ?? (isSound ? undefined : 400);
    this.connectionsMade += 1;
    if (status === undefined) this.#server.handleUpgrade(request, socket, head, (made) => this.#welcome(made, path));
    else socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    this.#world.changes.notify();
  }

  /** Forgets what was told, and by whom it was asked; the last IDENTIFY still says how long the next has to wait. */
  forget(): void {
    this.identifies = this.identifies.slice(-1);
    this.resumes = [];
    for (const session of this.#sessions.values()) session.sent = [];
  }

  /** Nobody can connect any more, and nobody is connected. */
  close(): void {
    for (const webSocket of this.#server.clients) webSocket.terminate();
    this.#server.close();
  }

  #welcome(socket: WebSocket, path: string): void {
    const connection: Connection = { socket, path, session: undefined };
    this.#connections.add(connection);
    socket.on('message', (data) => this.#receive(connection, String(data)));
    socket.on('close', (code) => this.#lost(connection, code));
    // What breaks is closed afterwards.
    socket.on('error', () => undefined);
    this.#send(connection, op.hello, { heartbeat_interval: Math.max(1, Math.round(this.#world.times.heartbeat)) });
    this.#world.changes.notify();
  }

  #receive(connection: Connection, text: string): void {
    if (this.isSilent) this.unheard += 1;
    else this.#obey(connection, text.length > largestPayload ? undefined : parseJson(text));
    this.#world.changes.notify();
  }

  #obey(connection: Connection, frame: unknown): void {
    const { data: payload } = payloadForm.safeParse(frame);
    switch (payload?.op) {
      case op.heartbeat:
        this.heartbeats += 1;
        if (connection.session !== undefined && typeof payload.d === 'number') connection.session.confirmed = payload.d;
        if (!this.isDeafToBeats) this.#send(connection, op.acknowledge, null);
        return;
      case op.identify:
        this.#identify(connection, payload.d);
        return;
      case op.resume:
        this.#resume(connection, payload.d);
        return;
      default:
        connection.socket.close(payload === undefined ? 4002 : 4001);
    }
  }

  #identify(connection: Connection, data: unknown): void {
    const { data: asked } = identifyForm.safeParse(data);
    if (asked === undefined || connection.session !== undefined) {
      connection.socket.close(asked === undefined ? 4002 : 4005);
      return;
    }
    const outcome = this.#outcomeOf(asked);
    this.identifies = [...this.identifies, { at: this.#world.now(), intents: asked.intents, outcome }];
    if (outcome === 'invalid') this.#send(connection, op.invalidSession, false);
    else if (outcome === 'ready') this.#begin(connection, asked.intents);
    else connection.socket.close(outcome);
  }

  #outcomeOf({ token, intents }: z.output<typeof identifyForm>): Identify['outcome'] {
    const { account, application, times, now } = this.#world;
    if (token !== account.token) return 4004;
    if ((intents & ~knownIntents) !== 0) return 4013;
    if (!application.mayBeTold(intents)) return 4014;
    const last = this.identifies.findLast(({ outcome }) => outcome === 'ready');
    if (last !== undefined && now() - last.at < times.identify) return 'invalid';
    if (this.startLimit.remaining > 0) return 'ready';
    // Discord takes the token away from a bot that begins too often.
    account.reset();
    return 4004;
  }

  #begin(connection: Connection, intents: number): void {
    const { account, application, places } = this.#world;
    this.startLimit = { ...this.startLimit, remaining: this.startLimit.remaining - 1 };
    for (const old of this.#sessions.values()) if (!this.#isResumable(old)) this.#sessions.delete(old.id);
    const id = `session-${randomUUID()}`;
    const session: Session = { id, intents, sent: [], sequence: 0, confirmed: 0, lostAt: undefined };
    this.#sessions.set(id, session);
    connection.session = session;
    const guilds = [...places.guilds.values()];
    this.#tell(session, 'READY', {
      v: 10,
      user: account.user,
      session_id: id,
      shard: [0, 1],
      guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
      resume_gateway_url: `${this.origin}${paths.again}`,
      application: { id: application.id, flags: application.flags },
    });
    for (const guild of guilds) this.#tell(session, 'GUILD_CREATE', wireGuild(guild, places));
  }

  #resume(connection: Connection, data: unknown): void {
    const { data: asked } = resumeForm.safeParse(data);
    if (asked === undefined || asked.token !== this.#world.account.token) {
      connection.socket.close(asked === undefined ? 4002 : 4004);
      return;
    }
    const session = this.#sessions.get(asked.session_id);
    const missed = session?.sent.filter(({ s }) => s > asked.seq) ?? [];
    const isReplayed = session !== undefined && this.#isResumable(session) && missed.length <= this.mostReplayed;
    this.resumes = [...this.resumes, { path: connection.path }];
    if (!isReplayed) {
      this.#sessions.delete(asked.session_id);
      this.#send(connection, op.invalidSession, false);
      return;
    }
    if (asked.seq > session.sequence) {
      connection.socket.close(4007);
      return;
    }
    for (const other of this.#open) if (other.session === session && other !== connection) other.socket.close(4000);
    connection.session = session;
    session.lostAt = undefined;
    for (const event of missed) this.#write(connection, event);
    this.#tell(session, 'RESUMED', {});
  }

  /** A connection has ended. Its session waits to be resumed, unless the client has ended that, too. */
  #lost(connection: Connection, code: number): void {
    const { session } = connection;
    this.#connections.delete(connection);
    const isHeldByOther = [...this.#connections].some((other) => other.session === session);
    if (session !== undefined && !isHeldByOther) {
      session.lostAt = this.#world.now();
      if (endsSession(code)) this.#sessions.delete(session.id);
    }
    this.#world.changes.notify();
  }

  /** Counts the event, keeps it, and delivers it if anybody listens. */
  #tell(session: Session, t: string, d: unknown): void {
    session.sequence += 1;
    const event: SentEvent = { op: op.dispatch, t, s: session.sequence, d };
    session.sent.push(event);
    const holder = [...this.#connections].findLast((connection) => connection.session === session);
    if (holder !== undefined) this.#write(holder, event);
  }

  #send(connection: Connection, code: number, data: unknown): void {
    this.#write(connection, { op: code, d: data, s: null, t: null });
  }

  #write({ socket }: Connection, payload: object): void {
    if (socket.readyState === WebSocket.OPEN && !this.isSilent) socket.send(JSON.stringify(payload));
  }

  #isResumable({ lostAt }: Session): boolean {
    return lostAt === undefined || this.#world.now() - lostAt <= this.#world.times.resume;
  }
}

/** Whether no session can be resumed after it, no matter who closed the connection. */
function endsSession(code: number): boolean {
  return [1000, 1001, 4004, 4007, 4009].includes(code);
}
