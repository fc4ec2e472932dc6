import { randomUUID } from 'node:crypto';
import {
  type ChannelHost,
  type Conversation,
  conversationId,
  type InboundAttachment,
  type Sender,
} from '../../../contract.ts';
import {
  accountOf,
  type Device,
  type DeviceFiles,
  deviceChannel,
  type SessionStore,
} from '../../../conversation/devices/device-stores.ts';
import type { Origin } from '../../../engine/message.ts';
import type { Clock } from '../../../lib/clock.ts';
import { eventTag, oneName } from '../../../words/model-words.ts';
import type { DeviceBook } from '../device-book.ts';
import type { People } from './credentials.ts';
import type { ServerFrame } from './frames.ts';
import { Session } from './session.ts';

/** Somebody on a device, in a session. */
interface Speaker {
  readonly device: Device;
  readonly sessionId: string;
}

/** A message of a client, and its own name for it. */
interface SaidMessage {
  readonly content: string;
  readonly messageId?: string | undefined;
  readonly files: readonly ArrivedFile[];
}

/** A file that came with a message; its name and its type, where the device says so. */
export interface ArrivedFile {
  readonly kind: InboundAttachment['kind'];
  readonly name: string | undefined;
  readonly mediaType: string | undefined;
  readonly bytes: Uint8Array;
}

interface SessionsDependencies {
  readonly devices: DeviceBook;
  readonly store: SessionStore;
  readonly files: DeviceFiles;
  readonly people: People;
  /** How many sessions one person may have. */
  readonly most: () => number;
  /**
   * Ends the run of a conversation, as `/stop` does. Resolves with whether there was anything to end. `ended` is called if
   * so, before the run comes to its end.
   */
  readonly stopRun: (origin: Origin, ended: () => void) => Promise<boolean>;
  /** Something was stored that lets these conversations go on. */
  readonly wake: (conversationIds: readonly string[]) => void;
  readonly clock: Clock;
}

/** So many sessions are remembered that nobody shows. */
const mostIdle = 100;

type ErrorFrame = Extract<ServerFrame, { readonly type: 'error' }>;

/**
 * The chats of devices: whose they are, those that are shown or talked in now and some that were lately, and the way of
 * messages, decisions and aborts to the core. Each of these answers with a frame for its client, if with any.
 */
export class Sessions {
  readonly #dependencies: SessionsDependencies;
  /** The one that was asked for last is the last. */
  readonly #sessions = new Map<string, Session>();
  #host: ChannelHost | undefined;
  #isOpen = false;

  constructor(dependencies: SessionsDependencies) {
    this.#dependencies = dependencies;
  }

  open(host: ChannelHost): void {
    this.#host = host;
    this.#isOpen = true;
  }

  /** Nothing more is taken. */
  close(): void {
    this.#isOpen = false;
  }

  of(id: string): Session {
    const known = this.#sessions.get(id);
    const session = known ?? new Session(id, this.#dependencies.clock.now(), (idle) => void this.#whenIdle(id, idle));
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    if (known === undefined) this.#forgetIdle();
    return session;
  }

  /** Whether something goes on in it, as far as it is shown. */
  isRunning(id: string): boolean {
    return this.#sessions.get(id)?.isRunning === true;
  }

  /** The runs of these conversations were ended by a person: their sessions say so, where they are shown. */
  aborted(conversationIds: readonly string[]): void {
    for (const [id, session] of this.#sessions)
      if (conversationIds.includes(conversationId(placeOf(id)))) session.aborted();
  }

  /** The account that owns the session: the first to choose its name. Undefined if it would be one too many for its person. */
  async ownerFor({ device, sessionId }: Speaker): Promise<string | undefined> {
    const { store, people, most, clock } = this.#dependencies;
    const owner = await store.ownerOf(sessionId);
    if (owner !== undefined) return owner;
    const principals = people.accountsOf(accountOf(device));
    return store.claim(sessionId, device.principal, { principals, most: most(), at: clock.now() });
  }

  /** Why the device may not talk in a session of this owner; undefined if it may. */
  objectionTo(device: Device, owner: string | undefined): ErrorFrame | undefined {
    if (owner === undefined) return tooMany;
    return this.isOwn(device, owner) ? undefined : mismatch;
  }

  /** Whether the owner is the device's person. */
  isOwn(device: Device, owner: string): boolean {
    return this.#dependencies.people.accountsOf(accountOf(device)).includes(owner);
  }

  /** How many messages it has. */
  count(id: string): Promise<number> {
    return this.#dependencies.store.count(id);
  }

  /** Resolves once it is stored, with all its files. The same `messageId` said again is said once. */
  async say(speaker: Speaker, said: SaidMessage): Promise<ServerFrame | undefined> {
    const { messageId } = said;
    const host = this.#host;
    if (host === undefined || !this.#isOpen) return closing;
    const objection = this.objectionTo(speaker.device, await this.ownerFor(speaker));
    if (objection !== undefined) return { ...objection, message_id: messageId };
    const { turn, stored } = this.of(speaker.sessionId).begin();
    try {
      if (!(await this.#store(host, speaker, said))) {
        turn.ends('aborted');
        return undefined;
      }
    } catch (error) {
      turn.ends('failed');
      turn.explain('This could not be stored, and will not be answered. Say it again.');
      host.log.warn({ err: error }, 'a message of a device could not be stored');
      // It is not confirmed: a client that waits for that says it again.
      return undefined;
    } finally {
      stored();
    }
    return messageId === undefined ? undefined : { type: 'message_accepted', message_id: messageId };
  }

  /** False if the device was revoked while its files were written. */
  async #store(
    host: ChannelHost,
    { device, sessionId }: Speaker,
    { content, messageId, files }: SaidMessage,
  ): Promise<boolean> {
    const { files: folder, clock, devices } = this.#dependencies;
    const key = `${device.id}:${messageId ?? randomUUID()}`;
    try {
      const bytes = files.map((file) => file.bytes);
      const handles = files.length === 0 ? [] : await folder.receive(key, bytes);
      if (devices.find(device.id) === undefined) return false;
      await host.receive({
        type: 'message',
        key,
        conversation: placeOf(sessionId),
        sender: senderOf(device),
        text: content,
        addressed: true,
        sentAt: clock.now(),
        ...(files.length === 0 ? {} : { attachments: attachmentsOf(files, handles) }),
      });
      return true;
    } finally {
      folder.settled(key);
    }
  }

  /** Has the model answer once more. */
  async answerAgain(speaker: Speaker): Promise<ServerFrame | undefined> {
    const { store, wake, clock } = this.#dependencies;
    const objection = this.objectionTo(speaker.device, await this.ownerFor(speaker));
    if (objection !== undefined) return objection;
    const { conversationId: id, ...origin } = originOf(speaker);
    const text = anotherAnswerEvent(origin.name);
    if (!(await store.answerAgain({ conversationId: id, ...origin, text, at: clock.now() }))) return noMessage;
    wake([id]);
    return undefined;
  }

  /** Takes a decision. The approval knows whether this person may decide. */
  async press(
    { device, sessionId }: Speaker,
    { id, actionId, reason }: { readonly id: string; readonly actionId: string; readonly reason?: string | undefined },
  ): Promise<ServerFrame> {
    if (this.#host === undefined || !this.#isOpen) return closing;
    const { notice } = await this.#host.receive({
      type: 'action',
      key: `${device.id}:${randomUUID()}`,
      conversation: placeOf(sessionId),
      sender: senderOf(device),
      actionId,
      messageRef: { id },
      text: reason,
    });
    return { type: 'approval_ack', id, status: notice === undefined ? 'accepted' : 'refused', message: notice };
  }

  /** Ends the run of the session. Whether there was one. */
  async abort(speaker: Speaker): Promise<boolean> {
    const session = this.of(speaker.sessionId);
    return this.#dependencies.stopRun({ ...originOf(speaker), conversation: placeOf(session.id) }, () =>
      session.aborted(),
    );
  }

  async #whenIdle(id: string, idle: () => void): Promise<void> {
    try {
      await this.#host?.whenIdle(placeOf(id)).finally(idle);
    } catch (error) {
      this.#host?.log.error({ err: error }, 'a turn of a device could not be ended');
    }
  }

  #forgetIdle(): void {
    const idle = [...this.#sessions].filter(([, session]) => session.isIdle);
    // The newest has just been asked for.
    for (const [id] of idle.slice(0, Math.max(0, idle.length - 1 - mostIdle))) this.#sessions.delete(id);
  }
}

/** A name for a session that a client may choose: it is one segment of paths and ids. */
export function isSessionId(id: string): boolean {
  return /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/.test(id);
}

function placeOf(sessionId: string): Conversation {
  return { channel: deviceChannel, chatId: sessionId, kind: 'direct' };
}

function originOf({ device, sessionId }: Speaker) {
  const principal = accountOf(device);
  const key = `${principal}:${randomUUID()}`;
  return { key, conversationId: conversationId(placeOf(sessionId)), principal, name: device.personName };
}

function senderOf({ id, personName }: Device): Sender {
  return { id, name: personName, isPerson: true };
}

function attachmentsOf(files: readonly ArrivedFile[], handles: readonly string[]): readonly InboundAttachment[] {
  return files.map(({ kind, name, mediaType, bytes }, index) => ({
    kind,
    handle: handles[index] ?? '',
    size: bytes.length,
    name,
    mediaType,
  }));
}

const closing: ServerFrame = { type: 'error', code: 'CLOSING', message: 'Keyturn is being stopped. Come again.' };
const noMessage: ServerFrame = {
  type: 'error',
  code: 'NO_USER_MESSAGE',
  message: 'Nothing was said here yet that could be answered again.',
};
const tooMany: ErrorFrame = {
  type: 'error',
  code: 'TOO_MANY_SESSIONS',
  message: 'You have as many sessions as one person may have: gateway.max_sessions_per_person. Go on with one of them.',
};
const mismatch: ErrorFrame = {
  type: 'error',
  code: 'SESSION_OWNER_MISMATCH',
  message: 'This session belongs to somebody else. Choose another id.',
};

/** Asks the model for another answer than the one that a person got. */
function anotherAnswerEvent(name: string): string {
  return `<${eventTag} kind="another_answer">\n${oneName(name)} wants another answer to what was said last: answer it again, and do not speak of the answer before.\n</${eventTag}>`;
}
