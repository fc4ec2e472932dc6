import { type Json, readFrame } from './json.ts';

export interface SocketEvents {
  opened(): void;
  heard(frame: Json): void;
  /** Called once. `wasOpen`: whether it was ever open. */
  closed(closing: { readonly code: number; readonly reason: string; readonly wasOpen: boolean }): void;
}

/** The part of a WebSocket that the client uses: browsers, Node 22 and later, and the package `ws` have it. */
export interface WebSocketLike {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number; readonly reason: string }) => void): void;
}

export type WebSocketClass = new (address: URL, protocols: string[]) => WebSocketLike;

/** Throws `TypeError` if there is no global `WebSocket`. */
export function globalWebSocket(): WebSocketClass {
  if (typeof WebSocket === 'function') return WebSocket;
  throw new TypeError('There is no WebSocket here, as in Node 20: pass `webSocket`, such as that of the package ws');
}

export interface SocketOptions {
  readonly webSocket: WebSocketClass;
  readonly address: URL;
  readonly protocols: readonly string[];
  /** Interval of pings, in ms. The server counts as gone after three intervals of silence. */
  readonly heartbeat: number;
}

/** The close code of a connection that was lost. */
const lost = 1006;
/** `readyState` OPEN. */
const open = 1;

/** One WebSocket that detects silence. */
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
    // `close` follows; without a listener, some implementations report the error as uncaught.
    this.#webSocket.addEventListener('error', () => {});
    this.#timer = setInterval(() => this.#beat(), heartbeat);
  }

  /** Returns false if the socket is not open. */
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
