import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { InboundAttachment } from '../../../contract.ts';
import type { Device } from '../../../conversation/devices/device-stores.ts';
import { isJsonObject, type JsonValue } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import type { DeviceBook } from '../device-book.ts';
import type { DeviceConnection } from '../remote/device-calls.ts';
import { FileParts, type FilePiece, tooLarge } from '../remote/file-parts.ts';
import type { RemoteTools } from '../remote/remote-tools.ts';
import { type ClientFrame, readFrame, type ServerFrame } from './frames.ts';
import type { Listener, Session } from './session.ts';
import { type ArrivedFile, isSessionId, type Sessions } from './sessions.ts';
import { DeviceSocket, FrameQueue, type SocketParts } from './socket.ts';

/** The counters of the gateway since the process began. */
export interface Counters {
  pairing_failures: number;
  refused: number;
  connections: number;
  frames_in: number;
}

export interface ConnectionParts extends SocketParts {
  readonly devices: DeviceBook;
  readonly sessions: Sessions;
  readonly tools: RemoteTools;
  readonly counters: Counters;
  readonly log: Log;
}

interface ConnectionEvents {
  readonly closed: () => void;
  /** For how many bytes of files there is room still, as its person has other sockets too. */
  readonly roomFor: () => number;
}

/** The query of the socket's address. */
export interface SocketQuery {
  readonly sessionId?: string | undefined;
  readonly name?: string | undefined;
  readonly persona?: string | undefined;
}

/**
 * One socket of a device. It first enters a session, the one of its address or a new one; with its first frame it is shown
 * that session. Its frames are obeyed in their order, and wait for no run.
 */
export class Connection implements Listener {
  readonly device: Device;
  readonly #parts: ConnectionParts;
  readonly #events: ConnectionEvents;
  readonly #socket: DeviceSocket;
  readonly #frames: FrameQueue;
  readonly #files: ArrivingFiles;
  #session: { readonly owner: string; readonly chat: Session } | undefined;
  /** The tools that it offers, once it is in a session. */
  #offers: DeviceConnection | undefined;
  /** The session that it is shown. */
  #listened: Session | undefined;
  #capabilities: readonly string[] = [];

  constructor(webSocket: WebSocket, device: Device, parts: ConnectionParts, events: ConnectionEvents) {
    this.device = device;
    this.#parts = parts;
    this.#events = events;
    const { clock, config, counters } = parts;
    const log = parts.log.child({ device: device.id });
    const callOffHello = clock.after(config.gateway.hello_secs * 1000, () =>
      this.close(1008, 'You said nothing. Come again.'),
    );
    this.#files = new ArrivingFiles(config.attachments.max_bytes);
    this.#frames = new FrameQueue({
      failed: (error) => {
        log.error({ err: error }, 'a frame of a device could not be obeyed');
        this.send({ type: 'error', code: 'INTERNAL', message: 'Something went wrong inside Keyturn. Try again.' });
      },
      overflowed: () => this.close(1013, 'You ask for more than can be done. Come again.'),
      hold: (isHeld) => this.#socket.hold(isHeld),
    });
    this.#socket = new DeviceSocket(webSocket, parts, {
      heard: (text) => {
        callOffHello();
        counters.frames_in += 1;
        const frame = readFrame(text);
        this.#frames.add(text.length, () => this.#obey(frame));
      },
      closed: () => {
        callOffHello();
        events.closed();
        this.#frames.close();
        if (this.#offers !== undefined) parts.tools.detach(this.#offers);
        this.#listened?.detach(this);
      },
    });
  }

  /** How much of files waits for its message, in bytes. */
  get heldBytes(): number {
    return this.#files.size;
  }

  get showsApprovals(): boolean {
    return this.#capabilities.includes('approvals');
  }

  /** Whether the session is its person's: accounts are linked and parted while it is shown. */
  get isAtHome(): boolean {
    return this.#session === undefined || this.#parts.sessions.isOwn(this.device, this.#session.owner);
  }

  send(frame: ServerFrame): boolean {
    return this.#socket.send(frame);
  }

  ping(): void {
    this.#socket.ping();
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Enters a session, before any frame is obeyed. */
  open(query: SocketQuery): void {
    this.#frames.add(0, async () => {
      if (await this.#enter(query)) this.#offers = this.#parts.tools.attach(this.#link());
    });
  }

  #link() {
    const { device } = this;
    const { devices } = this.#parts;
    return {
      connection: randomUUID(),
      device: {
        id: device.id,
        // It may get its name later.
        get name() {
          return devices.find(device.id)?.name ?? device.name;
        },
      },
      principal: device.principal,
      send: (frame: ServerFrame) => this.send(frame),
    };
  }

  async #enter({ sessionId: chosen, name, persona }: SocketQuery): Promise<boolean> {
    const { sessions } = this.#parts;
    const { device } = this;
    const sessionId = chosen ?? randomUUID();
    if (!isSessionId(sessionId)) {
      const message = 'A session id is 1 to 128 letters, digits, ".", "_" or "-".';
      return this.#refuse({ type: 'error', code: 'INVALID_SESSION_ID', message });
    }
    // A name that a client has chosen is taken at once: others may guess it, and must not listen. Nobody guesses one of ours.
    const owner = chosen === undefined ? device.principal : await sessions.ownerFor({ device, sessionId });
    const count = await sessions.count(sessionId);
    // Asked for last: from here on, it is reviewed whenever that may have changed.
    const objection = sessions.objectionTo(device, owner);
    if (objection !== undefined || owner === undefined) return this.#refuse(objection);
    if (this.#frames.isClosed) return false;
    const chat = sessions.of(sessionId);
    this.#session = { owner, chat };
    const facts = { session_id: sessionId, resumed: count > 0, message_count: count, seq: chat.seq, name, persona };
    this.send({ type: 'session_start', v: 1, ...facts });
    return true;
  }

  #refuse(frame: ServerFrame | undefined): false {
    if (frame !== undefined) this.send(frame);
    this.close(1008, 'See the error.');
    return false;
  }

  async #obey(frame: ClientFrame): Promise<void> {
    if (this.#session === undefined || this.#offers === undefined) return;
    const { chat } = this.#session;
    // Until its first frame, nobody knows what it has seen and what it shows.
    if (frame.type === 'connect') return this.#connect(frame, chat.id);
    if (this.#listened !== chat) this.#listen(chat);
    const answer = await this.#answer(frame, chat.id, this.#offers);
    if (answer !== undefined) this.send(answer);
  }

  async #connect({ sessionId, lastSeq, deviceName, capabilities }: Frame<'connect'>, current: string): Promise<void> {
    if (deviceName !== undefined) await this.#parts.devices.introduced(this.device.id, deviceName);
    if (sessionId !== undefined && sessionId !== current && !(await this.#enter({ sessionId }))) return;
    if (this.#session === undefined) return;
    this.#capabilities = capabilities;
    this.send({ type: 'connected', v: 1, message: 'Connection established' });
    this.#listen(this.#session.chat, lastSeq);
  }

  #listen(chat: Session, lastSeq?: number): void {
    // It may have gone while its name was stored: what it would be shown waits for somebody who is there.
    if (this.#frames.isClosed) return;
    this.#listened?.detach(this);
    this.#listened = chat;
    chat.attach(this, lastSeq);
  }

  async #answer(
    frame: Exclude<ClientFrame, { readonly type: 'connect' }>,
    sessionId: string,
    offers: DeviceConnection,
  ): Promise<ServerFrame | undefined> {
    const { sessions, tools } = this.#parts;
    const speaker = { device: this.device, sessionId };
    switch (frame.type) {
      case 'fault':
        return { type: 'error', code: frame.code, message: frame.message, message_id: frame.messageId };
      case 'ping':
        return { type: 'pong' };
      case 'message_chunk':
        this.#files.add(frame.piece, this.#events.roomFor());
        return undefined;
      case 'message': {
        const files = this.#files.take(frame.attachments);
        if (typeof files !== 'string') return sessions.say(speaker, { ...frame, files });
        const message = `The message was not taken: ${files}.`;
        // It names the message, so that the client does not say it again.
        return { type: 'error', code: 'INVALID_ATTACHMENT', message, message_id: frame.messageId };
      }
      case 'regenerate':
        return sessions.answerAgain(speaker);
      case 'approval_response':
        return sessions.press(speaker, frame);
      case 'abort': {
        const isAborted = await sessions.abort(speaker);
        // Old clients take any answer for an abort.
        if (!isAborted && !this.#capabilities.includes('acks')) return undefined;
        return { type: 'abort_ack', status: isAborted ? 'aborted' : 'no_active_response' };
      }
      case 'register_tools':
        return { type: 'tools_registered', ...tools.offer(offers, frame.tools) };
      case 'unregister_tools':
        return { type: 'tools_unregistered', ...offers.withdraw(frame.names) };
      case 'get_registered_tools':
        return { type: 'registered_tools', tools: offers.offered() };
      case 'result':
        return { type: 'result_acknowledged', id: frame.result.id, status: offers.settle(frame.result) };
      case 'tool_result_chunk': {
        // There are many of them: silence means that it was taken.
        const status = offers.chunk(frame.id, frame.piece);
        return status === 'accepted' ? undefined : { type: 'result_acknowledged', id: frame.id, status };
      }
      case 'tool_progress':
        offers.progress(frame.id, frame.message);
        return undefined;
    }
  }
}

type Frame<Type extends ClientFrame['type']> = Extract<ClientFrame, { readonly type: Type }>;

const kinds = ['image', 'voice', 'audio', 'video', 'file'] as const satisfies readonly InboundAttachment['kind'][];
const mostFiles = 10;
/** No system has longer ones, in UTF-16 units: of those, the end is kept, which says what they are. */
const longestName = 255;

/** The files of the next message of a socket: their pieces come before it. */
class ArrivingFiles {
  readonly #maxBytes: number;
  #parts: FileParts;
  #fault: string | undefined;

  /** `maxBytes`: of one message. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#parts = new FileParts({ maxBytes });
  }

  /** How much waits for its message, in bytes. */
  get size(): number {
    return this.#parts.size;
  }

  /** Takes a piece. A fault is told when the message is there. `room`: for how many bytes there is some. */
  add(piece: FilePiece, room: number): void {
    if (this.#fault !== undefined) return;
    // In base64, two characters at most stand for nothing.
    const isTooMuch = Math.floor(piece.data.length * 0.75) - 2 > room;
    this.#fault = isTooMuch ? 'more is on its way from your devices than is taken at once' : this.#parts.add(piece);
    if (this.#fault !== undefined) this.#parts = new FileParts({ maxBytes: this.#maxBytes });
  }

  /** The files of the message that is here now, or why they cannot be taken, as half a sentence. The pieces are gone then. */
  take(items: readonly JsonValue[]): readonly ArrivedFile[] | string {
    const [parts, fault] = [this.#parts, this.#fault];
    this.#parts = new FileParts({ maxBytes: this.#maxBytes });
    this.#fault = undefined;
    if (items.length === 0) return [];
    if (fault !== undefined) return fault;
    if (items.length > mostFiles) return `it has more than ${mostFiles} attachments`;
    const files = items.map((item) => fileOf(item, parts));
    const missing = files.find((file) => typeof file === 'string');
    if (missing !== undefined) return missing;
    const taken = files.filter((file) => typeof file !== 'string');
    const size = taken.reduce((sum, { bytes }) => sum + bytes.length, 0);
    return size > this.#maxBytes ? tooLarge(this.#maxBytes) : taken;
  }
}

function fileOf(item: JsonValue, parts: FileParts): ArrivedFile | string {
  if (!isJsonObject(item)) return 'an attachment is an object';
  const kind = kinds.find((one) => one === item.type);
  if (kind === undefined) return `the "type" of an attachment is one of ${kinds.join(', ')}`;
  const file = parts.fileOf(item);
  if (file === undefined) return 'a file of it is missing, not whole, or no base64';
  const { name, media_type: type } = item;
  const isType = typeof type === 'string' && /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type);
  return {
    kind,
    bytes: file.bytes,
    name: typeof name === 'string' && name !== '' ? name.slice(-longestName).toWellFormed() : undefined,
    mediaType: isType ? type : undefined,
  };
}
