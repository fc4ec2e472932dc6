import type { InboundAttachment, InboundMessage } from '../../contract.ts';
import type { SortedMessage } from '../../engine/receive.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { formatSize } from '../../tools/text.ts';

/** Why it will not be fetched. Notes follow a colon, and are read by the model and by people. */
export function tooLargeNote(maxBytes: number): string {
  return `it is larger than ${formatSize(maxBytes)}, which is the most that I take`;
}

export const noTranscriptionNote = 'no transcription model is set up, so I cannot understand voice messages';

/** For a person whose voice messages cannot be transcribed. */
const noTranscriptionWords =
  '🎤 I cannot understand voice messages: no transcription model is set up. Please write to me instead. (The owner can set one up: `transcription` in the config.)';

export interface Unusable {
  readonly attachment: Pick<InboundAttachment, 'kind' | 'name'>;
  readonly note: string;
  /** It was saved, but could not be transcribed. */
  readonly isSaved?: boolean;
}

export function unusableWords(all: readonly Unusable[]): string {
  const [first, ...rest] = all.map(({ attachment, note, isSaved = false }) => {
    const what = `${isSaved ? 'make out' : 'get'} ${nameOf(attachment)}`;
    return { what, note: escapeMarkdown(note) };
  });
  if (first === undefined) return '';
  if (rest.length === 0) return `⚠️ I could not ${first.what}: ${first.note}.`;
  return ['⚠️ I could not', ...[first, ...rest].map(({ what, note }) => `- ${what}: ${note}`)].join('\n');
}

function nameOf({ kind, name }: Pick<InboundAttachment, 'kind' | 'name'>): string {
  if (name !== undefined && name.trim() !== '') return inlineCode(oneLine(name, 80));
  switch (kind) {
    case 'image':
      return 'the picture';
    case 'voice':
      return 'the voice message';
    case 'audio':
      return 'the recording';
    case 'video':
      return 'the video';
    case 'file':
      return 'the file';
  }
}

export interface AttachmentRules {
  /** Larger attachments are not fetched. */
  readonly maxBytes: number;
  /** Whether speech can be transcribed. */
  readonly transcribes: boolean;
}

/** Decides, before anything is stored, what happens to a message and its attachments, and what its sender is told. */
export function sortMessage(
  { text, shared = [], attachments = [] }: Pick<InboundMessage, 'text' | 'shared' | 'attachments'>,
  { maxBytes, transcribes }: AttachmentRules,
): SortedMessage {
  const hasText = [text, ...shared.map((one) => one.text)].some((words) => words.trim() !== '');
  if (attachments.length === 0) return hasText ? { type: 'take', attachments } : { type: 'empty' };

  const note = tooLargeNote(maxBytes);
  const isLarge = ({ size = 0 }: InboundAttachment): boolean => size > maxBytes;
  const large = attachments.filter(isLarge);
  const words = large.length === 0 ? [] : [unusableWords(large.map((attachment) => ({ attachment, note })))];
  const usable = attachments.filter((attachment) => !isLarge(attachment));
  if (!hasText && usable.every(({ kind }) => kind === 'voice' && !transcribes))
    return { type: 'decline', words: [...(usable.length === 0 ? [] : [noTranscriptionWords]), ...words].join('\n\n') };

  const drafts = attachments.map((attachment) => (isLarge(attachment) ? { ...attachment, missing: note } : attachment));
  return { type: 'take', attachments: drafts, ...(words[0] === undefined ? {} : { words: words[0] }) };
}
