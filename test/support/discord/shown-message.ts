import type { StoredFile } from './attachments.ts';
import { botId } from './bot-user.ts';
import { flatButtons, type ShownButton } from './components.ts';
import { readableText } from './message-text.ts';
import type { StoredMessage } from './messages.ts';

/** A message as a person in the channel sees it now. */
export interface ShownMessage {
  readonly id: string;
  readonly from: 'bot' | 'user';
  readonly senderId: string;
  /** All that can be read: the content, the embeds, the texts among the components. */
  readonly text: string;
  readonly content: string;
  readonly embeds: readonly unknown[];
  readonly components: readonly unknown[];
  readonly buttons: readonly ShownButton[];
  readonly files: readonly StoredFile[];
  /** The emoji that anybody reacted with. */
  readonly reactions: readonly string[];
  /** How often it was changed. */
  readonly edits: number;
  readonly flags: number;
  /** 0 for what somebody says, 19 for a reply, 20 for the answer to a command; others are said by the platform. */
  readonly type: number;
  /** Whom it calls: `@everyone`, `@here`, `<@id>`, `<@&id>`. */
  readonly pings: readonly string[];
  readonly replyTo?: string;
  readonly nonce?: string | number;
}

export function showMessage(message: StoredMessage): ShownMessage {
  const { id, author, content, embeds, components, files, edits, flags, type, mentions, replyTo, nonce } = message;
  return {
    id,
    from: author.id === botId ? 'bot' : 'user',
    senderId: author.id,
    text: readableText(message),
    content,
    embeds,
    components,
    buttons: flatButtons(components),
    files,
    reactions: [...message.reactions.keys()],
    edits,
    flags,
    type,
    pings: mentions.pings,
    ...(replyTo !== undefined && { replyTo }),
    ...(nonce !== undefined && { nonce }),
  };
}
