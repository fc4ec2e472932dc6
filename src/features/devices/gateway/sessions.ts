import { randomUUID } from 'node:crypto';
import {
  type ChannelHost,
  type Conversation,
  conversationId,
  type InboundAttachment,
  type Sender,
} from '../../../contract.ts';
import { accountOf, type Device, deviceChannel } from '../../../conversation/devices/device-stores.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { eventTag, oneName } from '../../../words/model-words.ts';
import type { DeviceBook } from '../device-book.ts';
import type { ArrivedFile } from '../remote/file-parts.ts';
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

type SessionsCore = Pick<FeatureCore, 'store' | 'accounts' | 'config' | 'clock' | 'wake' | 'stop' | 'deliver'>;

/** So many sessions are remembered that nobody shows. */
const mostIdle = 100;

type ErrorFrame = Extract<ServerFrame, { readonly type: 'error' }>;

/**
 * The chats of devices: whose they are, those that are shown or talked in now and some that were lately, and the way of
 * messages, decisions and aborts to the core. Each of these answers with a frame for its client, if with any.
 */
export class Sessions {
  readonly #core: SessionsCore;
  readonly #devices: DeviceBook;
  /** The one that was asked for last is the last. */
  readonly #sessions = new Map<string, Session>();
  #host: ChannelHost | undefined;
  #isOpen = false;

  constructor(core: SessionsCore, devices: DeviceBook) {
    this.#core = core;
    this.#devices = devices;
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
    const session = known ?? new Session(id, this.#core.clock.now(), (idle) => void this.#whenIdle(id, idle));
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
    const { store, accounts, config, clock } = this.#core;
    const owner = await store.sessions.ownerOf(sessionId);
    if (owner !== undefined) return owner;
    const principals = accounts.accountsOf(accountOf(device));
    const most = config.gateway.max_sessions_per_person;
    return store.sessions.claim(sessionId, device.principal, { principals, most, at: clock.now() });
  }

  /** Why the device may not talk in a session of this owner; undefined if it may. */
  objectionTo(device: Device, owner: string | undefined): ErrorFrame | undefined {
    if (owner === undefined) return tooMany;
    return this.isOwn(device, owner) ? undefined : mismatch;
  }

  /** Whether the owner is the device's person. */
  isOwn(device: Device, owner: string): boolean {
    return this.#core.accounts.accountsOf(accountOf(device)).includes(owner);
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
    const { store, clock } = this.#core;
    const folder = store.deviceFiles;
    const key = `${device.id}:${messageId ?? randomUUID()}`;
    try {
      const bytes = files.map((file) => file.bytes);
      const handles = files.length === 0 ? [] : await folder.receive(key, bytes);
      if (this.#devices.find(device.id) === undefined) return false;
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
    const { store, wake, clock } = this.#core;
    const objection = this.objectionTo(speaker.device, await this.ownerFor(speaker));
    if (objection !== undefined) return objection;
    const { conversationId: id, ...origin } = originOf(speaker);
    const text = anotherAnswerEvent(origin.name);
    if (!(await store.sessions.answerAgain({ conversationId: id, ...origin, text, at: clock.now() }))) return noMessage;
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

  /**
   * Ends the run of the session. Whether there was one. As `/stop` does it, with its trace in the audit, but without words in the
   * chat: the device is told by frames.
   */
  async abort(speaker: Speaker): Promise<boolean> {
    const { clock, store, stop, deliver } = this.#core;
    const session = this.of(speaker.sessionId);
    const origin = { ...originOf(speaker), conversation: placeOf(session.id) };
    const command = {
      origin,
      name: 'stop',
      effect: { type: 'stop' },
      answer: () => undefined,
      at: clock.now(),
    } as const;
    const obeyed = await store.inbox.obey(command, ({ subRuns, places, ...result }) => {
      if (endedAny(result)) session.aborted();
      for (const conversationId of [origin.conversationId, ...subRuns]) stop(conversationId);
      deliver(places);
    });
    return obeyed.status === 'done' && endedAny(obeyed);
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

function endedAny({ stopped, cancelled }: { readonly stopped: boolean; readonly cancelled: number }): boolean {
  return stopped || cancelled > 0;
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
