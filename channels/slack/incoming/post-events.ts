import type { InboundDeletion, InboundEdit, InboundMessage } from '../../../src/contract.ts';
import type { Names } from './names.ts';
import type { SlackPost } from './payload.ts';
import { conversationAt } from './place.ts';
import { quoteOfRoot, quoteOfShared } from './post-quote.ts';
import { readText } from './post-text.ts';
import { type ReadPost, senderOf } from './read-post.ts';

/** What the model reads where somebody has forwarded a message and said nothing to it. */
const forwardedWords = '(a forwarded message)';

export interface MessageContext {
  readonly isAddressed: boolean;
  /** The root of the thread, where that has to be told. */
  readonly root: SlackPost | undefined;
  readonly names: Names;
}

/** A post as the host takes it, with the names that are known now. */
export function messageOf(read: ReadPost, { isAddressed, root, names }: MessageContext): InboundMessage {
  const { post, place, key, text, shared, attachments, isReply, callsOthers } = read;
  const { workspace } = place;
  const sharedQuote = quoteOfShared(shared, workspace, names);
  const quote = sharedQuote ?? (root && quoteOfRoot(root, workspace, names));
  const words = readText(text, workspace.botUserId, names.in(workspace));
  return {
    type: 'message',
    key,
    ...spokenIn(read, names),
    text: words === '' && sharedQuote !== undefined ? forwardedWords : words,
    addressed: isAddressed,
    ...(isReply && !callsOthers && { isThreadReply: true }),
    sentAt: Math.floor(Number(post.ts) * 1000),
    messageId: post.ts,
    ...(attachments.length > 0 && { attachments }),
    ...(quote !== undefined && { quote }),
  };
}

/** The post as it was changed, at that instant of Slack's. */
export function editOf(read: ReadPost, editedTs: string, names: Names): InboundEdit {
  const { key, text, place } = read;
  return {
    type: 'edit',
    key: `${key}:e:${editedTs}`,
    messageKey: key,
    ...spokenIn(read, names),
    text: readText(text, place.workspace.botUserId, names.in(place.workspace)),
  };
}

/** The post is taken back. */
export function deletionOf(read: ReadPost, names: Names): InboundDeletion {
  return { type: 'deletion', key: `${read.key}:d`, messageKey: read.key, ...spokenIn(read, names) };
}

function spokenIn(read: ReadPost, names: Names): Pick<InboundMessage, 'conversation' | 'sender'> {
  const { place } = read;
  const sender = senderOf(read, names);
  return { conversation: conversationAt(place, names.titleOf(place, sender.name)), sender };
}
