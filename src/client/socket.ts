import { type Json, readFrame } from './json.ts';

export interface SocketEvents {
  opened(): void;
  heard(frame: Json): void;
  /** Called once. `wasOpen`: whether it was ever open. */
  closed(closing: { readonly code: number; readonly reason: string; readonly wasOpen: boolean }): void;
}

export interface SocketOptions {
  readonly address: URL;
  readonly protocols: readonly string[];
  /** How often the server is asked whether it is there, in milliseconds. One that is silent for three times as long is not. */
  readonly heartbeat: number;
}

/** A socket that was cut without a word. */
const lost = 1006;

/** One WebSocket, which is noticed when it has gone silent. */
export class Socket {
  readonly #webSocket: WebSocket;
  readonly #events: SocketEvents;
  readonly #heartbeat: number;
  readonly #timer: ReturnType<typeof setInterval>;
  #heardAt = Date.now();
  #wasOpen = false;
  #isClosed = false;

  constructor({ address, protocols, heartbeat }: SocketOptions, events: SocketEvents) {
    this.#events = events;
    this.#heartbeat = heartbeat;
    this.#webSocket = new WebSocket(address, [...protocols]);
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
    if (this.#webSocket.readyState !== WebSocket.OPEN) return false;
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
