import { type ChannelAdapter, ChannelError, type InboundAttachment, type InboundMessage } from '../../contract.ts';
import type { AttachmentFetcher, FetchRequest } from '../../engine/feature.ts';
import { noticeTo, type OutboxDraft, quietly, type SortedMessage } from '../../engine/message.ts';
import { sleep, untilAborted, withTimeout } from '../../lib/clock.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { type InLanguage, type Language, type Words, wordsIn } from '../../lib/words.ts';
import { type Transcriber, TranscriptionError } from '../../models/transcriber.ts';
import { isMedia } from '../../tools/builtin/messages/message-files.ts';
import { type FileLabel, labelFor } from '../../tools/file-watch.ts';
import type { Workspace, WorkspaceFactory } from '../../tools/guard/workspace/workspace.ts';
import { WorkspaceError } from '../../tools/guard/workspace/workspace-error.ts';
import { taintSource } from '../../tools/taint-sources.ts';
import { cutMiddle, formatSize } from '../../tools/text.ts';
import { type AttachmentState, isSpeech } from '../../transcript.ts';
import type { ConversationCore } from '../conversation-core.ts';
import { fileName } from './attachment-name.ts';
import { attachmentWords } from './words.ts';

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
      const faulty: (WaitingAttachment & Brought)[] = [];
      const work = async (): Promise<void> => {
        for (const waiting of queue) {
          const outcome = await bring(waiting, request, parts, signal);
          if (outcome === undefined) return;
          // Faults are stored at the end, so that the sender gets one message about all of them.
          if (outcome.fault !== undefined) faulty.push({ ...waiting, ...outcome });
          else await store.settle([outcome], [], clock.now());
        }
      };
      const ends = await Promise.allSettled(Array.from({ length: atOnce }, work));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      if (signal.aborted || faulty.length === 0) return;
      faulty.sort((a, b) => a.seq - b.seq || a.position - b.position);
      const { conversationId } = request;
      const { language } = parts.readerIn(conversationId);
      const message = { ...quietly(noticeTo({}, unusable(faulty, language))), replyTo: faulty[0]?.messageId };
      await store.settle(faulty, [{ conversationId, message }], clock.now());
      deliver([conversationId]);
    },
  };
}

interface Brought extends AttachmentOutcome {
  /** Why it cannot be used, as in the note of its state. */
  readonly fault: InLanguage | undefined;
}

/** Undefined if it was aborted: then nothing is stored. */
async function bring(
  waiting: WaitingAttachment,
  { conversationId, conversation, workspace }: FetchRequest,
  parts: AttachmentParts,
  signal: AbortSignal,
): Promise<Brought | undefined> {
  const { adapters, config, log, workspaceAt } = parts;
  const { messageKey, seq, position, attachment, kept } = waiting;
  const wantsWords = isSpeech(attachment, waiting.isAlone) && kept?.transcript === undefined;
  if (kept !== undefined && !wantsWords && (await isThere(workspaceAt(workspace), kept.path)))
    return {
      messageKey,
      position,
      size: kept.size,
      state: { state: 'saved', path: kept.path, transcript: kept.transcript },
      fault: undefined,
    };
  const found = await download(attachment, adapters.get(conversation.channel), parts, signal);
  if (found === undefined) return undefined;
  if (!(found instanceof Uint8Array)) {
    log.info({ conversation: conversationId, kind: attachment.kind }, 'an attachment could not be fetched');
    return { messageKey, position, state: missing(found.fault), fault: found.fault };
  }
  const brought = { messageKey, position, size: found.length };
  try {
    const wanted = `${config.attachments.folder}/${fileName({ seq, position, ...attachment })}`;
    const path = await workspaceAt(workspace).add(wanted, found);
    const source = config.attachments.trust_owners ? undefined : disguised(attachment, found);
    const label = source === undefined ? undefined : await labelFor(workspace, path, source);
    const disguise = source === undefined || label === undefined ? undefined : { source, workspace, label };
    const heard = await hear(waiting, found, parts.transcriber, signal);
    if (heard === undefined) return undefined;
    const { transcript, fault } = heard;
    return { ...brought, disguise, state: { state: 'saved', path, transcript, note: fault?.('en') }, fault };
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    const { saidIn } = error;
    const fault: InLanguage = (language) => attachmentWords[language].becauseUnsaved({ why: saidIn(language) });
    return { ...brought, state: missing(fault), fault };
  }
}

/** Its note is for the model. */
function missing(fault: InLanguage): Extract<AttachmentState, { readonly state: 'missing' }> {
  return { state: 'missing', note: fault('en') };
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
  return taintSource(kind === 'image' ? 'falsePicture' : 'falseVoiceMessage');
}

/** Transcribes speech. Undefined if it was aborted. */
async function hear(
  { attachment, isAlone }: WaitingAttachment,
  bytes: Uint8Array,
  transcriber: Transcriber | undefined,
  signal: AbortSignal,
): Promise<{ readonly transcript?: string; readonly fault?: InLanguage } | undefined> {
  const { kind, mediaType } = attachment;
  if (!isSpeech(attachment, isAlone)) return {};
  if (transcriber === undefined) return kind === 'voice' ? { fault: notTranscribed } : {};
  try {
    const transcript = await transcriber.transcribe({ bytes, mediaType }, signal);
    return { transcript: cutMiddle(transcript, longestTranscript) };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof TranscriptionError)) throw error;
    return { fault: error.saidIn };
  }
}

const notTranscribed: InLanguage = (language) => attachmentWords[language].becauseNotTranscribed;

/** `fault`: why it is missing. */
type Download = Uint8Array | { readonly fault: InLanguage };

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
  if (adapter?.fetchAttachment === undefined) return { fault: channelCannot };
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
        if (found === 'too-large') return { fault: tooLargeFor(attachment, maxBytes) };
        return found.length > maxBytes ? { fault: tooLarge(maxBytes) } : found;
      } catch (error) {
        if (within.aborted) break;
        if (!(error instanceof ChannelError)) {
          log.error({ err: error }, 'a channel failed to fetch a file');
          return { fault: unfetched(undefined) };
        }
        const wait = waitAfter(error, failures);
        if (wait === undefined || clock.now() + wait >= end) return { fault: unfetched(error.words) };
        if (error.fault.type !== 'rate-limited') failures += 1;
        await sleep(clock, wait, within);
      }
    }
    return signal.aborted ? undefined : { fault: slow(timeout_secs) };
  });
}

const channelCannot: InLanguage = (language) => attachmentWords[language].becauseChannelCannot;

function unfetched(words: Words | undefined): InLanguage {
  return (language) => {
    const why = words === undefined ? undefined : oneLine(wordsIn(language, words), 200);
    return attachmentWords[language].becauseUnfetched({ why });
  };
}

function slow(seconds: number): InLanguage {
  return (language) => attachmentWords[language].becauseSlow({ seconds });
}

/** The platform's limit may be lower than ours. */
function tooLargeFor({ size = Number.POSITIVE_INFINITY }: InboundAttachment, maxBytes: number): InLanguage {
  return size > maxBytes ? tooLarge(maxBytes) : (language) => attachmentWords[language].becauseTooLargeForChannel;
}

function tooLarge(maxBytes: number): InLanguage {
  return (language) => attachmentWords[language].becauseTooLarge({ limit: formatSize(maxBytes) });
}

/** In ms; undefined if a retry is useless. */
function waitAfter({ fault }: ChannelError, failures: number): number | undefined {
  if (fault.type === 'rate-limited') return Math.max(fault.retryAfter, firstPause);
  const mayPass = fault.type === 'transient' || fault.type === 'ambiguous';
  return mayPass && failures < mostRetries ? firstPause * 2 ** failures : undefined;
}

interface Unusable {
  readonly attachment: Pick<InboundAttachment, 'kind' | 'name'>;
  /** Saved, but not transcribed; or missing. */
  readonly state: { readonly state: AttachmentOutcome['state']['state'] };
  readonly fault: InLanguage | undefined;
}

/** Empty if all can be used. */
function unusable(all: readonly Unusable[], language: Language): string {
  const words = attachmentWords[language];
  const [first, ...others] = all.map(({ attachment: { kind, name = '' }, state: { state }, fault }) => ({
    kind,
    name: name.trim() === '' ? undefined : inlineCode(oneLine(name, 80)),
    why: escapeMarkdown(fault?.(language) ?? ''),
    isSaved: state === 'saved',
  }));
  if (first === undefined) return '';
  return others.length === 0 ? words.unusable(first) : words.unusableFiles({ faults: [first, ...others] });
}

interface SortingRules {
  readonly maxBytes: number;
  /** Whether speech can be transcribed. */
  readonly transcribes: boolean;
  /** Of the sender. Asked for only if there is something to tell: it is looked up. */
  readonly language: () => Language;
}

/**
 * Decides, before anything is stored, what happens to a message and its attachments, and what its sender is told. Larger
 * attachments than `maxBytes` are not fetched.
 */
export function sortMessage(
  {
    text,
    shared = [],
    attachments = [],
    quote,
    unreadable,
  }: Pick<InboundMessage, 'text' | 'shared' | 'attachments' | 'quote' | 'unreadable'>,
  { maxBytes, transcribes, language }: SortingRules,
): SortedMessage {
  const hasText = [text, ...shared.map((one) => one.text)].some((one) => one.trim() !== '');
  const quoted = quote?.attachments ?? [];
  if (attachments.length === 0 && !hasText)
    return unreadable === undefined
      ? { type: 'empty' }
      : { type: 'decline', words: unreadableWords(unreadable, language()), kind: unreadable };
  if (attachments.length === 0 && quoted.length === 0) return { type: 'take', attachments, quoted };

  const fault = tooLarge(maxBytes);
  const { note } = missing(fault);
  const isLarge = ({ size = 0 }: InboundAttachment): boolean => size > maxBytes;
  const large = [...quoted, ...attachments]
    .filter(isLarge)
    .map((attachment) => ({ attachment, state: missing(fault), fault }));
  const tooLargeWords = large.length === 0 ? undefined : unusable(large, language());
  const usable = attachments.filter((attachment) => !isLarge(attachment));
  if (!hasText && usable.every(({ kind }) => kind === 'voice' && !transcribes))
    return {
      type: 'decline',
      words: [usable.length === 0 ? [] : attachmentWords[language()].noTranscription, tooLargeWords ?? []]
        .flat()
        .join('\n\n'),
    };

  const draft = (file: InboundAttachment) => (isLarge(file) ? { ...file, missing: note } : file);
  return { type: 'take', attachments: attachments.map(draft), quoted: quoted.map(draft), words: tooLargeWords };
}

function unreadableWords(what: string, language: Language): string {
  return attachmentWords[language].unreadable({ what: escapeMarkdown(oneLine(what, 80)) });
}
