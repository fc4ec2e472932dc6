import type { RawData, WebSocket } from 'ws';
import type { JsonObject } from '../../../src/lib/json.ts';

/** Why Slack ends a connection. */
export type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled' | 'too_many_websockets';

interface Dependencies {
  readonly socket: WebSocket;
  readonly pingMs: number;
  readonly onMessage: (text: string) => void;
  readonly onClose: () => void;
}

/** One WebSocket that the app has opened. */
export class SocketConnection {
  readonly #socket: WebSocket;
  readonly #pings: NodeJS.Timeout;
  #isSilent = false;
  #isLeaving = false;

  constructor({ socket, pingMs, onMessage, onClose }: Dependencies) {
    this.#socket = socket;
    socket.on('message', (data: RawData) => onMessage(textOf(data)));
    socket.on('ping', (data) => {
      if (!this.#isSilent) socket.pong(data);
    });
    // What breaks is closed at once, and told so.
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      clearInterval(this.#pings);
      onClose();
    });
    this.#pings = setInterval(() => this.#ping(), pingMs);
  }

  /** Whether it counts as a connection of the app, silent or not. */
  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Whether something new may be sent through it. */
  get isReady(): boolean {
    return this.isOpen && !this.#isLeaving;
  }

  /** What is sent into silence is lost, and nobody says so. */
  send(message: JsonObject): void {
    if (!this.#isSilent && this.isOpen) this.#socket.send(JSON.stringify(message));
  }

  /** Asks the app to go. After a warning it may still be sent something. */
  disconnect(reason: DisconnectReason): void {
    this.send({ type: 'disconnect', reason, debug_info: { host: 'fake' } });
    if (reason !== 'warning') this.#isLeaving = true;
  }

  /** Ends it in due form. */
  close(): void {
    this.#socket.close(1000);
  }

  /** Ends it without a word. */
  drop(): void {
    this.#socket.terminate();
  }

  /** Sends nothing more. Resolves once the app has answered a last ping: nothing is on its way any more. */
  hush(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#isSilent = true;
    this.#socket.on('pong', (data) => {
      if (data.toString() === 'last') resolve();
    });
    this.#socket.ping('last');
    return promise;
  }

  /** From now on it is open, and nothing comes through it in either direction: half of it is gone. */
  fallSilent(): void {
    this.#isSilent = true;
    this.#socket.pause();
  }

  #ping(): void {
    if (!this.#isSilent && this.isOpen) this.#socket.ping('fake');
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return Buffer.isBuffer(data) ? data.toString() : Buffer.from(data).toString();
}
