import {
  DefaultWebSocketManagerOptions,
  type IContextFetchingStrategy,
  type SessionInfo,
  WebSocketShardEvents,
  WebSocketShardStatus,
} from '@discordjs/ws';
import { GatewayOpcodes } from 'discord-api-types/v10';
import type { Clock } from '../../../src/lib/clock.ts';
import { type Frame, readFrame } from './frame.ts';
import { guardedShard, type RawSocket } from './guarded-shard.ts';
import type { Session } from './session.ts';

export interface SocketDependencies {
  readonly token: string;
  readonly intents: number;
  /** Where a session begins; one that goes on knows its own place. */
  readonly url: string;
  /** The session that goes on. Left out: another one begins, which costs one of those that Discord allows a day. */
  readonly session?: Session;
  readonly clock: Clock;
  readonly listener: SocketListener;
}

/** Who is told what comes in. Nobody is told anything after the end. */
export interface SocketListener {
  /** Another session has begun: the one that is to be gone on with from now on. */
  began(ready: Frame & { readonly type: 'ready' }): Session;
  /** The session goes on. */
  resumed(): void;
  /** In the order in which Discord sent them. */
  event(event: Frame & { readonly type: 'event' }): void;
  /** Discord has acknowledged a heartbeat. */
  beat(): void;
}

/** How a connection to the gateway came to its end. */
export type SocketEnd =
  /** With a code of WebSocket's or Discord's; 1006 where there was no farewell. */
  | { readonly type: 'closed'; readonly code: number; readonly trouble?: string }
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
/** What WebSocket calls an end without a farewell. */
const abnormalClose = 1006;
/** The code with which the library closes what it wants to resume. */
const resumableClose = 4200;

/**
 * One connection to the gateway, on a shard of discord.js that never connects again by itself: left alone it would do so
 * every half second for ever, even after it was destroyed. It says hello, beats, identifies and resumes; another
 * connection is another socket. Events do not go through the library, but to the listener as they come.
 */
export class GatewaySocket {
  readonly #dependencies: SocketDependencies;
  readonly #shard: ReturnType<typeof guardedShard>;
  readonly #ended = Promise.withResolvers<SocketEnd>();
  readonly #gone = Promise.withResolvers<void>();
  #session: Session | undefined;
  #raw: RawSocket | undefined;
  #isOver = false;
  #isReady = false;
  #beatInterval: number | undefined;
  #callOff: () => void;

  /** Begins to connect. */
  constructor(dependencies: SocketDependencies) {
    this.#dependencies = dependencies;
    this.#session = dependencies.session;
    this.#shard = guardedShard({
      context: this.#context(),
      read: (text) => (this.#isOver ? null : this.#read(readFrame(text))),
      onSocket: (socket) => this.#connecting(socket),
    });
    this.#callOff = dependencies.clock.after(openingPatience, () =>
      this.end({ type: 'unopened', hello: this.#beatInterval !== undefined }),
    );
    this.#shard.on(WebSocketShardEvents.Closed, ({ code }) => this.#closed(code));
    // What goes wrong is heard from the socket itself; here it needs a listener, or it is thrown.
    this.#shard.on(WebSocketShardEvents.Error, () => {});
    this.#shard.connect().catch(() => this.#closed(abnormalClose));
  }

  get ended(): Promise<SocketEnd> {
    return this.#ended.promise;
  }

  /** Resolves when nothing is left of it, which takes half a second at most after its end. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Ends it. The session can be gone on with by another one. Once it has ended, another end changes nothing. */
  end(end: SocketEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#callOff();
    this.#ended.resolve(end);
    void this.#leave(end);
  }

  /** Says goodbye where that can be heard, and does not wait long for an answer. */
  async #leave({ type }: SocketEnd): Promise<void> {
    const raw = this.#raw;
    if (raw !== undefined) {
      const callOff = this.#dependencies.clock.after(closePatience, raw.terminate);
      this.#shard.destroy({ code: resumableClose }).catch(raw.terminate);
      if (type === 'closed') raw.terminate();
      await raw.closed;
      callOff();
    }
    this.#gone.resolve();
  }

  #context(): IContextFetchingStrategy {
    const { token, intents, url } = this.#dependencies;
    const unused = { total: 0, remaining: 0, reset_after: 0, max_concurrency: 1 };
    return {
      options: {
        ...DefaultWebSocketManagerOptions,
        token,
        intents,
        gatewayInformation: { url, shards: 1, session_start_limit: unused },
        shardCount: 1,
        // Its timers reconnect; ours end.
        handshakeTimeout: null,
        helloTimeout: null,
        readyTimeout: null,
      },
      retrieveSessionInfo: () => this.#sessionInfo(),
      // Only what is stored counts as received: the library would say so of all that has come.
      updateSessionInfo: () => undefined,
      waitForIdentify: async () => {},
    };
  }

  /** The library asks for it before it connects, and with each heartbeat. Where it must not connect, it waits for ever. */
  #sessionInfo(): SessionInfo | null | Promise<null> {
    const isAgain = this.#raw !== undefined && this.#shard.status === WebSocketShardStatus.Idle;
    if (isAgain) this.#closed(abnormalClose);
    if (this.#isOver) return new Promise<null>(() => {});
    if (this.#session === undefined) return null;
    const { id, resumeUrl, sequence } = this.#session;
    return { sessionId: id, resumeURL: resumeUrl, sequence, shardId: 0, shardCount: 1 };
  }

  #connecting(raw: RawSocket): void {
    this.#raw = raw;
    if (this.#isOver) raw.terminate();
  }

  #closed(code: number): void {
    const trouble = this.#raw?.trouble();
    this.end({ type: 'closed', code, ...(trouble !== undefined && { trouble }) });
  }

  /** What the library is to make of it: no more than its part, and only what it can bear. */
  #read(frame: Frame): object | null {
    switch (frame.type) {
      case 'event':
        if (this.#session !== undefined) this.#dependencies.listener.event(frame);
        return null;
      case 'ready':
        return this.#begin(frame);
      case 'resumed':
        return this.#resume(frame.sequence);
      case 'hello':
        return this.#greet(frame.interval);
      case 'beat-wanted':
        return { op: GatewayOpcodes.Heartbeat };
      case 'acknowledged':
        return this.#beat();
      case 'reconnect':
      case 'invalid-session':
        this.end(frame);
        return null;
      case 'rubbish':
        return null;
    }
  }

  #begin(frame: Frame & { readonly type: 'ready' }): object | null {
    if (this.#isReady) return null;
    this.#isReady = true;
    this.#session = this.#dependencies.listener.began(frame);
    this.#watchBeats();
    const { sessionId: session_id, resumeUrl: resume_gateway_url, sequence } = frame;
    return { op: GatewayOpcodes.Dispatch, t: 'READY', s: sequence, d: { session_id, resume_gateway_url } };
  }

  #resume(sequence: number): object | null {
    if (this.#isReady || this.#session === undefined) return null;
    this.#isReady = true;
    this.#session.arrived(sequence)();
    this.#dependencies.listener.resumed();
    this.#watchBeats();
    return { op: GatewayOpcodes.Dispatch, t: 'RESUMED', s: sequence, d: {} };
  }

  /** A second greeting would give the library a second heart, which it can't stop any more. */
  #greet(interval: number): object | null {
    if (this.#beatInterval !== undefined) return null;
    this.#beatInterval = interval;
    return { op: GatewayOpcodes.Hello, d: { heartbeat_interval: interval } };
  }

  #beat(): object {
    if (this.#isReady) {
      this.#watchBeats();
      this.#dependencies.listener.beat();
    }
    return { op: GatewayOpcodes.HeartbeatAck };
  }

  /** The library notices the silence later, and then waits half a minute for an answer to its farewell. */
  #watchBeats(): void {
    this.#callOff();
    const patience = (this.#beatInterval ?? 0) + beatGrace;
    this.#callOff = this.#dependencies.clock.after(patience, () => this.end({ type: 'silent' }));
  }
}
