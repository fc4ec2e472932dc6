import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { accountOf, type Device } from '../../../conversation/access/access.ts';
import type { WebClient } from '../../../feature-points.ts';
import type { Log } from '../../../lib/log.ts';
import type { DeviceBook, DevicesCore } from '../device-book.ts';
import type { DeviceConnection } from '../remote/device-connection.ts';
import { ArrivingFiles } from '../remote/file-parts.ts';
import type { RemoteTools } from '../remote/remote-tools.ts';
import { type ClientFrame, type FrameOf, readFrame, type ServerFrame } from './frames.ts';
import type { Listener, Session } from './session.ts';
import { isSessionId, type Sessions } from './sessions.ts';
import { DeviceSocket } from './socket.ts';

export interface Counters {
  pairing_failures: number;
  refused: number;
  connections: number;
  frames_in: number;
}

/** What all of the gateway shares. */
export interface GatewayParts extends DevicesCore {
  readonly devices: DeviceBook;
  readonly sessions: Sessions;
  readonly tools: RemoteTools;
  readonly counters: Counters;
}

export interface SocketQuery {
  readonly sessionId?: string | undefined;
  readonly name?: string | undefined;
  readonly persona?: string | undefined;
}

interface ConnectionEvents {
  readonly closed: () => void;
  /** How many more bytes of files its person's sockets may hold together. */
  readonly roomFor: () => number;
}

/**
 * One socket of a device. It enters the session named in its URL, or a new one; its first frame makes it a listener of
 * that session. Frames are handled in order and do not wait for a run.
 */
export class Connection {
  readonly device: Device;
  readonly #parts: GatewayParts;
  readonly #events: ConnectionEvents;
  readonly #log: Log;
  readonly #socket: DeviceSocket;
  readonly #files: ArrivingFiles;
  readonly #offered: DeviceConnection;
  readonly #listener: Listener;
  /** As other features know it. */
  readonly #client: WebClient;
  readonly #ended = new AbortController();
  #session: { readonly owner: string | undefined; readonly chat: Session } | undefined;
  #listened: Session | undefined;
  #capabilities: readonly string[] = [];

  constructor(webSocket: WebSocket, device: Device, parts: GatewayParts, events: ConnectionEvents) {
    this.device = device;
    this.#parts = parts;
    this.#events = events;
    this.#log = parts.log.child({ device: device.id });
    this.#files = new ArrivingFiles(parts.config.attachments.max_bytes);
    this.#socket = new DeviceSocket(webSocket, parts, {
      obey: (text) => this.#take(text),
      failed: (error) => this.#failed(error),
      closed: () => this.#closed(),
    });
    const socket = this.#socket;
    const showsApprovals = (): boolean => this.#capabilities.includes('approvals');
    this.#listener = {
      get showsApprovals() {
        return showsApprovals();
      },
      send: (frame) => socket.send(frame),
    };
    this.#client = {
      visitor: { device, principal: accountOf(device) },
      send: (frame) => void socket.send({ type: '', ...frame }),
      gone: this.#ended.signal,
    };
    this.#offered = parts.tools.attach({ device, send: (frame) => socket.send(frame) });
  }

  get heldBytes(): number {
    return this.#files.size;
  }

  /** Whether the session is still its person's: accounts may be linked and unlinked meanwhile. */
  isAtHome(): boolean {
    return this.#session === undefined || this.#parts.sessions.isOwn(this.device, this.#session.owner);
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Enters a session before any frame is handled. */
  open(query: SocketQuery): void {
    this.#socket.first(() => this.#enter(query));
  }

  #failed(error: unknown): void {
    this.#log.error({ err: error }, 'a frame of a device could not be obeyed');
    this.#socket.send({
      type: 'error',
      code: 'INTERNAL',
      message: 'Something went wrong inside Keyturn. Try again.',
    });
  }

  #closed(): void {
    this.#events.closed();
    this.#ended.abort();
    this.#parts.tools.detach(this.#offered);
    this.#listened?.detach(this.#listener);
  }

  /** Enters a session. If it may not, closes the socket. */
  async #enter({ sessionId: chosen, name, persona }: SocketQuery): Promise<void> {
    const { sessions, stored } = this.#parts;
    const { device } = this;
    const sessionId = chosen ?? randomUUID();
    if (!isSessionId(sessionId)) {
      const message = 'A session id is 1 to 128 letters, digits, ".", "_" or "-".';
      return this.#refuse({ type: 'error', code: 'INVALID_SESSION_ID', message });
    }
    // Claims a client-chosen name at once: others may guess it, and must not listen. Generated names cannot be guessed.
    const owner = chosen === undefined ? device.principal : await sessions.ownerFor({ device, sessionId });
    const count = await stored.sessions.count(sessionId);
    // After the last await: from here on, `review` sees every change.
    const objection = sessions.objectionTo(device, owner);
    if (objection !== undefined) return this.#refuse(objection);
    const chat = sessions.of(sessionId);
    this.#session = { owner, chat };
    this.#socket.send({
      type: 'session_start',
      v: 1,
      session_id: sessionId,
      resumed: count > 0,
      message_count: count,
      seq: chat.seq,
      name,
      persona,
    });
  }

  #refuse(frame: ServerFrame): void {
    this.#socket.send(frame);
    this.#socket.close(1008, 'See the error.');
  }

  async #take(text: string): Promise<void> {
    this.#parts.counters.frames_in += 1;
    if (!this.#parts.devices.isThere(this.device)) return this.close(1008, 'You are signed in here no longer.');
    const frame = readFrame(text);
    if (this.#session === undefined) return;
    const { chat } = this.#session;
    // Before its first frame, its `last_seq` and capabilities are unknown.
    if (frame.type === 'connect') return this.#connect(frame, chat.id);
    if (this.#listened !== chat) this.#listen(chat);
    const answer = await this.#answerTo(frame, chat.id);
    if (answer !== undefined) this.#socket.send(answer);
  }

  async #connect({ sessionId, lastSeq, deviceName, capabilities }: FrameOf<'connect'>, current: string): Promise<void> {
    if (deviceName !== undefined) {
      const failure = 'the name of a device could not be stored';
      const { devices } = this.#parts;
      await devices.introduced(this.device.id, deviceName).catch((err: unknown) => this.#log.warn({ err }, failure));
    }
    if (sessionId !== undefined && sessionId !== current) await this.#enter({ sessionId });
    if (this.#session === undefined || !this.#socket.isOpen()) return;
    this.#capabilities = capabilities;
    this.#socket.send({ type: 'connected', v: 1, message: 'Connection established' });
    this.#listen(this.#session.chat, lastSeq);
  }

  /** To the feature that knows frames of this type. They are for browsers. */
  #passOn({ name, frame }: FrameOf<'other'>): ServerFrame | undefined {
    const taken = this.device.isBrowser ? this.#parts.webFrames.get(name) : undefined;
    if (taken === undefined)
      return { type: 'error', code: 'UNKNOWN_MESSAGE_TYPE', message: 'No frame of this type is known.' };
    taken(frame, this.#client);
    return undefined;
  }

  #listen(chat: Session, lastSeq?: number): void {
    this.#listened?.detach(this.#listener);
    this.#listened = chat;
    chat.attach(this.#listener, lastSeq);
  }

  async #answerTo(
    frame: Exclude<ClientFrame, { readonly type: 'connect' }>,
    sessionId: string,
  ): Promise<ServerFrame | undefined> {
    const { sessions, tools } = this.#parts;
    const offered = this.#offered;
    const speaker = { device: this.device, sessionId };
    switch (frame.type) {
      case 'fault':
        return { type: 'error', code: frame.code, message: frame.message, message_id: frame.messageId };
      case 'other':
        return this.#passOn(frame);
      case 'ping':
        return { type: 'pong' };
      case 'message_chunk':
        this.#files.add(frame.piece, this.#events.roomFor());
        return undefined;
      case 'message': {
        const taken = this.#files.take(frame.attachments);
        if (typeof taken !== 'string') return sessions.say(speaker, { ...frame, files: taken });
        const message = `The message was not taken: ${taken}.`;
        // Names the message, so that the client does not resend it.
        return { type: 'error', code: 'INVALID_ATTACHMENT', message, message_id: frame.messageId };
      }
      case 'regenerate':
        return sessions.answerAgain(speaker);
      case 'approval_response':
        return sessions.press(speaker, frame);
      case 'abort': {
        const isAborted = await sessions.abort(speaker);
        // Old clients take any reply for an abort.
        if (!isAborted && !this.#capabilities.includes('acks')) return undefined;
        return { type: 'abort_ack', status: isAborted ? 'aborted' : 'no_active_response' };
      }
      case 'register_tools':
        return { type: 'tools_registered', ...tools.offer(offered, frame.tools) };
      case 'unregister_tools':
        return { type: 'tools_unregistered', ...offered.withdraw(frame.names) };
      case 'get_registered_tools':
        return { type: 'registered_tools', tools: offered.offered() };
      case 'result':
        return { type: 'result_acknowledged', id: frame.result.id, status: offered.settle(frame.result) };
      case 'tool_result_chunk': {
        // Chunks are many: no reply means accepted.
        const status = offered.chunk(frame.id, frame.piece);
        return status === 'accepted' ? undefined : { type: 'result_acknowledged', id: frame.id, status };
      }
      case 'tool_progress':
        offered.progress(frame.id, frame.message);
        return undefined;
    }
  }
}
