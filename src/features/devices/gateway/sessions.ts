import { randomUUID } from 'node:crypto';
import { type ChannelHost, type Conversation, conversationId, type Sender } from '../../../contract.ts';
import { accountOf, type Device, deviceChannel } from '../../../conversation/access/access.ts';
import { commandWords } from '../../../conversation/commands/words.ts';
import type { Origin } from '../../../engine/message.ts';
import { Background } from '../../../lib/background.ts';
import { eventTag, oneName } from '../../../words/model-words.ts';
import type { DeviceBook, DevicesCore } from '../device-book.ts';
import type { ArrivedFile } from '../remote/file-parts.ts';
import { deviceWords } from '../words.ts';
import type { FrameOf, ServerFrame } from './frames.ts';
import { Session } from './session.ts';

/** A device that talks in a session. */
interface Speaker {
  readonly device: Device;
  readonly sessionId: string;
}

/** A client's message and its own id for it. */
interface SaidMessage extends Pick<FrameOf<'message'>, 'content' | 'messageId'> {
  readonly files: readonly ArrivedFile[];
}

/**
 * The sessions of devices in memory, their ownership, and the way of messages, decisions and aborts into the core.
 * Those return a frame for the client, or nothing.
 */
export interface Sessions {
  open(host: ChannelHost): void;
  /** Refuses all further messages and decisions. */
  close(): void;
  of(id: string): Session;
  /** The account that owns the session, claimed if nobody does; undefined if that exceeds the person's limit. */
  ownerFor(speaker: Speaker): Promise<string | undefined>;
  isOwn(device: Device, owner: string | undefined): boolean;
  /** Why the device may not talk in a session of this owner; undefined if it may. */
  objectionTo(device: Device, owner: string | undefined): Refusal | undefined;
  /** Whether the session shows a turn in progress. */
  isRunning(id: string): boolean;
  /** Marks the turns of these conversations as ended by a person. */
  aborted(conversationIds: readonly string[]): void;
  /** Resolves once the message and its files are stored. Idempotent by `messageId`. */
  say(speaker: Speaker, said: SaidMessage): Promise<ServerFrame | undefined>;
  answerAgain(speaker: Speaker): Promise<ServerFrame | undefined>;
  /** Passes on a decision. The core checks whether this person may decide. */
  press(speaker: Speaker, pressed: FrameOf<'approval_response'>): Promise<ServerFrame>;
  /**
   * Ends the run of the session; returns whether there was one. Like `/stop`, with an audit entry, but without a chat
   * message: the device is told by frames.
   */
  abort(speaker: Speaker): Promise<boolean>;
}

export function createSessions(core: DevicesCore, devices: DeviceBook): Sessions {
  const context: SessionsContext = { core, devices, known: new KnownSessions(core) };
  const { known } = context;
  return {
    open: (host) => known.open(host),
    close: () => known.open(undefined),
    of: (id) => known.of(id),
    ownerFor: (speaker) => ownerFor(speaker, context),
    isOwn: (device, owner) => isOwn(device, owner, context),
    objectionTo: (device, owner) => objectionTo(device, owner, context),
    isRunning: (id) => known.isRunning(id),
    aborted: (conversationIds) => known.aborted(conversationIds),
    say: (speaker, said) => say(speaker, said, context),
    answerAgain: (speaker) => answerAgain(speaker, context),
    press: (speaker, pressed) => press(speaker, pressed, context),
    abort: (speaker) => abort(speaker, context),
  };
}

interface SessionsContext {
  readonly core: DevicesCore;
  readonly devices: DeviceBook;
  readonly known: KnownSessions;
}

/** Idle sessions that stay in memory. */
const mostIdle = 100;

/** The sessions in memory, and the channel while it is open. */
class KnownSessions {
  readonly #core: DevicesCore;
  readonly #background: Background;
  /** In order of last use. */
  readonly #sessions = new Map<string, Session>();
  #host: ChannelHost | undefined;

  constructor(core: DevicesCore) {
    this.#core = core;
    this.#background = new Background(core.log);
  }

  /** Undefined while messages and decisions are refused. */
  get host(): ChannelHost | undefined {
    return this.#host;
  }

  open(host: ChannelHost | undefined): void {
    this.#host = host;
  }

  of(id: string): Session {
    const known = this.#sessions.get(id);
    const session = known ?? this.#made(id);
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    if (known === undefined) {
      const idle = [...this.#sessions].filter(([, one]) => one.isIdle());
      // Never drops the session just made.
      for (const [forgotten] of idle.slice(0, Math.max(0, idle.length - 1 - mostIdle)))
        this.#sessions.delete(forgotten);
    }
    return session;
  }

  isRunning(id: string): boolean {
    return this.#sessions.get(id)?.isRunning() === true;
  }

  aborted(conversationIds: readonly string[]): void {
    for (const [id, session] of this.#sessions)
      if (conversationIds.includes(conversationId(conversationOf(id)))) session.ends('aborted');
  }

  #made(id: string): Session {
    const { readers, clock } = this.#core;
    const conversation = conversationOf(id);
    const whenIdle = async (): Promise<void> => this.#host?.whenIdle(conversation);
    return new Session({
      id,
      lastSeq: clock.now(),
      whenIdle: (idle) => this.#background.run('a turn of a device could not be ended', () => whenIdle().finally(idle)),
      language: () => readers.forConversation(conversationId(conversation)).language,
    });
  }
}

async function ownerFor({ device, sessionId }: Speaker, { core }: SessionsContext): Promise<string | undefined> {
  const { stored, accounts, clock } = core;
  const owner = await stored.sessions.ownerOf(sessionId);
  if (owner !== undefined) return owner;
  const principals = accounts.accountsOf(accountOf(device));
  const most = core.own.gateway.max_sessions_per_person;
  return stored.sessions.claim({ id: sessionId, principal: device.principal, principals, most, at: clock.now() });
}

function isOwn(device: Device, owner = '', { core: { accounts } }: SessionsContext): boolean {
  return accounts.accountsOf(accountOf(device)).includes(owner);
}

function objectionTo(device: Device, owner: string | undefined, context: SessionsContext): Refusal | undefined {
  if (owner === undefined) return tooMany;
  return isOwn(device, owner, context) ? undefined : mismatch;
}

async function say(speaker: Speaker, said: SaidMessage, context: SessionsContext): Promise<ServerFrame | undefined> {
  const { messageId } = said;
  const { known, core } = context;
  const to = known.host;
  if (to === undefined) return closing;
  const objection = objectionTo(speaker.device, await ownerFor(speaker, context), context);
  if (objection !== undefined) return { ...objection, message_id: messageId };
  const session = known.of(speaker.sessionId);
  const settled = session.begin();
  try {
    if (await storeMessage(to, speaker, said, context)) return accepted(messageId);
    session.ends('aborted');
  } catch (error) {
    // Not confirmed, so a client that waits for that resends it.
    session.ends('failed');
    const { language } = core.readers.forAnswer({
      principal: accountOf(speaker.device),
      conversation: conversationOf(session.id),
    });
    session.explain(deviceWords[language].notStored);
    to.log.warn({ err: error }, 'a message of a device could not be stored');
  } finally {
    settled();
  }
  return undefined;
}

/** Returns false if the device was revoked while its files were written. */
async function storeMessage(
  to: ChannelHost,
  { device, sessionId }: Speaker,
  { content, messageId, files }: SaidMessage,
  { core, devices }: SessionsContext,
): Promise<boolean> {
  const { stored, clock } = core;
  const key = `${device.id}:${messageId ?? randomUUID()}`;
  try {
    const bytes = files.map((file) => file.bytes);
    const handles = files.length === 0 ? [] : await stored.files.receive(key, bytes);
    if (devices.find(device.id) === undefined) return false;
    await to.receive({
      type: 'message',
      key,
      conversation: conversationOf(sessionId),
      sender: senderOf(device),
      text: content,
      addressed: true,
      sentAt: clock.now(),
      attachments: files.map(({ bytes, kind, name, mediaType }, index) => ({
        kind,
        name,
        mediaType,
        handle: handles[index] ?? '',
        size: bytes.length,
      })),
    });
    return true;
  } finally {
    stored.files.settled(key);
  }
}

async function answerAgain(speaker: Speaker, context: SessionsContext): Promise<ServerFrame | undefined> {
  const { stored, clock, wake } = context.core;
  const objection = objectionTo(speaker.device, await ownerFor(speaker, context), context);
  if (objection !== undefined) return objection;
  const origin = originOf(speaker);
  const text = anotherAnswerEvent(origin.name);
  if (!(await stored.sessions.answerAgain({ ...origin, text, at: clock.now() }))) return noMessage;
  wake([origin.conversationId]);
  return undefined;
}

async function press(
  { device, sessionId }: Speaker,
  { id, actionId, reason }: FrameOf<'approval_response'>,
  { known: { host } }: SessionsContext,
): Promise<ServerFrame> {
  if (host === undefined) return closing;
  const { notice } = await host.receive({
    type: 'action',
    key: `${device.id}:${randomUUID()}`,
    conversation: conversationOf(sessionId),
    sender: senderOf(device),
    actionId,
    messageRef: { id },
    text: reason,
  });
  return { type: 'approval_ack', id, status: notice === undefined ? 'accepted' : 'refused', message: notice };
}

async function abort(speaker: Speaker, { core, known }: SessionsContext): Promise<boolean> {
  const { store, readers, clock, stop, halt, takeAway, deliver } = core;
  const session = known.of(speaker.sessionId);
  const origin = { ...originOf(speaker), conversation: conversationOf(session.id) };
  const command = { origin, name: 'stop', effect: store.effects.stop, answer: () => undefined, at: clock.now() };
  const { conversationId: here } = origin;
  let upTo: number | undefined;
  let goOn = (): void => {};
  const taken = takeAway({
    origin,
    held: commandWords[readers.forAnswer(origin).language].stopHeld,
    async now() {
      const ends = [halt([here])];
      goOn = () => ends.forEach((endHalt) => void endHalt());
      if (session.isRunning()) session.ends('aborted');
      const [newest, subRuns] = await Promise.all([store.inbox.newestSeq(here), store.inbox.subRunsOf(here)]);
      upTo = newest;
      ends.push(halt(subRuns));
    },
    store: (isLate, after) =>
      store.inbox.obey(isLate ? { ...command, upTo } : command, ({ conversationIds, result }) =>
        after(() => {
          if (endedAny(result)) session.ends('aborted');
          goOn();
          for (const id of [here, ...result.subRuns]) stop(id);
          deliver(conversationIds);
        }),
      ),
    over: () => goOn(),
  });
  // It holds though it is not stored yet.
  const obeyed = await taken.catch((error: unknown) => (store.state.isAtFault(error) ? held : Promise.reject(error)));
  return obeyed === held || (obeyed.status === 'done' && endedAny(obeyed.result));
}

const held = { status: 'held' } as const;

function endedAny({ stopped, cancelled }: { readonly stopped: boolean; readonly cancelled: number }): boolean {
  return stopped || cancelled > 0;
}

/** Whether a client may use this as a session id: it must be one segment of paths and ids. */
export function isSessionId(id: string): boolean {
  return /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/.test(id);
}

function conversationOf(sessionId: string): Conversation {
  return { channel: deviceChannel, chatId: sessionId, kind: 'direct' };
}

function originOf({ device, sessionId }: Speaker): Omit<Origin, 'conversation'> {
  const principal = accountOf(device);
  const key = `${principal}:${randomUUID()}`;
  return { key, conversationId: conversationId(conversationOf(sessionId)), principal, name: device.personName };
}

function senderOf({ id, personName }: Device): Sender {
  return { id, name: personName, isPerson: true };
}

/** Confirms a message that has an id. */
function accepted(messageId: string | undefined): ServerFrame | undefined {
  return messageId === undefined ? undefined : { type: 'message_accepted', message_id: messageId };
}

/** A type, so that it is a frame. */
type Refusal = { readonly type: 'error'; readonly code: string; readonly message: string };

function refusal(code: string, message: string): Refusal {
  return { type: 'error', code, message };
}

const closing = refusal('CLOSING', 'Keyturn is being stopped. Come again.');
const noMessage = refusal('NO_USER_MESSAGE', 'Nothing was said here yet that could be answered again.');
const tooMany = refusal(
  'TOO_MANY_SESSIONS',
  'You have reached the limit of sessions: gateway.max_sessions_per_person. Continue one of them.',
);
const mismatch = refusal('SESSION_OWNER_MISMATCH', 'This session belongs to somebody else. Choose another id.');

/** Asks the model to answer the last message again. */
function anotherAnswerEvent(name: string): string {
  return `<${eventTag} kind="another_answer">\n${oneName(name)} wants another answer to what was said last: answer it again, and do not speak of the answer before.\n</${eventTag}>`;
}
