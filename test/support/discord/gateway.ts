import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Changes } from '../wait-for.ts';
import type { Application } from './application.ts';
import type { BotAccount } from './bot-account.ts';
import { closeReasons, endsSession } from './close-codes.ts';
import { gatewayPaths, isGatewayAddress, refuseUpgrade } from './gateway-address.ts';
import { GatewayConnection, opcodes } from './gateway-connection.ts';
import type { AskedResume, Identify, Resume, SessionStartLimit } from './gateway-record.ts';
import { type Dispatch, intents } from './intents.ts';
import { wireGuildCreate } from './place-wire.ts';
import type { Places } from './places.ts';
import { Session } from './session.ts';
import { SessionStarts } from './session-starts.ts';
import type { DiscordTimes } from './times.ts';

interface Dependencies {
  readonly account: BotAccount;
  readonly application: Application;
  readonly places: Places;
  readonly changes: Changes;
  readonly times: DiscordTimes;
  readonly now: () => number;
}

/** The WebSocket side of Discord, and what can go wrong with it. */
export class Gateway {
  readonly now: () => number;
  readonly times: DiscordTimes;
  readonly #dependencies: Dependencies;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  readonly #connections = new Set<GatewayConnection>();
  readonly #starts: SessionStarts;
  #resumes: readonly Resume[] = [];
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

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#starts = new SessionStarts(dependencies);
    this.now = dependencies.now;
    this.times = dependencies.times;
  }

  get identifies(): readonly Identify[] {
    return this.#starts.identifies;
  }

  /** What `GET /gateway/bot` tells; each IDENTIFY takes one. */
  get startLimit(): SessionStartLimit {
    return this.#starts.limit;
  }

  set startLimit(limit: SessionStartLimit) {
    this.#starts.limit = limit;
  }

  get resumes(): readonly Resume[] {
    return this.#resumes;
  }

  /** How many connections are open. */
  get openConnections(): number {
    return [...this.#connections].filter(({ isOpen }) => isOpen).length;
  }

  /** Whether a session has a connection, so that what happens is told at once. */
  get isReady(): boolean {
    return [...this.#connections].some(({ isOpen, session }) => isOpen && this.#sessions.has(session?.id ?? ''));
  }

  /** Whether the bot has said, with a heartbeat, that it has all that it was told. */
  get isCaughtUp(): boolean {
    return [...this.#sessions.values()].every(({ sequence, confirmed }) => confirmed >= sequence);
  }

  /** Tells everybody who asked for it. Those who lost their connection are told when they resume. */
  publish(dispatch: Dispatch): void {
    for (const session of this.#sessions.values()) session.publish(dispatch);
  }

  /** Tells anything, whether or not Discord would. */
  dispatch(event: string, data: unknown): void {
    for (const session of this.#sessions.values()) session.tell(event, data);
  }

  /** Sends a whole frame, whether or not it is one, on every connection. */
  sendFrame(frame: unknown): void {
    this.#each((connection) => connection.sendFrame(frame));
  }

  /** Asks the client to connect again and to resume. */
  requestReconnect(): void {
    this.#each((connection) => connection.send(opcodes.reconnect));
  }

  /** Ends the sessions, unless they can be resumed. */
  invalidate(isResumable: boolean): void {
    if (!isResumable) this.#sessions.clear();
    this.#each((connection) => connection.send(opcodes.invalidSession, isResumable));
  }

  /** Closes every connection. After 1000, 1001, 4004, 4007 and 4009 no session can be resumed. */
  closeWith(code: number, reason = ''): void {
    if (endsSession(code)) this.#sessions.clear();
    this.#each((connection) => connection.close(code, reason));
  }

  /** Breaks every connection without a word. */
  drop(): void {
    this.#each((connection) => connection.drop());
  }

  /** Takes a connection, or refuses it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const status = this.refusal ?? (isGatewayAddress(url) ? undefined : 400);
    this.connectionsMade += 1;
    if (status !== undefined) {
      refuseUpgrade(socket, status);
      this.changed();
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new GatewayConnection(this, webSocket, url.pathname);
      this.#connections.add(connection);
      connection.send(opcodes.hello, { heartbeat_interval: Math.max(1, Math.round(this.times.heartbeat)) });
      this.changed();
    });
  }

  beat(connection: GatewayConnection): void {
    this.heartbeats += 1;
    if (!this.isDeafToBeats) connection.send(opcodes.acknowledge);
  }

  identify(connection: GatewayConnection, asked: { readonly token: string; readonly intents: number }): void {
    const outcome = this.#starts.take(asked);
    if (outcome === 'invalid') {
      connection.send(opcodes.invalidSession, false);
      return;
    }
    if (outcome !== 'ready') {
      connection.close(outcome, closeReasons[outcome]);
      return;
    }
    this.#begin(connection, asked.intents);
  }

  resume(connection: GatewayConnection, asked: AskedResume): void {
    if (asked.token !== this.#dependencies.account.token) {
      connection.close(4004, closeReasons[4004]);
      return;
    }
    const session = this.#sessions.get(asked.sessionId);
    const missed = this.#isResumable(session) ? session?.missedSince(asked.sequence) : undefined;
    const isReplayed = missed !== undefined && missed.length <= this.mostReplayed;
    const replayed = isReplayed ? missed.length : undefined;
    this.#resumes = [...this.#resumes, { at: this.now(), sequence: asked.sequence, replayed, path: connection.path }];
    if (session === undefined || !isReplayed) {
      this.#sessions.delete(asked.sessionId);
      connection.send(opcodes.invalidSession, false);
      return;
    }
    if (asked.sequence > session.sequence) {
      connection.close(4007, 'Invalid seq.');
      return;
    }
    for (const other of this.#connections) if (other.session === session && other !== connection) other.close(4000);
    connection.attach(session, missed);
    session.tell('RESUMED', {});
  }

  /** A connection has ended. Its session waits to be resumed, unless the client has ended that, too. */
  lost(connection: GatewayConnection, code: number): void {
    const { session } = connection;
    this.#connections.delete(connection);
    const isHeldByOther = [...this.#connections].some((other) => other.session === session);
    if (session !== undefined && !isHeldByOther) {
      session.deliver = undefined;
      session.lostAt = this.now();
      if (endsSession(code)) this.#sessions.delete(session.id);
    }
    this.changed();
  }

  changed(): void {
    this.#dependencies.changes.notify();
  }

  /** Forgets what was told, and by whom it was asked. Who has a connection keeps it. */
  forget(): void {
    this.#starts.forget();
    this.#resumes = [];
    for (const session of this.#sessions.values()) session.forget();
  }

  /** Nobody can connect any more, and nobody is connected. */
  close(): void {
    for (const webSocket of this.#server.clients) webSocket.terminate();
    this.#server.close();
  }

  #begin(connection: GatewayConnection, wanted: number): void {
    const { account, application, places } = this.#dependencies;
    for (const old of [...this.#sessions.values()]) if (!this.#isResumable(old)) this.#sessions.delete(old.id);
    const session = new Session(`session-${randomUUID()}`, wanted);
    this.#sessions.set(session.id, session);
    connection.attach(session);
    const guilds = [...places.guilds.values()].filter(({ isAnnounced }) => isAnnounced);
    session.tell('READY', {
      v: 10,
      user: account.user,
      guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: `${this.origin}${gatewayPaths.again}`,
      shard: [0, 1],
      application: { id: application.id, flags: application.flags },
    });
    if ((wanted & intents.guilds) === 0) return;
    for (const guild of guilds) session.tell('GUILD_CREATE', wireGuildCreate(guild, places));
  }

  #isResumable(session: Session | undefined): boolean {
    if (session === undefined) return false;
    return session.lostAt === undefined || this.now() - session.lostAt <= this.times.resume;
  }

  #each(act: (connection: GatewayConnection) => void): void {
    for (const connection of [...this.#connections]) act(connection);
  }
}
