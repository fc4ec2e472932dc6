import { type ChannelAdapter, ChannelError, type MessageRef, type ReplyStream } from '../../contract.ts';
import type { Clock } from '../../lib/clock.ts';
import type { CrashPoints } from '../../lib/crash-points.ts';
import type { Log } from '../../lib/log.ts';
import type { LiveReplies } from '../live/live-replies.ts';
import type { FileKey, MessageFiles } from '../message-files.ts';
import type { OutboxRow, OutboxStore, SentPart } from '../outbox.ts';
import type { PauseSettings } from './delivery-pause.ts';
import { lateNote } from './late-note.ts';
import { changedPartsOf, type Part, type PartsOptions, partsOf } from './message-parts.ts';
import { noteDown } from './note-down.ts';
import { refuseInterrupted, sendNoted } from './send-noted.ts';

export interface SenderSettings extends PauseSettings {
  /** A text that needs more messages than that is sent as its beginning, and whole as a file. */
  readonly maxMessages: number;
  /** A message that is sent later than that says so. In milliseconds. */
  readonly lateAfter: number;
}

export interface SenderDependencies {
  readonly outbox: OutboxStore;
  readonly files: MessageFiles;
  readonly live: LiveReplies;
  readonly clock: Clock;
  readonly log: Log;
  readonly crashPoint: CrashPoints;
  readonly settings: SenderSettings;
}

/** Shows one stored message as it should be, part by part. What stands on the platform already is not sent again. */
export class MessageSender {
  readonly #dependencies: SenderDependencies;

  constructor(dependencies: SenderDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Resolves once what is shown was noted down; the row may have to be looked at again then. Throws `ChannelError`, after
   * which it can be called again with the row as it stands by then.
   */
  async show(row: OutboxRow, adapter: ChannelAdapter, signal: AbortSignal): Promise<void> {
    refuseInterrupted(row);
    const isNew = row.deliveredRevision === 0 && (row.revision === 1 || row.refs.length === 0);
    if (isNew) await this.#send(row, adapter, signal);
    else await this.#change(row, adapter, signal);
  }

  /** Removes the files of a message that needs them no more. What can't be removed is, after the next start. */
  async removeFiles(messageId: string): Promise<void> {
    const { files, log } = this.#dependencies;
    try {
      await files.remove(messageId);
    } catch (error) {
      log.warn({ err: error, message: messageId }, 'files that were sent could not be removed');
    }
  }

  /** Sends the parts that were not sent before. */
  async #send(row: OutboxRow, adapter: ChannelAdapter, signal: AbortSignal): Promise<void> {
    const { id, markdown } = row.message;
    const options = this.#optionsFor(row, adapter);
    const parts = partsOf(row, options);
    const isKept = !parts.some(({ file }) => file === 'text') || (await this.#keepText(id, markdown));
    if (!isKept) return this.#goOnWithoutFile({ row, refs: row.refs, parts, options }, 'text', signal);

    const refs = [...row.refs];
    const shown = async (ref: MessageRef): Promise<void> => {
      this.#dependencies.crashPoint(row.kind === 'card' ? 'card-sent' : 'reply-sent');
      const index = refs.push(ref) - 1;
      const { lateNote: late } = options;
      if (refs.length < parts.length)
        await this.#notePart(id, { index, ref, ...(late === undefined ? {} : { lateNote: late }) }, signal);
    };
    const stream = this.#dependencies.live.take(row, adapter);
    if (stream !== undefined) await this.#finish(stream, row, parts, shown);
    for (const part of parts.slice(refs.length)) {
      if (signal.aborted) return;
      const ref = await this.#sendPart(row, adapter, part, signal);
      if (ref === 'refused') return this.#goOnWithoutFile({ row, refs, parts, options }, part.file, signal);
      await shown(ref);
    }
    await this.#noteDelivered(row, refs, signal);
    if (parts.some(({ file }) => file !== undefined) || row.message.files !== undefined) await this.removeFiles(id);
  }

  /** Whether it could be kept. The folder may be full, or not ours: that must not hold up the chat for good. */
  async #keepText(messageId: string, text: string): Promise<boolean> {
    const { files, log } = this.#dependencies;
    try {
      await files.keepText(messageId, text);
      return true;
    } catch (error) {
      log.error({ err: error, message: messageId }, 'the file of a long text could not be made');
      return false;
    }
  }

  #optionsFor(row: OutboxRow, adapter: ChannelAdapter): PartsOptions {
    const { settings, clock, files } = this.#dependencies;
    const { kind, createdAt } = row;
    // What was begun is gone on with: another beginning would be cut in other places.
    const late =
      row.refs.length === 0
        ? lateNote({ kind, createdAt, now: clock.now(), lateAfter: settings.lateAfter })
        : row.lateNote;
    return {
      adapter,
      maxMessages: settings.maxMessages,
      ...(late === undefined ? {} : { lateNote: late }),
      pathOf: (key) => files.pathOf(row.message.id, key),
    };
  }

  /** `refused`: it is a file, and will not be taken as one, now or later. */
  async #sendPart(
    row: OutboxRow,
    adapter: ChannelAdapter,
    { message, file }: Part,
    signal: AbortSignal,
  ): Promise<MessageRef | 'refused'> {
    const send = (): Promise<MessageRef> =>
      sendNoted(row, () => adapter.send(row.conversation, message), this.#dependencies, signal);
    if (file === undefined) return send();
    if (!(await this.#dependencies.files.has(row.message.id, file))) return 'refused';
    try {
      return await send();
    } catch (error) {
      if (isPermanent(error)) return 'refused';
      throw error;
    }
  }

  /** What comes instead begins where the parts begin to differ from those that were sent. */
  async #goOnWithoutFile(
    { row, refs, parts, options }: Sending,
    file: FileKey | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { outbox, log } = this.#dependencies;
    if (file === undefined) return;
    const { id } = row.message;
    log.warn({ message: id, file }, 'a file could not be sent; its text or a line comes in its place');
    const refused = [...row.refusedFiles, file];
    const instead = partsOf({ ...row, refusedFiles: refused }, options);
    const kept = parts.findIndex((part, index) => !isSamePart(part, instead[index]));
    await noteDown(() => outbox.filesRefused(id, refused, refs.slice(0, kept)), this.#dependencies, signal);
  }

  /** What could not be finished now is finished later: the same text must not be shown a second time. */
  async #finish(
    stream: ReplyStream,
    row: OutboxRow,
    parts: readonly Part[],
    shown: (ref: MessageRef) => Promise<void>,
  ): Promise<void> {
    const firstFile = parts.findIndex(({ file }) => file !== undefined);
    const texts = parts.slice(0, firstFile === -1 ? parts.length : firstFile).map(({ message }) => message);
    try {
      await (texts.length === 0 ? stream.cancel() : stream.finish(texts, shown));
    } catch (error) {
      // It shows what it shows in the chat that it was opened in.
      const isElsewhere = error instanceof ChannelError && error.fault.type === 'moved';
      if (!isElsewhere && !isPermanent(error)) this.#dependencies.live.putBack(row, stream);
      throw error;
    }
  }

  /** Shows the new text in place of the end of the old one, where its buttons were. */
  async #change(row: OutboxRow, adapter: ChannelAdapter, signal: AbortSignal): Promise<void> {
    const parts = changedPartsOf(row, { adapter });
    const first = Math.max(0, row.refs.length - parts.length);
    const refs = [...row.refs];
    for (const [position, part] of parts.entries()) {
      const index = first + position;
      const ref = await this.#changePart(row, adapter, refs[index], part);
      const isNew = ref !== refs[index];
      refs[index] = ref;
      // Done again after a failure further on, an edit changes nothing; a new message would stand there twice.
      if (isNew && position < parts.length - 1) await this.#notePart(row.message.id, { index, ref }, signal);
    }
    await this.#noteDelivered(row, refs, signal);
  }

  async #changePart(
    { conversation: to }: OutboxRow,
    adapter: ChannelAdapter,
    ref: MessageRef | undefined,
    { message }: Part,
  ): Promise<MessageRef> {
    if (ref === undefined || adapter.edit === undefined) return adapter.send(to, message);
    try {
      await adapter.edit(to, ref, message);
      return ref;
    } catch (error) {
      // Deleted by somebody, or too old to be edited: the news must still arrive.
      if (isPermanent(error)) return adapter.send(to, message);
      throw error;
    }
  }

  #notePart(messageId: string, part: SentPart, signal: AbortSignal): Promise<void> {
    return noteDown(() => this.#dependencies.outbox.partSent(messageId, part), this.#dependencies, signal);
  }

  #noteDelivered({ message, revision }: OutboxRow, refs: readonly MessageRef[], signal: AbortSignal): Promise<void> {
    const { outbox, clock } = this.#dependencies;
    const write = (): Promise<void> => outbox.delivered(message.id, revision, refs, clock.now());
    return noteDown(write, this.#dependencies, signal);
  }
}

/** How far the sending of a message has come. */
interface Sending {
  readonly row: OutboxRow;
  readonly refs: readonly MessageRef[];
  readonly parts: readonly Part[];
  readonly options: PartsOptions;
}

function isPermanent(error: unknown): boolean {
  return error instanceof ChannelError && error.fault.type === 'permanent';
}

function isSamePart(part: Part, other: Part | undefined): boolean {
  return part.file === other?.file && part.message.markdown === other?.message.markdown;
}
