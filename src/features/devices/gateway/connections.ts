import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { accountOf, type Device } from '../../../conversation/access/access.ts';
import { Background } from '../../../lib/background.ts';
import type { DeviceBook, DevicesCore } from '../device-book.ts';
import { arrivingFiles } from '../remote/file-parts.ts';
import type { RemoteTools } from '../remote/remote-tools.ts';
import { deviceSettings } from '../settings.ts';
import { type ClientFrame, type FrameOf, readFrame, type ServerFrame } from './frames.ts';
import type { Listener, Session } from './session.ts';
import { isSessionId, type Sessions } from './sessions.ts';
import { deviceSocket } from './socket.ts';

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

export type Connections = ReturnType<typeof createConnections>;

/** All open sockets, and their limits. */
export function createConnections(parts: GatewayParts) {
  const { accounts, config, counters, devices, rules } = parts;
  const own = parts.settings(deviceSettings);
  const open = new Set<Connection>();
  const background = new Background(parts.log);

  function ofPerson(device: Device): readonly Connection[] {
    const accountsOfPerson = accounts.accountsOf(accountOf(device));
    return [...open].filter((connection) => accountsOfPerson.includes(accountOf(connection.device)));
  }

  function closeWhere(isMeant: (connection: Connection) => boolean, code: number, reason: string): void {
    for (const connection of [...open].filter(isMeant)) connection.close(code, reason);
  }

  return {
    count: (): number => open.size,

    isOnline: (deviceId: string): boolean => [...open].some(({ device }) => device.id === deviceId),

    /** Why the device may not open another socket now; undefined if it may. */
    refusalOf(device: Device): { readonly status: 429 | 503; readonly reason: string } | undefined {
      const { max_connections, max_connections_per_person } = own.gateway;
      if (open.size >= max_connections)
        return { status: 503, reason: 'The limit of connections is reached. Try again later.' };
      if (ofPerson(device).length >= max_connections_per_person)
        return { status: 429, reason: 'You have reached the limit of connected devices and pages. Close one.' };
      return undefined;
    },

    connect(webSocket: WebSocket, device: Device, query: SocketQuery): void {
      const connection: Connection = deviceConnection(webSocket, device, parts, {
        closed: () => void open.delete(connection),
        roomFor: () =>
          2 * config.attachments.max_bytes - ofPerson(device).reduce((sum, { heldBytes }) => sum + heldBytes(), 0),
      });
      open.add(connection);
      counters.connections += 1;
      background.run('it could not be noted that a device was connected', () => devices.seen(device.id));
      connection.open(query);
    },

    /** Closes sockets whose person may no longer talk, and sockets on a session that is no longer their person's. */
    review(): void {
      const isBarred = ({ device }: Connection): boolean => !rules.mayTalk(accountOf(device));
      closeWhere(isBarred, 1008, 'Your account may no longer talk here.');
      closeWhere(({ isAtHome }) => !isAtHome(), 1008, 'This session belongs to somebody else now.');
    },

    /** Closes the sockets of a device that was unpaired; its calls fail. */
    hangUpOn: (deviceId: string): void =>
      closeWhere(({ device }) => device.id === deviceId, 1008, 'This device is paired no longer.'),

    /** Closes all sockets. Those that do not close within a second are terminated. */
    async close(): Promise<void> {
      closeWhere(() => true, 1001, 'Keyturn is being stopped. Come again.');
      await background.settled();
    },
  };
}

type Connection = ReturnType<typeof deviceConnection>;

/**
 * One socket of a device. It enters the session named in its URL, or a new one; its first frame makes it a listener of
 * that session. Frames are handled in order and do not wait for a run. `roomFor`: how many more bytes of files its
 * person's sockets may hold together.
 */
function deviceConnection(
  webSocket: WebSocket,
  device: Device,
  parts: GatewayParts,
  events: { readonly closed: () => void; readonly roomFor: () => number },
) {
  const { config, counters, devices, sessions, stored, tools } = parts;
  const log = parts.log.child({ device: device.id });
  let session: { readonly owner: string | undefined; readonly chat: Session } | undefined;
  let listened: Session | undefined;
  let capabilities: readonly string[] = [];
  const files = arrivingFiles(config.attachments.max_bytes);
  const socket = deviceSocket(webSocket, parts, {
    obey(text) {
      counters.frames_in += 1;
      return obey(readFrame(text));
    },
    failed(error) {
      log.error({ err: error }, 'a frame of a device could not be obeyed');
      socket.send({ type: 'error', code: 'INTERNAL', message: 'Something went wrong inside Keyturn. Try again.' });
    },
    closed() {
      events.closed();
      tools.detach(offered);
      listened?.detach(listener);
    },
  });
  const offered = tools.attach({ device, send: socket.send });
  const listener: Listener = {
    get showsApprovals() {
      return capabilities.includes('approvals');
    },
    send: socket.send,
  };

  /** Enters a session. If it may not, closes the socket. */
  async function enter({ sessionId: chosen, name, persona }: SocketQuery): Promise<void> {
    const sessionId = chosen ?? randomUUID();
    if (!isSessionId(sessionId)) {
      const message = 'A session id is 1 to 128 letters, digits, ".", "_" or "-".';
      return refuse({ type: 'error', code: 'INVALID_SESSION_ID', message });
    }
    // Claims a client-chosen name at once: others may guess it, and must not listen. Generated names cannot be guessed.
    const owner = chosen === undefined ? device.principal : await sessions.ownerFor({ device, sessionId });
    const count = await stored.sessions.count(sessionId);
    // After the last await: from here on, `review` sees every change.
    const objection = sessions.objectionTo(device, owner);
    if (objection !== undefined) return refuse(objection);
    const chat = sessions.of(sessionId);
    session = { owner, chat };
    const facts = { session_id: sessionId, resumed: count > 0, message_count: count, seq: chat.seq(), name, persona };
    socket.send({ type: 'session_start', v: 1, ...facts });
  }

  function refuse(frame: ServerFrame): void {
    socket.send(frame);
    socket.close(1008, 'See the error.');
  }

  async function obey(frame: ClientFrame): Promise<void> {
    if (session === undefined) return;
    const { chat } = session;
    // Before its first frame, its `last_seq` and capabilities are unknown.
    if (frame.type === 'connect') return connect(frame, chat.id);
    if (listened !== chat) listen(chat);
    const answer = await answerTo(frame, chat.id);
    if (answer !== undefined) socket.send(answer);
  }

  async function connect({ sessionId, lastSeq, deviceName, ...said }: FrameOf<'connect'>, current: string) {
    if (deviceName !== undefined) {
      const failure = 'the name of a device could not be stored';
      await devices.introduced(device.id, deviceName).catch((err: unknown) => log.warn({ err }, failure));
    }
    if (sessionId !== undefined && sessionId !== current) await enter({ sessionId });
    if (session === undefined || !socket.isOpen()) return;
    capabilities = said.capabilities;
    socket.send({ type: 'connected', v: 1, message: 'Connection established' });
    listen(session.chat, lastSeq);
  }

  function listen(chat: Session, lastSeq?: number): void {
    listened?.detach(listener);
    listened = chat;
    chat.attach(listener, lastSeq);
  }

  async function answerTo(
    frame: Exclude<ClientFrame, { readonly type: 'connect' }>,
    sessionId: string,
  ): Promise<ServerFrame | undefined> {
    const speaker = { device, sessionId };
    switch (frame.type) {
      case 'fault':
        return { type: 'error', code: frame.code, message: frame.message, message_id: frame.messageId };
      case 'ping':
        return { type: 'pong' };
      case 'message_chunk':
        files.add(frame.piece, events.roomFor());
        return undefined;
      case 'message': {
        const taken = files.take(frame.attachments);
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
        if (!isAborted && !capabilities.includes('acks')) return undefined;
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

  return {
    device,
    heldBytes: files.size,
    /** Whether the session is still its person's: accounts may be linked and unlinked meanwhile. */
    isAtHome: (): boolean => session === undefined || sessions.isOwn(device, session.owner),
    close: socket.close,
    /** Enters a session before any frame is handled. */
    open: (query: SocketQuery): void => socket.first(() => enter(query)),
  };
}
