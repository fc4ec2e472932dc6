import type { InboundAttachment, InboundMessage } from '../../contract.ts';
import type { AttachmentDraft } from '../inbox.ts';
import { noTranscriptionWords, tooLargeNote, unusableWords } from './attachment-words.ts';

export interface AttachmentRules {
  /** What is larger is not fetched. */
  readonly maxBytes: number;
  /** Whether what is spoken can be understood. */
  readonly transcribes: boolean;
}

export type SortedMessage =
  /** Nothing was sent that could be read. */
  | { readonly type: 'empty' }
  /** The words are for the sender, at once. */
  | { readonly type: 'take'; readonly attachments: readonly AttachmentDraft[]; readonly words?: string }
  /** Nothing can be done with any of it. */
  | { readonly type: 'decline'; readonly words: string };

/** Decides, before anything is stored, what becomes of a message with what was sent with it, and what its sender is told. */
export function sortMessage(
  { text, attachments = [] }: Pick<InboundMessage, 'text' | 'attachments'>,
  { maxBytes, transcribes }: AttachmentRules,
): SortedMessage {
  const hasText = text.trim() !== '';
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
