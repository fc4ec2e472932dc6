import type { Attachment, UserMessage } from '../transcript.ts';

/** Whether it is speech that stands for words: a voice message, or a recording that is all that was sent. */
export function isSpeech(attachment: Pick<Attachment, 'kind'>, isAlone: boolean): boolean {
  return attachment.kind === 'voice' || (attachment.kind === 'audio' && isAlone);
}

/** Whether nothing of the message can be read: it was spoken, and could not be made out. Its sender was told so. */
export function isUnheard({ text, attachments = [] }: UserMessage): boolean {
  if (text.trim() !== '' || attachments.length === 0) return false;
  const isAlone = attachments.length === 1;
  return attachments.every((attachment) => isSpeech(attachment, isAlone) && isLost(attachment));
}

function isLost(attachment: Attachment): boolean {
  switch (attachment.state) {
    case 'pending':
      return false;
    case 'missing':
      return true;
    // Without a note nobody has tried to make it out: it is a file like others.
    case 'saved':
      return attachment.transcript === undefined && attachment.note !== undefined;
  }
}

/** What was spoken in the message, in its order. */
export function spokenIn({ attachments = [] }: UserMessage): readonly string[] {
  return attachments.flatMap((attachment) =>
    attachment.state === 'saved' && attachment.transcript !== undefined ? [attachment.transcript] : [],
  );
}
