import { ChannelError, type Conversation, type MessageRef, type OutboundMessage } from '../../../src/contract.ts';
import { shownMarkdown } from '../outgoing/content.ts';
import type { StreamedMessage } from './streamed-message.ts';

export interface FinishDependencies {
  readonly to: Conversation;
  readonly send: (to: Conversation, message: OutboundMessage) => Promise<MessageRef>;
  readonly edit: (to: Conversation, ref: MessageRef, message: OutboundMessage) => Promise<void>;
}

/**
 * Makes a message that was shown while it was written show its final part: by what is missing at its end, or by a change,
 * or anew where somebody has taken it away. Throws `ChannelError`, after which it can be called again.
 */
export async function finishMessage(
  message: StreamedMessage,
  part: OutboundMessage,
  { to, send, edit }: FinishDependencies,
): Promise<MessageRef> {
  const wanted = shownMarkdown(part.markdown);
  const hasButtons = (part.buttons?.length ?? 0) > 0;
  const isBeginning = message.isSure && !hasButtons && wanted.startsWith(message.shown);
  await message.stop({ rest: isBeginning ? wanted.slice(message.shown.length) : '', messageId: part.id });
  if (message.isSure && !hasButtons && message.shown.trimEnd() === wanted.trimEnd()) return message.ref;
  if (message.isGone) return send(to, part);
  try {
    await edit(to, message.ref, part);
  } catch (error) {
    if (!(error instanceof ChannelError) || error.fault.type !== 'permanent') throw error;
    return send(to, part);
  }
  message.becomes(wanted);
  return message.ref;
}
