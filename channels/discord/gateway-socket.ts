import { platform } from 'node:os';
import { GatewayOpcodes as Op } from 'discord.js';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { Clock } from '../../src/lib/clock.ts';
import { parseJson } from '../../src/lib/json.ts';
import type { ReadySession, Session } from './session.ts';

interface SocketOptions {
  readonly token: string;
  readonly intents: number;
  readonly url: string;
  /** The session that goes on. Left out: another one begins, which costs one of those that Discord allows a day. */
  readonly session?: Session | undefined;
  readonly clock: Clock;
  readonly listener: SocketListener;
}

/** An event that the gateway dispatches. */
export interface GatewayEvent {
  readonly name: string;
  readonly data: unknown;
  readonly sequence: number;
}

/** Is told what comes in. Nothing is told after the end. */
interface SocketListener {
  /** Another session has begun, of a bot in so many servers. Gives the one that goes on from now on. */
  began(ready: ReadySession & { readonly guilds: number }): Session;
  /** The session goes on, and all that was missed has been sent. */
  resumed(): void;
  /** In the order in which Discord sent them. */
  event(event: GatewayEvent): void;
  /** Discord has acknowledged a heartbeat. */
  beat(): void;
}

/** How a connection to the gateway came to its end. */
export type SocketEnd =
  /** With a code of WebSocket's or Discord's; 1006 where there was no farewell. `trouble`: such as `ECONNREFUSED`. */
  | { readonly type: 'closed'; readonly code: number; readonly trouble?: string | undefined }
  /** Discord has asked for another one. */
  | { readonly type: 'reconnect' }
  | { readonly type: 'invalid-session'; readonly isResumable: boolean }
  /** It never came to a session; `hello`: although it stood. */
  | { readonly type: 'unopened'; readonly hello: boolean }
  /** Heartbeats were not acknowledged any more. */
  | { readonly type: 'silent' }
  /** More has come in than could be stored. */
  | { readonly type: 'full' }
  | { readonly type: 'stopped' };

/** How long it may take until there is a session, in milliseconds. */
const openingPatience = 30_000;
/** How much longer than promised an acknowledgement may take, in milliseconds. */
const beatGrace = 10_000;
/** How long the farewell may take, in milliseconds. */
const closePatience = 500;
/** Any code but 1000 and 1001, after which Discord forgets the session. */
const resumableClose = 4200;

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
 * One connection to Discord's gateway. Discord greets, and is sent heartbeats from then on; a session is asked for, or the
 * last one is gone on with; then events come. It never connects again: after its end another socket is made. What nobody
 * documents is ignored. Heartbeats and RESUME name the last event that is stored, so that Discord sends again what is not.
 */
export class GatewaySocket {
  readonly #options: SocketOptions;
  readonly #socket: WebSocket;
  readonly #ended = Promise.withResolvers<SocketEnd>();
  readonly #gone = Promise.withResolvers<void>();
  #session: Session | undefined;
  #isReady = false;
  #isOver = false;
  /** Between two heartbeats, in milliseconds. Undefined before the greeting. */
  #interval: number | undefined;
  #trouble: string | undefined;
  #cancelBeat = (): void => {};
  /** Ends the patience with what is waited for. */
  #cancelWait: () => void;

  /** Begins to connect. */
  constructor(options: SocketOptions) {
    this.#options = options;
    this.#session = options.session;
    const unopened = (): void => this.end({ type: 'unopened', hello: this.#interval !== undefined });
    this.#cancelWait = options.clock.after(openingPatience, unopened);
    const url = new URL(options.url);
    url.search = '?v=10&encoding=json';
    url.hash = '';
    this.#socket = new WebSocket(url, { perMessageDeflate: false })
      .on('message', (data, isBinary) => this.#read(isBinary ? '' : String(data)))
      .on('error', (error) => {
        this.#trouble ??= 'code' in error && typeof error.code === 'string' ? error.code : error.message;
      })
      .on('close', (code) => {
        this.end({ type: 'closed', code, trouble: this.#trouble });
        this.#cancelWait();
        this.#gone.resolve();
      });
  }

  get ended(): Promise<SocketEnd> {
    return this.#ended.promise;
  }

  /** Resolves when nothing is left of it, which takes half a second at most after its end. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Ends it. The session can go on with another one. Once it has ended, another end changes nothing. */
  end(end: SocketEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelBeat();
    this.#cancelWait();
    this.#cancelWait = this.#options.clock.after(closePatience, () => this.#socket.terminate());
    this.#socket.close(resumableClose);
    this.#ended.resolve(end);
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
        this.end({ type: 'reconnect' });
        break;
      case Op.InvalidSession:
        this.end({ type: 'invalid-session', isResumable: payload.d });
        break;
      case Op.Hello:
        this.#greet(payload.d.heartbeat_interval);
        break;
      case Op.HeartbeatAck:
        if (!this.#isReady) break;
        this.#awaitBeat();
        this.#options.listener.beat();
    }
  }

  /** A second greeting gives it no second heart. */
  #greet(interval: number): void {
    if (this.#interval !== undefined) return;
    this.#interval = interval;
    // Discord wants the first one at a time left to chance.
    this.#cancelBeat = this.#options.clock.after(interval * Math.random(), () => this.#keepBeating(interval));
    const { token, intents } = this.#options;
    const properties = { os: platform(), browser: 'keyturn', device: 'keyturn' };
    if (this.#session === undefined) this.#send(Op.Identify, { token, intents, properties });
    else this.#send(Op.Resume, { token, session_id: this.#session.id, seq: this.#session.sequence });
  }

  #keepBeating(interval: number): void {
    this.#cancelBeat = this.#options.clock.after(interval, () => this.#keepBeating(interval));
    this.#beat();
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
    const { session_id: sessionId, resume_gateway_url: resumeUrl, guilds } = ready;
    this.#session = this.#options.listener.began({ sessionId, resumeUrl, sequence, guilds: guilds.length });
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
    const patience = (this.#interval ?? 0) + beatGrace;
    this.#cancelWait = this.#options.clock.after(patience, () => this.end({ type: 'silent' }));
  }

  #send(op: Op, d: unknown): void {
    this.#socket.send(JSON.stringify({ op, d }));
  }
}
