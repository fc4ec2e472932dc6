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
  /** Is told what comes in. Nothing is told after the end. */
  readonly listener: {
    /** Another session has begun, of a bot in so many servers. Gives the one that goes on from now on. */
    began(ready: ReadySession & { readonly guilds: number }): Session;
    /** The session goes on, and all that was missed has been sent. */
    resumed(): void;
    /** In the order in which Discord sent them. */
    event(event: GatewayEvent): void;
    /** Discord has acknowledged a heartbeat. */
    beat(): void;
  };
}

export interface GatewayEvent {
  readonly name: string;
  readonly data: unknown;
  readonly sequence: number;
}

/** How a connection to the gateway came to its end. */
export type SocketEnd =
  /** With a code of WebSocket's or Discord's; 1006 where there was no farewell. `trouble`: such as `ECONNREFUSED`. */
  | { readonly type: 'closed'; readonly code: number; readonly trouble?: string | undefined }
  | { readonly type: 'reconnect' }
  | { readonly type: 'invalid-session'; readonly isResumable: boolean }
  /** It never came to a session; `hello`: although it stood. */
  | { readonly type: 'unopened'; readonly hello: boolean }
  | { readonly type: 'silent' }
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

export type GatewaySocket = ReturnType<typeof openGatewaySocket>;

/**
 * One connection to Discord's gateway. Discord greets, and is sent heartbeats from then on; a session is asked for, or the
 * last one is gone on with; then events come. It never connects again: after its end another socket is made. What nobody
 * documents is ignored. Heartbeats and RESUME name the last event that is stored, so that Discord sends again what is not.
 */
export function openGatewaySocket({ token, intents, url, clock, listener, ...options }: SocketOptions) {
  const ended = Promise.withResolvers<SocketEnd>();
  const gone = Promise.withResolvers<void>();
  let { session } = options;
  let isReady = false;
  let isOver = false;
  /** Between two heartbeats, in milliseconds. Undefined before the greeting. */
  let interval: number | undefined;
  let trouble: string | undefined;
  let cancelBeat = (): void => {};
  /** Ends the patience with what is waited for. */
  let cancelWait = clock.after(openingPatience, () => end({ type: 'unopened', hello: interval !== undefined }));

  const address = new URL(url);
  address.search = '?v=10&encoding=json';
  address.hash = '';
  const socket = new WebSocket(address, { perMessageDeflate: false })
    .on('message', (data, isBinary) => read(isBinary ? '' : String(data)))
    .on('error', (error) => {
      trouble ??= 'code' in error && typeof error.code === 'string' ? error.code : error.message;
    })
    .on('close', (code) => {
      end({ type: 'closed', code, trouble });
      cancelWait();
      gone.resolve();
    });

  /** Ends it. The session can go on with another one. Once it has ended, another end changes nothing. */
  function end(reason: SocketEnd): void {
    if (isOver) return;
    isOver = true;
    cancelBeat();
    cancelWait();
    cancelWait = clock.after(closePatience, () => socket.terminate());
    socket.close(resumableClose);
    ended.resolve(reason);
  }

  function read(text: string): void {
    const { data: payload } = payloadShape.safeParse(parseJson(text));
    if (payload === undefined || isOver) return;
    switch (payload.op) {
      case Op.Dispatch:
        dispatch({ name: payload.t, data: payload.d, sequence: payload.s });
        break;
      case Op.Heartbeat:
        beat();
        break;
      case Op.Reconnect:
        end({ type: 'reconnect' });
        break;
      case Op.InvalidSession:
        end({ type: 'invalid-session', isResumable: payload.d });
        break;
      case Op.Hello:
        greet(payload.d.heartbeat_interval);
        break;
      case Op.HeartbeatAck:
        if (!isReady) return;
        awaitBeat();
        listener.beat();
    }
  }

  /** A second greeting gives it no second heart. */
  function greet(promised: number): void {
    if (interval !== undefined) return;
    interval = promised;
    const keepBeating = (): void => {
      cancelBeat = clock.after(promised, keepBeating);
      beat();
    };
    // Discord wants the first one at a time left to chance.
    cancelBeat = clock.after(promised * Math.random(), keepBeating);
    const properties = { os: platform(), browser: 'keyturn', device: 'keyturn' };
    if (session === undefined) send(Op.Identify, { token, intents, properties });
    else send(Op.Resume, { token, session_id: session.id, seq: session.sequence });
  }

  function beat(): void {
    send(Op.Heartbeat, session?.sequence ?? null);
  }

  function dispatch(event: GatewayEvent): void {
    if (event.name === 'READY') begin(event);
    else if (event.name === 'RESUMED') resume(event);
    else if (session !== undefined) listener.event(event);
  }

  function begin({ data, sequence }: GatewayEvent): void {
    const { data: ready } = readyShape.safeParse(data);
    if (ready === undefined || isReady) return;
    isReady = true;
    const { session_id: sessionId, resume_gateway_url: resumeUrl, guilds } = ready;
    session = listener.began({ sessionId, resumeUrl, sequence, guilds: guilds.length });
    awaitBeat();
  }

  function resume({ sequence }: GatewayEvent): void {
    if (session === undefined || isReady) return;
    isReady = true;
    session.arrived(sequence)();
    listener.resumed();
    awaitBeat();
  }

  function awaitBeat(): void {
    cancelWait();
    cancelWait = clock.after((interval ?? 0) + beatGrace, () => end({ type: 'silent' }));
  }

  function send(op: Op, d: unknown): void {
    socket.send(JSON.stringify({ op, d }));
  }

  /** `gone` resolves when nothing is left of it, which takes half a second at most after its end. */
  return { ended: ended.promise, gone: gone.promise, end };
}
