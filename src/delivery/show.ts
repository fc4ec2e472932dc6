/*
 * Shows one message on its platform, part by part. Each part is noted before the next is sent, so that an interrupted
 * message continues and no part is sent twice. A streamed reply becomes the message in place; a decided card is edited in
 * place.
 */

import {
  type ChannelAdapter,
  ChannelError,
  type Conversation,
  type MessageRef,
  type OutboundMessage,
  type ReplyStream,
} from '../contract.ts';
import type { Core } from '../engine/feature.ts';
import { sleep } from '../lib/clock.ts';
import type { MessageDelivered } from '../telemetry.ts';
import type { Redactor } from '../tools/guard/redact/redact.ts';
import { redactedMessage } from '../tools/guard/redact/redacted-output.ts';
import {
  changedPartsOf,
  type FileKey,
  lateNote,
  type Part,
  type PartsOptions,
  partsOf,
} from '../words/message-parts.ts';
import {
  growingPause,
  type MessageFiles,
  type OutboxRow,
  type OutboxStore,
  type PauseSettings,
  type SentPart,
} from './outbox.ts';
import { deliveryWords } from './words.ts';

export interface SenderSettings extends PauseSettings {
  /** A longer text is sent as its beginning, and whole as a file. */
  readonly maxMessages: number;
  /** A message sent later than this says so. In ms. */
  readonly lateAfter: number;
  /**
   * A message that may have killed two processes waits until this one has lived so long, in ms: other causes show up
   * earlier.
   */
  readonly steadyAfter: number;
}

/** Replies that are streamed while the model writes. Sending one ends its stream. */
interface OpenReplies {
  /** The open stream of the message, if any. */
  take(row: OutboxRow, adapter: ChannelAdapter): ReplyStream | undefined;
  /** The stream could not be ended now. */
  putBack(row: OutboxRow, stream: ReplyStream, adapter: ChannelAdapter): void;
}

export interface SenderParts
  extends Pick<Core, 'clock' | 'log' | 'telemetry' | 'crashPoint' | 'readerIn' | 'prepareReaders'> {
  readonly outbox: OutboxStore;
  readonly files: MessageFiles;
  readonly live: OpenReplies;
  readonly settings: SenderSettings;
  /** Waits until the platform may be sent one more message without refusing it, or the signal aborts. */
  readonly awaitTurn: (row: OutboxRow, adapter: ChannelAdapter, signal: AbortSignal) => Promise<unknown>;
  /** The conversation with the chat's id of now. */
  readonly conversationNow: (conversation: Conversation) => Conversation;
  /** The names of the chat commands. */
  readonly commands: ReadonlySet<string>;
  /** Removes secrets before the text is split: half a secret would not be recognised. */
  readonly redact: Redactor;
}

/** Shows stored messages. Parts already on the platform are not sent again. */
export interface Sender {
  /**
   * Resolves when what is shown is stored; the row may need another look. On `ChannelError`, call it again with the new row.
   */
  show(stored: OutboxRow, adapter: ChannelAdapter, signal: AbortSignal): Promise<void>;
  /** Removes the files of a sent message. What fails is removed at the next start. */
  removeFiles(messageId: string): Promise<void>;
  /** Removes the files of messages that are no longer to be sent, which an earlier process left. */
  removeLeftovers(): Promise<void>;
}

interface SenderContext extends SenderParts {
  /** Older messages belong to an earlier process. */
  readonly begunAt: number;
}

export function createSender(parts: SenderParts): Sender {
  const sender: SenderContext = { ...parts, begunAt: parts.clock.now() };
  return {
    show: (stored, adapter, signal) => show(stored, { sender, adapter, signal }),
    removeFiles: (messageId) => removeFiles(messageId, sender),
    removeLeftovers: () => removeLeftovers(sender),
  };
}

/** Where, and until when, a message is shown. */
interface Target {
  readonly sender: SenderContext;
  readonly adapter: ChannelAdapter;
  readonly signal: AbortSignal;
}

async function show(stored: OutboxRow, target: Target): Promise<void> {
  const row = { ...stored, message: redactedMessage(stored.message, target.sender.redact) };
  if (row.atMostOnce === 'sending') {
    throw new ChannelError({ type: 'ambiguous' }, (language) => deliveryWords[language].stoppedWhileSent({ times: 1 }));
  }
  const isNew = row.deliveredRevision === 0 && (row.revision === 1 || row.refs.length + row.twins.length === 0);
  await (isNew ? send(row, target) : change(row, target));
}

/** A message on its way, part by part. */
interface Sending extends Target {
  readonly row: OutboxRow;
  readonly options: PartsOptions;
  readonly planned: readonly Part[];
  /** The parts that are on the platform; it grows. */
  readonly refs: MessageRef[];
  /** The whole message is being noted: in the same commit as a part that is not noted yet, and so in its place. */
  isNoted: boolean;
}

/** Sends the missing parts. */
async function send(row: OutboxRow, target: Target): Promise<void> {
  const { sender, adapter, signal } = target;
  const { id, markdown } = row.message;
  const options = optionsFor(row, target);
  const sending: Sending = {
    ...target,
    row,
    options,
    planned: partsOf(row, options),
    refs: [...row.refs],
    isNoted: false,
  };
  const { planned, refs } = sending;
  const isKept = !planned.some(({ file }) => file === 'text') || (await keepText(id, markdown, sender));
  if (!isKept) return goOnWithoutFile('text', sending);

  const stream = sender.live.take(row, adapter);
  const notes: Promise<void>[] = [];
  if (stream !== undefined) await finish(stream, sending, notes);
  for (const part of planned.slice(refs.length)) {
    await sender.awaitTurn(row, adapter, signal);
    if (signal.aborted) return;
    const ref = await sendPart(part, sending);
    if (ref === 'refused') return goOnWithoutFile(part.file, sending);
    const isLast = refs.length + 1 === planned.length;
    await partShown(ref, sending, isLast);
  }
  sending.isNoted = true;
  await Promise.all([...notes, noteDelivered(row, refs, target)]);
  if (planned.some(({ file }) => file !== undefined) || row.message.files !== undefined) await removeFiles(id, sender);
}

/** `isLast`: nothing more is done before the whole message is noted. */
async function partShown(ref: MessageRef, sending: Sending, isLast: boolean): Promise<void> {
  const { sender, row, options, refs } = sending;
  sender.crashPoint?.(row.kind === 'card' ? 'card-sent' : 'reply-sent');
  const index = refs.push(ref) - 1;
  if (isLast) return;
  await notePart(row.message.id, { index, ref, lateNote: options.lateNote }, sending);
}

/**
 * A stream that can't be finished now is finished later: the text must not be shown twice. After its text, it may take
 * previews away: its last part is being noted by then. The whole message waits for these `notes`.
 */
async function finish(stream: ReplyStream, sending: Sending, notes: Promise<void>[]): Promise<void> {
  const { sender, row, planned } = sending;
  const firstFile = planned.findIndex(({ file }) => file !== undefined);
  const texts = planned
    .slice(0, firstFile === -1 ? planned.length : firstFile)
    .map(({ message }) => maybeStanding(message, sending));
  try {
    await (texts.length === 0 ? stream.cancel() : stream.finish(texts, (ref) => textShown(ref, sending, notes)));
  } catch (error) {
    await Promise.allSettled(notes);
    const isMoved = error instanceof ChannelError && error.fault.type === 'moved';
    // The stream stays in the chat it was opened in. Where the row is now may be where that chat went.
    if (isMoved && error.fault.chatId === row.conversation.chatId) return;
    if (!isMoved && !isPermanent(error)) sender.live.putBack(row, stream, sending.adapter);
    throw error;
  }
}

/** Another part is sent once this one is noted; behind the last, nothing waits for its note but that of the whole message. */
function textShown(ref: MessageRef, sending: Sending, notes: Promise<void>[]): Promise<void> {
  const noted = partShown(ref, sending, false);
  if (sending.refs.length < sending.planned.length) return noted;
  notes.push(noted);
  return Promise.resolve();
}

/** An earlier process may have sent it, and died before that was stored. */
function maybeStanding(message: OutboundMessage, { sender, row }: Sending): OutboundMessage {
  return row.createdAt < sender.begunAt ? { ...message, mayStandSince: row.createdAt } : message;
}

/** `refused`: the file will never be accepted. */
async function sendPart({ message: part, file }: Part, sending: Sending): Promise<MessageRef | 'refused'> {
  const { sender, row, adapter } = sending;
  const message = maybeStanding(part, sending);
  if (file === undefined) {
    const ref = await sendNoted(message, sending);
    // An earlier attempt may have shown the text before this change.
    if (message !== part && row.revision > 1) await adapter.edit?.(row.conversation, ref, part);
    return ref;
  }
  if (!(await sender.files.has(row.message.id, file))) return 'refused';
  return sendNoted(message, sending).catch((error: unknown) => {
    if (isPermanent(error)) return 'refused';
    throw error;
  });
}

/**
 * Sends. An at-most-once message is marked before, so that a crash never resends it, and unmarked if the platform did
 * not send it.
 */
async function sendNoted(message: OutboundMessage, { sender, row, adapter, signal }: Sending): Promise<MessageRef> {
  const { outbox } = sender;
  const { id } = row.message;
  if (row.atMostOnce !== undefined) await outbox.sending(id);
  try {
    return await adapter.send(row.conversation, message);
  } catch (error) {
    const isUndone = error instanceof ChannelError && error.fault.type !== 'ambiguous';
    if (isUndone && row.atMostOnce !== undefined) await noteDown(() => outbox.notSent(id), sender, signal);
    throw error;
  }
}

/** Replaces a refused file: unchanged parts stay, the rest is sent. */
async function goOnWithoutFile(file: FileKey | undefined, sending: Sending): Promise<void> {
  if (file === undefined) return;
  const { sender, row, options, planned, refs, signal } = sending;
  const { id } = row.message;
  sender.log.warn({ message: id, file }, 'a file could not be sent; its text or a line comes in its place');
  const refused = [...row.refusedFiles, file];
  const instead = partsOf({ ...row, refusedFiles: refused }, options);
  const kept = planned.findIndex((part, index) => !isSamePart(part, instead[index]));
  await noteDown(() => sender.outbox.filesRefused(id, refused, refs.slice(0, kept)), sender, signal);
}

/** False if the folder is full or not writable: that must not block the chat for good. */
async function keepText(messageId: string, text: string, { files, log }: SenderContext): Promise<boolean> {
  try {
    await files.keepText(messageId, text);
    return true;
  } catch (error) {
    log.error({ err: error, message: messageId }, 'the file of a long text could not be made');
    return false;
  }
}

function optionsFor(row: OutboxRow, { sender, adapter }: Target): PartsOptions {
  const { settings, clock, files, commands } = sender;
  const { maxMessages, lateAfter } = settings;
  const { kind, createdAt } = row;
  // Continue as it began: another note would split the text elsewhere.
  const isBegun = row.refs.length > 0;
  // Looked up only where a time is shown.
  const reader: PartsOptions['reader'] = () => sender.readerIn(row.conversationId);
  const late = isBegun ? row.lateNote : lateNote({ kind, createdAt, now: clock.now(), lateAfter, reader });
  const pathOf: PartsOptions['pathOf'] = (key) => files.pathOf(row.message.id, key);
  const until = row.wait === undefined ? undefined : clock.now() + row.wait;
  return { adapter, maxMessages, lateNote: late, reader, pathOf, commands, until };
}

/** Edits the last parts, where the buttons were. */
async function change(row: OutboxRow, target: Target): Promise<void> {
  const { sender, adapter } = target;
  const changed = changedPartsOf(row, { adapter, commands: sender.commands });
  const first = Math.max(0, row.refs.length - changed.length);
  const refs = [...row.refs];
  // If only a twin was ever pressed, the twin is the card.
  const isOnlyTwin = refs.length === 0 && row.twins.length > 0;
  for (const [position, part] of isOnlyTwin ? [] : changed.entries()) {
    const index = first + position;
    const ref = await changePart(refs[index], part, row, adapter);
    const isNew = ref !== refs[index];
    refs[index] = ref;
    // On retry an edit is idempotent; a new message would be there twice.
    if (isNew && position < changed.length - 1)
      await notePart(row.message.id, { index, ref }, { ...target, isNoted: false });
  }
  for (const { message } of changed.slice(-1))
    for (const twin of row.twins) await adapter.edit?.(row.conversation, twin, message).catch(acceptGone);
  await noteDelivered(row, refs, target);
}

async function changePart(
  ref: MessageRef | undefined,
  { message }: Part,
  { conversation, isMovedOn }: OutboxRow,
  adapter: ChannelAdapter,
): Promise<MessageRef> {
  if (ref === undefined || adapter.edit === undefined) return adapter.send(conversation, message);
  try {
    await adapter.edit(conversation, ref, message);
    return ref;
  } catch (error) {
    // Deleted, or too old to edit: the news must still arrive.
    if (isPermanent(error) && !isMovedOn) return adapter.send(conversation, message);
    throw error;
  }
}

function notePart(messageId: string, part: SentPart, sending: Target & Pick<Sending, 'isNoted'>): Promise<void> {
  const { sender, signal } = sending;
  return noteDown(() => sender.outbox.partSent(messageId, part, () => !sending.isNoted), sender, signal);
}

async function noteDelivered(row: OutboxRow, refs: readonly MessageRef[], { sender, signal }: Target): Promise<void> {
  const { outbox, clock, conversationNow } = sender;
  const { message, revision, conversation, conversationId } = row;
  await noteDown(() => outbox.delivered(message.id, revision, refs, clock.now()), sender, signal);
  // What comes later changes what stands there.
  if (row.deliveredRevision === 0) tellDelivered(row, 'sent', sender);
  // The chat got another id while it was sent.
  if (conversationNow(conversation).chatId !== conversation.chatId)
    await noteDown(() => outbox.leaveBehind(conversationId), sender, signal);
}

/** What became of a message is stored. */
export function tellDelivered(
  { message, conversationId, conversation, kind, failures, createdAt }: OutboxRow,
  outcome: MessageDelivered['outcome'],
  { telemetry, clock }: Pick<SenderParts, 'telemetry' | 'clock'>,
): void {
  const { channel } = conversation;
  const waited = Math.max(0, clock.now() - createdAt);
  const attempts = outcome === 'sent' ? failures + 1 : Math.max(1, failures);
  const messageId = message.id;
  telemetry.tell({ type: 'message_delivered', conversationId, channel, messageId, kind, outcome, attempts, waited });
}

async function removeFiles(messageId: string, { files, log }: SenderContext): Promise<void> {
  try {
    await files.remove(messageId);
  } catch (error) {
    log.warn({ err: error, message: messageId }, 'files that were sent could not be removed');
  }
}

async function removeLeftovers({ files, outbox, log }: SenderContext): Promise<void> {
  try {
    for (const messageId of await files.owners()) {
      if (!(await outbox.isQueued(messageId))) await files.remove(messageId);
    }
  } catch (error) {
    log.warn({ err: error }, 'files of a former process could not be removed');
  }
}

function acceptGone(error: unknown): void {
  if (!isPermanent(error)) throw error;
}

function isPermanent(error: unknown): boolean {
  return error instanceof ChannelError && error.fault.type === 'permanent';
}

function isSamePart(part: Part, other: Part | undefined): boolean {
  return part.file === other?.file && part.message.markdown === other?.message.markdown;
}

/**
 * Stores what the platform did, retrying for ever: otherwise it would be shown again each time. Throws only if the signal
 * aborts.
 */
export async function noteDown(
  write: () => Promise<void>,
  { clock, log, settings }: Pick<SenderParts, 'clock' | 'log' | 'settings'>,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await write();
    } catch (error) {
      if (signal.aborted) throw error;
      log.error({ err: error }, 'what the platform did could not be noted down; trying again');
      await sleep(clock, growingPause(failures, settings), signal);
    }
  }
}
