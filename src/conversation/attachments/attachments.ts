import type { ChannelAdapter } from '../../contract.ts';
import type { AttachmentFetcher, FetchRequest } from '../../engine/feature.ts';
import type { OutboxDraft } from '../../engine/message.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import { type Transcriber, TranscriptionError } from '../../models/transcriber.ts';
import type { WorkspaceFactory } from '../../tools/guard/workspace/workspace.ts';
import { WorkspaceError } from '../../tools/guard/workspace/workspace-error.ts';
import { cutMiddle } from '../../tools/text.ts';
import { isSpeech } from '../../transcript.ts';
import { fileName } from './attachment-name.ts';
import type { AttachmentOutcome, AttachmentStore, WaitingAttachment } from './attachment-store.ts';
import { noTranscriptionNote, unusableWords } from './attachment-words.ts';
import { type DownloadSettings, download } from './download.ts';

export interface AttachmentSettings extends DownloadSettings {
  /** The folder of the workspace in which files are saved. */
  readonly folder: string;
}

export interface AttachmentDependencies {
  readonly store: AttachmentStore;
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly workspaceAt: WorkspaceFactory;
  /** Left out where no model is set up that understands what is spoken. */
  readonly transcriber?: Transcriber;
  readonly settings: AttachmentSettings;
  readonly clock: Clock;
  readonly log: Log;
  /** Told after something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
}

/** Several at once, and not too many: each is in memory while it comes. */
const atOnce = 3;

/** In characters: an hour of speech. */
const longestTranscript = 60_000;

/** What is found out of a file's words. */
type Heard = { readonly transcript?: string; readonly note?: string };

interface Brought {
  readonly waiting: WaitingAttachment;
  readonly outcome: AttachmentOutcome;
}

/** Brings what people sent into the workspace of their conversation, and writes down what was spoken. */
export class Attachments implements AttachmentFetcher {
  readonly #dependencies: AttachmentDependencies;

  constructor(dependencies: AttachmentDependencies) {
    this.#dependencies = dependencies;
  }

  async fetch(request: FetchRequest, signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#dependencies;
    const queue = (await store.waiting(request.seqs)).values();
    const faulty: Brought[] = [];
    const work = async (): Promise<void> => {
      for (const waiting of queue) {
        const outcome = await this.#bring(waiting, request, signal);
        if (outcome === undefined) return;
        // What the sender has to be told of is stored at the end, so that they are told once of all of it.
        if (noteOf(outcome) !== undefined) faulty.push({ waiting, outcome });
        else await store.settle([outcome], [], clock.now());
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: atOnce }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    if (!signal.aborted && faulty.length > 0) await this.#report(faulty, request.conversationId);
  }

  /** Undefined if it was aborted: then nothing is stored. */
  async #bring(
    waiting: WaitingAttachment,
    { conversationId, conversation, workspace }: FetchRequest,
    signal: AbortSignal,
  ): Promise<AttachmentOutcome | undefined> {
    const { adapters, settings, clock, log } = this.#dependencies;
    const { messageKey, position, attachment } = waiting;
    const adapter = adapters.get(conversation.channel);
    const found = await download(attachment, { adapter, settings, clock, log }, signal);
    switch (found.type) {
      case 'aborted':
        return undefined;
      case 'missing':
        log.info({ conversation: conversationId, kind: attachment.kind }, 'an attachment could not be fetched');
        return { messageKey, position, state: { state: 'missing', note: found.note } };
      case 'got': {
        const { bytes } = found;
        const state = await this.#save(waiting, workspace, bytes);
        if (state.state === 'missing') return { messageKey, position, size: bytes.length, state };
        const heard = await this.#hear(waiting, bytes, signal);
        return heard && { messageKey, position, size: bytes.length, state: { ...state, ...heard } };
      }
    }
  }

  async #save(
    { seq, position, attachment }: WaitingAttachment,
    workspace: string,
    bytes: Uint8Array,
  ): Promise<
    Extract<AttachmentOutcome['state'], { state: 'missing' }> | { readonly state: 'saved'; readonly path: string }
  > {
    const { workspaceAt, settings } = this.#dependencies;
    const wanted = `${settings.folder}/${fileName({ seq, position, ...attachment })}`;
    try {
      return { state: 'saved', path: await workspaceAt(workspace).add(wanted, bytes) };
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error;
      return { state: 'missing', note: `it could not be saved (${error.message})` };
    }
  }

  /** Undefined if it was aborted. */
  async #hear(
    { attachment, isAlone }: WaitingAttachment,
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<Heard | undefined> {
    const { transcriber } = this.#dependencies;
    if (!isSpeech(attachment, isAlone)) return {};
    if (transcriber === undefined) return attachment.kind === 'voice' ? { note: noTranscriptionNote } : {};
    const { mediaType } = attachment;
    try {
      const recording = { bytes, mediaType };
      return { transcript: cutMiddle(await transcriber.transcribe(recording, signal), longestTranscript) };
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof TranscriptionError)) throw error;
      return { note: error.message };
    }
  }

  async #report(faulty: readonly Brought[], conversationId: string): Promise<void> {
    const { store, clock, deliver } = this.#dependencies;
    const inOrder = faulty.toSorted((a, b) => a.waiting.seq - b.waiting.seq || a.waiting.position - b.waiting.position);
    const words = unusableWords(
      inOrder.map(({ waiting: { attachment }, outcome }) => ({
        attachment,
        note: noteOf(outcome) ?? '',
        isSaved: outcome.state.state === 'saved',
      })),
    );
    const replyTo = inOrder[0]?.waiting.messageId;
    const notice: OutboxDraft = {
      conversationId,
      message: { id: newId(20), kind: 'notice', markdown: words, replyTo },
    };
    const outcomes = inOrder.map(({ outcome }) => outcome);
    await store.settle(outcomes, [notice], clock.now());
    deliver([conversationId]);
  }
}

function noteOf({ state }: AttachmentOutcome): string | undefined {
  return state.note;
}
