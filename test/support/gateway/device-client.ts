import { WebSocket } from 'ws';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../src/lib/json.ts';
import { Changes } from '../wait-for.ts';

export interface ClientOptions {
  readonly token?: string;
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** What follows the path: `session_id=x`. */
  readonly query?: string;
  readonly path?: string;
}

/** The other end of a device's WebSocket, by hand: it does nothing that it is not told to. */
export class DeviceClient {
  readonly socket: WebSocket;
  readonly frames: JsonObject[] = [];
  readonly changes = new Changes();
  /** The code with which it was closed. */
  closed: number | undefined;
  /** The status with which it was refused. */
  refused: number | undefined;
  #read = 0;

  constructor(address: string, { token, protocols = [], headers = {}, query, path = '/ws/chat' }: ClientOptions = {}) {
    const url = `${address.replace('http', 'ws')}${path}${query === undefined ? '' : `?${query}`}`;
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    this.socket = new WebSocket(url, [...protocols], { headers: { ...authorization, ...headers } });
    this.socket.on('message', (data) => {
      const frame = parseJson(String(data));
      if (isJsonObject(frame)) this.frames.push(frame);
      this.changes.notify();
    });
    this.socket.on('close', (code) => {
      this.closed = code;
      this.changes.notify();
    });
    this.socket.on('open', () => this.changes.notify());
    this.socket.on('error', () => this.changes.notify());
    this.socket.on('unexpected-response', (_request, response) => {
      this.refused = response.statusCode;
      response.resume();
      this.changes.notify();
    });
  }

  send(frame: JsonValue): void {
    this.sendRaw(JSON.stringify(frame));
  }

  sendRaw(text: string): void {
    this.socket.send(text);
  }

  /** The next frame of this type behind those that were waited for. */
  async next(type: string): Promise<JsonObject> {
    const found = await this.changes.waitFor(
      () => this.frames.findIndex((frame, index) => index >= this.#read && frame.type === type) + 1,
      { what: `a frame ${type}`, describe: () => JSON.stringify(this.frames) },
    );
    this.#read = found;
    return this.frames[found - 1] ?? {};
  }

  /** Says something. Resolves with the frame of this type that follows. */
  ask(content: string, type = 'done'): Promise<JsonObject> {
    this.send({ type: 'message', content });
    return this.next(type);
  }

  /** Offers a tool. Resolves when that is answered. */
  async offer(...tools: readonly JsonObject[]): Promise<JsonObject> {
    this.send({ type: 'register_tools', tools });
    return this.next('tools_registered');
  }

  all(type: string): readonly JsonObject[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  async whenOpen(): Promise<void> {
    await this.changes.waitFor(() => this.socket.readyState === WebSocket.OPEN, {
      what: 'the socket to open',
      describe: () => `refused: ${this.refused}`,
    });
  }

  async whenClosed(): Promise<number> {
    return this.changes.waitFor(() => this.closed, { what: 'the socket to be closed' });
  }

  /** Is gone without a word. Resolves when it is closed. */
  async vanish(): Promise<void> {
    this.socket.terminate();
    await this.whenClosed();
  }

  async whenRefused(): Promise<number> {
    return this.changes.waitFor(() => this.refused, { what: 'the socket to be refused' });
  }

  /** As a client of old begins. */
  async greet(frame: JsonObject = {}): Promise<this> {
    await this.next('session_start');
    this.send({ type: 'connect', v: 1, ...frame });
    await this.next('connected');
    return this;
  }
}
