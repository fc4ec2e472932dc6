import { type Json, readFrame } from './json.ts';

export interface SocketEvents {
  opened(): void;
  heard(frame: Json): void;
  /** Called once. `wasOpen`: whether it was ever open. */
  closed(closing: { readonly code: number; readonly reason: string; readonly wasOpen: boolean }): void;
}

/** What the client needs of a WebSocket: that of browsers and of Node from 22 on has it, and that of the package `ws`. */
export interface WebSocketLike {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number; readonly reason: string }) => void): void;
}

export type WebSocketClass = new (address: URL, protocols: string[]) => WebSocketLike;

/** What browsers have. Throws `TypeError` where there is none. */
export function globalWebSocket(): WebSocketClass {
  if (typeof WebSocket === 'function') return WebSocket;
  throw new TypeError('There is no WebSocket here, as in Node 20: pass `webSocket`, such as that of the package ws');
}

export interface SocketOptions {
  readonly webSocket: WebSocketClass;
  readonly address: URL;
  readonly protocols: readonly string[];
  /** How often the server is asked whether it is there, in milliseconds. One that is silent for three times as long is not. */
  readonly heartbeat: number;
}

/** A socket that was cut without a word. */
const lost = 1006;
/** The `readyState` of a socket that takes what is sent. */
const open = 1;

/** One WebSocket, which is noticed when it has gone silent. */
export class Socket {
  readonly #webSocket: WebSocketLike;
  readonly #events: SocketEvents;
  readonly #heartbeat: number;
  readonly #timer: ReturnType<typeof setInterval>;
  #heardAt = Date.now();
  #wasOpen = false;
  #isClosed = false;

  constructor({ webSocket, address, protocols, heartbeat }: SocketOptions, events: SocketEvents) {
    this.#events = events;
    this.#heartbeat = heartbeat;
    this.#webSocket = new webSocket(address, [...protocols]);
    this.#webSocket.addEventListener('open', () => {
      this.#wasOpen = true;
      events.opened();
    });
    this.#webSocket.addEventListener('message', ({ data }) => this.#hear(data));
    this.#webSocket.addEventListener('close', ({ code, reason }) => this.#end(code, reason));
    // It is followed by `close`; but without a listener, some would report it by themselves.
    this.#webSocket.addEventListener('error', () => {});
    this.#timer = setInterval(() => this.#beat(), heartbeat);
  }

  /** Whether it was sent on its way. */
  send(frame: Json): boolean {
    if (this.#webSocket.readyState !== open) return false;
    this.#webSocket.send(JSON.stringify(frame));
    return true;
  }

  close(): void {
    this.#webSocket.close(1000);
    this.#end(1000, '');
  }

  #hear(data: unknown): void {
    this.#heardAt = Date.now();
    const frame = readFrame(data);
    if (frame !== undefined && !this.#isClosed) this.#events.heard(frame);
  }

  #beat(): void {
    if (Date.now() - this.#heardAt <= 3 * this.#heartbeat) {
      this.send({ type: 'ping' });
      return;
    }
    this.#webSocket.close();
    this.#end(lost, 'The server has gone silent');
  }

  #end(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#events.closed({ code, reason, wasOpen: this.#wasOpen });
  }
}
