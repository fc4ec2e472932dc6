import { randomUUID } from 'node:crypto';
import type { DeviceBook } from '../conversation/devices/device-book.ts';
import type { Device } from '../conversation/devices/device-store.ts';
import type { SessionStore } from '../conversation/devices/session-store.ts';
import type { Log } from '../lib/log.ts';
import type { DeviceTools } from '../tools/sources/remote/device-link.ts';
import { ArrivingFiles } from './arriving-files.ts';
import type { ChatDesk } from './chat-desk.ts';
import type { ChatSession, Listener } from './chat-session.ts';
import { type ChatSessions, isSessionId } from './chat-sessions.ts';
import { type ClientFrame, readFrame } from './client-frame.ts';
import type { DeviceSocket } from './device-socket.ts';
import { FrameQueue } from './frame-queue.ts';
import type { ServerFrame } from './server-frames.ts';
import type { SessionOwners } from './session-owners.ts';
import { answerToolFrame } from './tool-frames.ts';

export interface ConnectionDependencies {
  readonly device: Device;
  readonly socket: DeviceSocket;
  readonly devices: Pick<DeviceBook, 'find' | 'introduced'>;
  readonly sessions: ChatSessions;
  readonly store: Pick<SessionStore, 'count'>;
  readonly owners: SessionOwners;
  readonly tools: DeviceTools;
  readonly desk: ChatDesk;
  /** The most that the files of one message may have together, in bytes. */
  readonly maxFiles: number;
  /** For how many bytes of files there is room still, as its person has other sockets too. */
  readonly roomFor: () => number;
  readonly log: Log;
}

/** What the address of the socket says. */
export interface SocketQuery {
  readonly sessionId?: string;
  readonly name?: string;
  readonly persona?: string;
}

/** One socket of a device: obeys its frames in their order, whatever runs meanwhile. */
export class Connection implements Listener {
  /** Another one for each socket. */
  readonly id = randomUUID();
  readonly #dependencies: ConnectionDependencies;
  #session: { readonly id: string; readonly owner: string; readonly chat: ChatSession } | undefined;
  /** What it is shown. */
  #listened: ChatSession | undefined;
  #capabilities: readonly string[] = [];
  readonly #frames: FrameQueue;
  readonly #files: ArrivingFiles;

  constructor(dependencies: ConnectionDependencies) {
    this.#dependencies = dependencies;
    const { socket, log, maxFiles } = dependencies;
    this.#files = new ArrivingFiles({ maxBytes: maxFiles });
    this.#frames = new FrameQueue({
      failed: (error) => {
        log.error({ err: error }, 'a frame of a device could not be obeyed');
        this.send({ type: 'error', code: 'INTERNAL', message: 'Something went wrong inside Keyturn. Try again.' });
      },
      overflowed: () => socket.close(1013, 'You ask for more than can be done. Come again.'),
      hold: (isHeld) => socket.hold(isHeld),
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
    const { device, owners } = this.#dependencies;
    return this.#session === undefined || owners.isOwn(device, this.#session.owner);
  }

  send(frame: ServerFrame): boolean {
    return this.#dependencies.socket.send(frame);
  }

  /** Says who is there, before anything is obeyed. */
  open(query: SocketQuery): void {
    this.#frames.add(0, async () => {
      if (await this.#enter(query.sessionId ?? randomUUID(), query)) this.#attach();
    });
  }

  /** Takes a frame. Never waits: what it asks for is done after what was asked for before. */
  hear(text: string): void {
    const frame = readFrame(text);
    this.#frames.add(text.length, () => this.#obey(frame));
  }

  /** The socket is gone. */
  close(): void {
    this.#frames.close();
    this.#dependencies.tools.detach(this.id);
    this.#listened?.detach(this);
  }

  #attach(): void {
    const { device, devices, tools } = this.#dependencies;
    tools.attach({
      connection: this.id,
      device: {
        id: device.id,
        // It may say later what it is called.
        get name() {
          return devices.find(device.id)?.name ?? device.name;
        },
      },
      principal: device.principal,
      send: (frame) => this.send(frame),
    });
  }

  async #enter(sessionId: string, query: SocketQuery): Promise<boolean> {
    const { store, owners, device, sessions, socket } = this.#dependencies;
    if (!isSessionId(sessionId)) {
      const message = 'A session id is 1 to 128 letters, digits, ".", "_" or "-".';
      return this.#refuse({ type: 'error', code: 'INVALID_SESSION_ID', message }, socket);
    }
    // A name that a client has chosen is taken at once: whoever guesses it must not listen. Nobody guesses one of ours.
    const isChosen = query.sessionId !== undefined;
    const owner = isChosen ? await owners.ownerFor(device, sessionId) : device.principal;
    const count = await store.count(sessionId);
    // Asked for last: from here on, it is reviewed whenever that may have changed.
    const objection = owners.objectionTo(device, owner);
    if (objection !== undefined || owner === undefined) return this.#refuse(objection, socket);
    if (this.#frames.isClosed) return false;
    const chat = sessions.of(sessionId);
    this.#session = { id: sessionId, owner, chat };
    this.send({
      type: 'session_start',
      v: 1,
      session_id: sessionId,
      resumed: count > 0,
      message_count: count,
      seq: chat.seq,
      ...(query.name === undefined ? {} : { name: query.name }),
      ...(query.persona === undefined ? {} : { persona: query.persona }),
    });
    return true;
  }

  #refuse(frame: ServerFrame | undefined, socket: DeviceSocket): false {
    if (frame !== undefined) this.send(frame);
    socket.close(1008, 'See the error.');
    return false;
  }

  async #obey(frame: ClientFrame): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    // Until its first frame, nobody knows what it has seen and what it shows.
    if (frame.type === 'connect') return this.#connect(frame, session.id);
    if (this.#listened !== session.chat) this.#listen(session.chat);
    const answer = await this.#answer(frame, session.id);
    if (answer !== undefined) this.send(answer);
  }

  #answer(frame: Exclude<ClientFrame, { type: 'connect' }>, sessionId: string) {
    switch (frame.type) {
      case 'fault':
        return errorAbout(frame.messageId, { code: frame.code, message: frame.message });
      case 'message_chunk':
        return this.#files.add(frame.piece, this.#dependencies.roomFor());
      case 'ping':
        return { type: 'pong' } as const;
      case 'register_tools':
      case 'unregister_tools':
      case 'get_registered_tools':
      case 'result':
      case 'tool_result_chunk':
      case 'tool_progress':
        return answerToolFrame(frame, this.id, this.#dependencies.tools);
      case 'message':
      case 'abort':
      case 'regenerate':
      case 'approval_response':
        return this.#answerTo(frame, sessionId);
    }
  }

  async #connect(frame: Frame<'connect'>, current: string): Promise<void> {
    const { sessionId, lastSeq, deviceName, capabilities } = frame;
    const { device, devices } = this.#dependencies;
    if (deviceName !== undefined) await devices.introduced(device.id, deviceName);
    if (sessionId !== undefined && sessionId !== current && !(await this.#enter(sessionId, { sessionId }))) return;
    const chat = this.#session?.chat;
    if (chat === undefined) return;
    // What it shows may be another than before.
    this.#capabilities = capabilities;
    this.send({ type: 'connected', v: 1, message: 'Connection established' });
    this.#listen(chat, lastSeq);
  }

  #listen(chat: ChatSession, lastSeq?: number): void {
    // It may have gone while its name was stored: what it would be shown waits for somebody who is there.
    if (this.#frames.isClosed) return;
    this.#listened?.detach(this);
    this.#listened = chat;
    if (lastSeq === undefined) chat.catchUp(this);
    else chat.replayTo(this, lastSeq);
    chat.attach(this);
  }

  async #answerTo(frame: Frame<TalkFrameType>, sessionId: string): Promise<ServerFrame | undefined> {
    const { desk, device } = this.#dependencies;
    const speaker = { device, sessionId };
    switch (frame.type) {
      case 'message': {
        const files = this.#files.take(frame.attachments);
        if (typeof files !== 'string') return desk.say(speaker, { ...frame, files });
        const message = `The message was not taken: ${files}.`;
        return errorAbout(frame.messageId, { code: 'INVALID_ATTACHMENT', message });
      }
      case 'regenerate':
        return desk.answerAgain(speaker);
      case 'approval_response':
        return desk.press(speaker, frame);
      case 'abort': {
        const isAborted = await desk.abort(speaker);
        // Clients of old take any answer for an abort.
        if (!isAborted && !this.#capabilities.includes('acks')) return undefined;
        return { type: 'abort_ack', status: isAborted ? 'aborted' : 'no_active_response' };
      }
    }
  }
}

/** An error that answers a message names it, so that nobody says it again. */
function errorAbout(
  messageId: string | undefined,
  error: { readonly code: string; readonly message: string },
): ServerFrame {
  return { type: 'error', ...error, ...(messageId === undefined ? {} : { message_id: messageId }) };
}

type TalkFrameType = 'message' | 'abort' | 'regenerate' | 'approval_response';
type Frame<Type extends ClientFrame['type']> = Extract<ClientFrame, { readonly type: Type }>;
