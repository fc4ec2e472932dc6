/**
 * Keyturn's client for phones, browsers and scripts: `@keyturn/client`. Connects to the gateway, offers tools to all
 * chats of its person, and chats. Runs in browsers and in Node, without dependencies.
 */
import { refusalOf, socketAddress } from './address.ts';
import { tell } from './chat-events.ts';
import type { ClientState, ConnectOptions } from './connect-options.ts';
import { DeviceCalls } from './device-calls.ts';
import type { DeviceTool } from './device-tool.ts';
import { type Json, textOf } from './json.ts';
import { type MessageFile, PendingMessages } from './pending-messages.ts';
import { shownFile } from './shown-file.ts';
import { globalWebSocket, Socket, type SocketEvents, type WebSocketClass } from './socket.ts';

export type { ApprovalChoice, ApprovalRequest, ChatEvents } from './chat-events.ts';
export type { ClientState, ConnectOptions } from './connect-options.ts';
export {
  type CallContext,
  type DeviceTool,
  type ResultFile,
  type StandardSchema,
  type ToolResult,
  tool,
  withFiles,
} from './device-tool.ts';
export type { Json } from './json.ts';
export type { MessageFile } from './pending-messages.ts';
export type { ShownFile } from './shown-file.ts';
export type { WebSocketClass, WebSocketLike } from './socket.ts';

/** Connects, and reconnects until closed or refused. Throws `TypeError` on an invalid URL, or without `WebSocket`. */
export function connect(options: ConnectOptions): KeyturnClient {
  socketAddress(options.url, {});
  return new KeyturnClient(options);
}

/** Of a message besides its text. */
interface MessageOptions {
  readonly files?: readonly MessageFile[] | undefined;
  /** 1 to 100 letters, digits, `.`, `_` or `-`; made up if not set. */
  readonly messageId?: string | undefined;
}

/** The close code of a refusal that retries cannot change. */
const refused = 1008;

/** A device's connection to Keyturn, which reconnects by itself. Made by `connect`. */
export class KeyturnClient {
  readonly #options: ConnectOptions;
  readonly #tools = new Map<string, DeviceTool>();
  readonly #calls: DeviceCalls;
  readonly #pending = new PendingMessages();
  readonly #ending = new AbortController();
  readonly #webSocket: WebSocketClass;
  readonly #closed: Promise<string>;
  #resolveClosed: (reason: string) => void = () => {};
  #state: ClientState = 'connecting';
  #socket: Socket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;
  #sessionId: string | undefined;
  #lastSeq: number | undefined;

  constructor(options: ConnectOptions) {
    this.#options = options;
    this.#webSocket = options.webSocket ?? globalWebSocket();
    this.#closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#sessionId = options.sessionId;
    for (const tool of options.tools ?? []) this.#tools.set(tool.name, tool);
    const { concurrency = 1 } = options;
    this.#calls = new DeviceCalls({ tools: this.#tools, concurrency, send: (frame) => this.#send(frame) });
    void this.#open();
  }

  get state(): ClientState {
    return this.#state;
  }

  /** The session id; undefined until the server has named it. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** Resolves with the reason when the client is closed for good. */
  get closed(): Promise<string> {
    return this.#closed;
  }

  /**
   * Sends a message with optional files. Resolves once the server has stored all of it; resends it after each reconnect
   * until then. Rejects if the server refuses it. `messageId`: the same message under the same id counts once, also if
   * another client of the device has sent it before.
   */
  message(content: string, { files = [], messageId }: MessageOptions = {}): Promise<void> {
    if (this.#state === 'closed') return Promise.reject(new Error('The client is closed'));
    return this.#pending.add({ content, files, messageId }, (frame) => this.#send(frame));
  }

  /** Aborts the current answer. */
  abort(): void {
    this.#send({ type: 'abort' });
  }

  /** Requests another answer to the last message. */
  regenerate(): void {
    this.#send({ type: 'regenerate' });
  }

  /** Answers an approval: `choice` is the id of one of its choices, `text` the text it asks for. */
  decide(id: string, choice: string, text?: string): void {
    this.#send({ type: 'approval_response', id, choice, reason: text });
  }

  /** Offers more tools. Replaces tools of the same name. */
  register(...tools: readonly DeviceTool[]): void {
    for (const tool of tools) this.#tools.set(tool.name, tool);
    this.#offer(tools);
  }

  unregister(...names: readonly string[]): void {
    for (const name of names) this.#tools.delete(name);
    this.#send({ type: 'unregister_tools', names });
  }

  /** Sends a frame that no other method sends. It is lost if there is no connection now: `connected` comes with each new one. */
  send(frame: Json): void {
    this.#send(frame);
  }

  /** Closes the client for good. */
  close(): void {
    this.#end('It was closed here');
  }

  async #open(): Promise<void> {
    this.#is('connecting');
    const { ticket, token, heartbeat = 25_000 } = this.#options;
    try {
      const redeemable = typeof ticket === 'function' ? await ticket() : ticket;
      if (this.#state === 'closed') return;
      const query = { session_id: this.#sessionId, ticket: redeemable };
      const protocols = ['clawseed.v1', ...(token === undefined ? [] : [`bearer.${token}`])];
      const address = socketAddress(this.#options.url, query);
      this.#socket = new Socket({ webSocket: this.#webSocket, address, protocols, heartbeat }, this.#events());
    } catch (error) {
      this.#options.onError?.({ code: 'CONNECT', message: error instanceof Error ? error.message : String(error) });
      this.#wait();
    }
  }

  #events(): SocketEvents {
    return {
      opened: () => this.#greet(),
      heard: (frame) => this.#hear(frame),
      closed: ({ code, reason, wasOpen }) => {
        this.#socket = undefined;
        this.#calls.cancelAll('the connection was lost');
        void this.#lost(code, reason, wasOpen);
      },
    };
  }

  #greet(): void {
    const { deviceName, onApproval } = this.#options;
    const capabilities = ['acks', ...(onApproval === undefined ? [] : ['approvals'])];
    this.#send({ type: 'connect', v: 1, capabilities, device_name: deviceName, last_seq: this.#lastSeq });
    this.#offer([...this.#tools.values()]);
    for (const frame of this.#pending.frames()) this.#send(frame);
  }

  #hear(frame: Json): void {
    switch (frame.type) {
      case 'session_start':
        this.#sessionId = textOf(frame.session_id);
        break;
      case 'connected':
        this.#tries = 0;
        this.#is('open');
        break;
      case 'message_accepted':
        this.#pending.accepted(textOf(frame.message_id));
        break;
      case 'error':
        // A server that is stopping gets the message after the reconnect.
        if (frame.code !== 'CLOSING') this.#pending.refused(textOf(frame.message_id), textOf(frame.message));
        break;
      case 'file':
        this.#options.onFile?.(shownFile(frame, this.#options.url, this.#options, this.#ending.signal));
        break;
      case 'tool_call_request':
        this.#calls.take(frame);
        break;
      case 'tool_call_cancelled':
        this.#calls.cancel(textOf(frame.id), textOf(frame.reason));
        break;
    }
    // Advances `lastSeq` only after the handlers have run.
    tell(frame, this.#options);
    const { seq, type } = frame;
    // On reconnect, `session_start` has the newest number before the replay: only the first one counts.
    if (typeof seq === 'number' && (type !== 'session_start' || this.#lastSeq === undefined)) this.#lastSeq = seq;
  }

  async #lost(code: number, reason: string, wasOpen: boolean): Promise<void> {
    if (this.#state === 'closed') return;
    const { url, token, ticket } = this.#options;
    if (code === refused) return this.#end(reason);
    if (typeof ticket === 'string') return this.#end('The connection was lost, and a ticket is good once');
    const refusal = wasOpen || token === undefined ? undefined : await refusalOf(url, token, this.#ending.signal);
    if (refusal === undefined) this.#wait();
    else this.#end(refusal);
  }

  #wait(): void {
    if (this.#state === 'closed') return;
    this.#is('waiting');
    const { first, longest } = this.#options.backOff ?? { first: 1_000, longest: 30_000 };
    const pause = Math.min(longest, first * 2 ** Math.min(this.#tries, 30));
    this.#tries += 1;
    // Jitter, so that devices do not all reconnect at once.
    this.#timer = setTimeout(() => void this.#open(), pause * (1 + Math.random() / 2));
  }

  #end(reason: string): void {
    if (this.#state === 'closed') return;
    this.#is('closed');
    clearTimeout(this.#timer);
    this.#ending.abort();
    this.#socket?.close();
    this.#pending.fail(new Error(`The client is closed: ${reason}`));
    this.#resolveClosed(reason);
  }

  #offer(tools: readonly DeviceTool[]): void {
    if (tools.length === 0) return;
    const specs = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
    this.#send({ type: 'register_tools', tools: specs });
  }

  #send(frame: Json): void {
    this.#socket?.send(frame);
  }

  #is(state: ClientState): void {
    if (this.#state !== state) this.#options.onState?.(state);
    this.#state = state;
  }
}
