import { type ChannelAdapter, ChannelError, type InboundAttachment, type InboundMessage } from '../../contract.ts';
import type { AttachmentFetcher, FetchRequest } from '../../engine/feature.ts';
import { noticeTo, type OutboxDraft, type SortedMessage } from '../../engine/message.ts';
import { sleep, untilAborted, withTimeout } from '../../lib/clock.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { type Transcriber, TranscriptionError } from '../../models/transcriber.ts';
import { isMedia } from '../../tools/builtin/messages/message-files.ts';
import { type FileLabel, labelFor } from '../../tools/file-watch.ts';
import type { Workspace, WorkspaceFactory } from '../../tools/guard/workspace/workspace.ts';
import { WorkspaceError } from '../../tools/guard/workspace/workspace-error.ts';
import { cutMiddle, formatSize } from '../../tools/text.ts';
import { type AttachmentState, isSpeech } from '../../transcript.ts';
import type { ConversationCore } from '../conversation-core.ts';
import { fileName } from './attachment-name.ts';

export interface WaitingAttachment {
  /** The key of its message, with its channel. */
  readonly messageKey: string;
  /** The sequence of its message. */
  readonly seq: number;
  /** Its index in the message, from 0. */
  readonly position: number;
  readonly attachment: InboundAttachment;
  /** Nothing else was sent with it. */
  readonly isAlone: boolean;
  /** The platform's id of its message. */
  readonly messageId?: string;
  /** The same file, kept from when its message came, relative to the workspace. */
  readonly kept?: { readonly path: string; readonly size?: number; readonly transcript?: string };
}

export interface AttachmentOutcome {
  readonly messageKey: string;
  readonly position: number;
  /** In bytes, if known. */
  readonly size?: number;
  readonly state: Exclude<AttachmentState, { readonly state: 'pending' }>;
  /** Set if its bytes are not what it was sent as. `label`: of the saved file. */
  readonly disguise?: { readonly source: string; readonly workspace: string; readonly label: FileLabel } | undefined;
}

/** Stores the outcomes of attachments. Each method is one transaction. */
export interface AttachmentStore {
  /** The attachments of these messages that were not fetched yet. */
  waiting(seqs: readonly number[]): Promise<readonly WaitingAttachment[]>;
  /** Stores outcomes together with messages to people, and taints their conversation. An existing outcome is kept. */
  settle(outcomes: readonly AttachmentOutcome[], messages: readonly OutboxDraft[], at: number): Promise<void>;
}

interface AttachmentParts extends ConversationCore {
  readonly store: AttachmentStore;
  readonly workspaceAt: WorkspaceFactory;
  /** Missing if no transcription model is set up. */
  readonly transcriber?: Transcriber;
}

/** Few at a time: each is in memory while it is fetched. */
const atOnce = 3;

/** In characters: an hour of speech. */
const longestTranscript = 60_000;

/** Saves attachments in the workspace of their conversation, and transcribes speech. */
export function attachmentFetcher(parts: AttachmentParts): AttachmentFetcher {
  const { store, clock, deliver } = parts;
  return {
    async fetch(request, signal) {
      const queue = (await store.waiting(request.seqs)).values();
      const faulty: (WaitingAttachment & AttachmentOutcome)[] = [];
      const work = async (): Promise<void> => {
        for (const waiting of queue) {
          const outcome = await bring(waiting, request, parts, signal);
          if (outcome === undefined) return;
          // Faults are stored at the end, so that the sender gets one message about all of them.
          if (outcome.state.note !== undefined) faulty.push({ ...waiting, ...outcome });
          else await store.settle([outcome], [], clock.now());
        }
      };
      const ends = await Promise.allSettled(Array.from({ length: atOnce }, work));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      if (signal.aborted || faulty.length === 0) return;
      faulty.sort((a, b) => a.seq - b.seq || a.position - b.position);
      const { conversationId } = request;
      const message = { ...noticeTo({}, unusableWords(faulty)), replyTo: faulty[0]?.messageId };
      await store.settle(faulty, [{ conversationId, message }], clock.now());
      deliver([conversationId]);
    },
  };
}

/** Undefined if it was aborted: then nothing is stored. */
async function bring(
  waiting: WaitingAttachment,
  { conversationId, conversation, workspace }: FetchRequest,
  parts: AttachmentParts,
  signal: AbortSignal,
): Promise<AttachmentOutcome | undefined> {
  const { adapters, config, log, workspaceAt } = parts;
  const { messageKey, seq, position, attachment, kept } = waiting;
  const wantsWords = isSpeech(attachment, waiting.isAlone) && kept?.transcript === undefined;
  if (kept !== undefined && !wantsWords && (await isThere(workspaceAt(workspace), kept.path)))
    return {
      messageKey,
      position,
      size: kept.size,
      state: { state: 'saved', path: kept.path, transcript: kept.transcript },
    };
  const found = await download(attachment, adapters.get(conversation.channel), parts, signal);
  if (found === undefined) return undefined;
  if (!(found instanceof Uint8Array)) {
    log.info({ conversation: conversationId, kind: attachment.kind }, 'an attachment could not be fetched');
    return { messageKey, position, state: { state: 'missing', note: found.note } };
  }
  const brought = { messageKey, position, size: found.length };
  try {
    const wanted = `${config.attachments.folder}/${fileName({ seq, position, ...attachment })}`;
    const path = await workspaceAt(workspace).add(wanted, found);
    const source = config.attachments.trust_owners ? undefined : disguised(attachment, found);
    const label = source === undefined ? undefined : await labelFor(workspace, path, source);
    const disguise = source === undefined || label === undefined ? undefined : { source, workspace, label };
    const heard = await hear(waiting, found, parts.transcriber, signal);
    return heard && { ...brought, disguise, state: { state: 'saved', path, ...heard } };
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return { ...brought, state: { state: 'missing', note: `it could not be saved (${error.message})` } };
  }
}

/** Whether the file can be read. */
async function isThere(workspace: Workspace, path: string): Promise<boolean> {
  try {
    return await workspace.withFile(path, Number.POSITIVE_INFINITY, async () => true);
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return false;
  }
}

/** The source, if a picture or voice message is none by its bytes: what a message says of its files is not checked. */
function disguised({ kind }: InboundAttachment, bytes: Uint8Array): string | undefined {
  if (kind !== 'image' && kind !== 'voice') return undefined;
  if (isMedia(bytes, kind)) return undefined;
  return `a file that was sent as ${kind === 'image' ? 'a picture' : 'a voice message'}`;
}

/** Transcribes speech. Undefined if it was aborted. */
async function hear(
  { attachment, isAlone }: WaitingAttachment,
  bytes: Uint8Array,
  transcriber: Transcriber | undefined,
  signal: AbortSignal,
): Promise<{ readonly transcript?: string; readonly note?: string } | undefined> {
  const { kind, mediaType } = attachment;
  if (!isSpeech(attachment, isAlone)) return {};
  if (transcriber === undefined) return kind === 'voice' ? { note: noTranscriptionNote } : {};
  try {
    const transcript = await transcriber.transcribe({ bytes, mediaType }, signal);
    return { transcript: cutMiddle(transcript, longestTranscript) };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof TranscriptionError)) throw error;
    return { note: error.message };
  }
}

/** `note`: why it is missing, for the model and for people. */
type Download = Uint8Array | { readonly note: string };

const mostRetries = 2;
/** It doubles. In ms. */
const firstPause = 500;

/**
 * Fetches an attachment. Retries twice after transient faults, and waits as long as the platform asks. Undefined once
 * it is aborted.
 */
async function download(
  attachment: InboundAttachment,
  adapter: ChannelAdapter | undefined,
  { config, clock, log }: AttachmentParts,
  signal: AbortSignal,
): Promise<Download | undefined> {
  if (adapter?.fetchAttachment === undefined) return { note: 'this channel cannot fetch files' };
  const { max_bytes: maxBytes, timeout_secs } = config.attachments;
  const timeout = timeout_secs * 1000;
  const end = clock.now() + timeout;
  return withTimeout({ clock, milliseconds: timeout, signal }, async (within) => {
    for (let failures = 0; !within.aborted; ) {
      try {
        const fetched = adapter.fetchAttachment?.(attachment, { maxBytes, signal: within });
        // The channel may go on after the signal.
        const found = fetched && (await untilAborted(fetched, within));
        if (found === undefined || signal.aborted) break;
        if (found === 'too-large') return { note: tooLargeWords(attachment, maxBytes) };
        return found.length > maxBytes ? { note: tooLargeNote(maxBytes) } : found;
      } catch (error) {
        if (within.aborted) break;
        if (!(error instanceof ChannelError)) {
          log.error({ err: error }, 'a channel failed to fetch a file');
          return { note: couldNot };
        }
        const wait = waitAfter(error, failures);
        if (wait === undefined || clock.now() + wait >= end)
          return { note: `${couldNot} (${oneLine(error.message, 200)})` };
        if (error.fault.type !== 'rate-limited') failures += 1;
        await sleep(clock, wait, within);
      }
    }
    return signal.aborted ? undefined : { note: `fetching it took longer than ${timeout_secs} s` };
  });
}

const couldNot = 'it could not be fetched';

/** The platform's limit may be lower than ours. */
function tooLargeWords({ size = Number.POSITIVE_INFINITY }: InboundAttachment, maxBytes: number): string {
  return size > maxBytes ? tooLargeNote(maxBytes) : 'it is larger than the files that this channel hands out';
}

/** In ms; undefined if a retry is useless. */
function waitAfter({ fault }: ChannelError, failures: number): number | undefined {
  if (fault.type === 'rate-limited') return Math.max(fault.retryAfter, firstPause);
  const mayPass = fault.type === 'transient' || fault.type === 'ambiguous';
  return mayPass && failures < mostRetries ? firstPause * 2 ** failures : undefined;
}

/** For somebody who sent nothing that can be read. */
function unreadableWords(what: string): string {
  return `I cannot read ${escapeMarkdown(oneLine(what, 80))}. Write to me, or send a picture, a file or a voice message.`;
}

/** Why it will not be fetched. Notes follow a colon, and are read by the model and by people. */
function tooLargeNote(maxBytes: number): string {
  return `it is larger than ${formatSize(maxBytes)}, which is the most that I take`;
}

const noTranscriptionNote = 'no transcription model is set up, so I cannot understand voice messages';

/** For a person whose voice messages cannot be transcribed. */
const noTranscriptionWords =
  '🎤 I cannot understand voice messages: no transcription model is set up. Please write to me instead. (The owner can set one up: `transcription` in the config.)';

interface Unusable {
  readonly attachment: Pick<InboundAttachment, 'kind' | 'name'>;
  /** Saved, but not transcribed; or missing. */
  readonly state: AttachmentOutcome['state'];
}

function unusableWords(all: readonly Unusable[]): string {
  const faults = all.map(({ attachment, state: { state, note = '' } }) => {
    return `${state === 'saved' ? 'make out' : 'get'} ${nameOf(attachment)}: ${escapeMarkdown(note)}`;
  });
  if (faults.length === 1) return `⚠️ I could not ${faults[0]}.`;
  return ['⚠️ I could not', ...faults.map((fault) => `- ${fault}`)].join('\n');
}

const plainNames = {
  image: 'the picture',
  voice: 'the voice message',
  audio: 'the recording',
  video: 'the video',
  file: 'the file',
} as const;

function nameOf({ kind, name = '' }: Pick<InboundAttachment, 'kind' | 'name'>): string {
  return name.trim() === '' ? plainNames[kind] : inlineCode(oneLine(name, 80));
}

/**
 * Decides, before anything is stored, what happens to a message and its attachments, and what its sender is told. Larger
 * attachments than `maxBytes` are not fetched; `transcribes`: whether speech can be transcribed.
 */
export function sortMessage(
  {
    text,
    shared = [],
    attachments = [],
    quote,
    unreadable,
  }: Pick<InboundMessage, 'text' | 'shared' | 'attachments' | 'quote' | 'unreadable'>,
  maxBytes: number,
  transcribes: boolean,
): SortedMessage {
  const hasText = [text, ...shared.map((one) => one.text)].some((words) => words.trim() !== '');
  const quoted = quote?.attachments ?? [];
  if (attachments.length === 0 && !hasText)
    return unreadable === undefined ? { type: 'empty' } : { type: 'decline', words: unreadableWords(unreadable) };
  if (attachments.length === 0 && quoted.length === 0) return { type: 'take', attachments, quoted };

  const note = tooLargeNote(maxBytes);
  const isLarge = ({ size = 0 }: InboundAttachment): boolean => size > maxBytes;
  const large = [...quoted, ...attachments]
    .filter(isLarge)
    .map((attachment) => ({ attachment, state: { state: 'missing', note } as const }));
  const words = large.length === 0 ? undefined : unusableWords(large);
  const usable = attachments.filter((attachment) => !isLarge(attachment));
  if (!hasText && usable.every(({ kind }) => kind === 'voice' && !transcribes))
    return {
      type: 'decline',
      words: [usable.length === 0 ? [] : noTranscriptionWords, words ?? []].flat().join('\n\n'),
    };

  const draft = (file: InboundAttachment) => (isLarge(file) ? { ...file, missing: note } : file);
  return { type: 'take', attachments: attachments.map(draft), quoted: quoted.map(draft), words };
}
