import type {
  Conversation,
  InboundAction,
  InboundAttachment,
  InboundDeletion,
  InboundEdit,
  InboundMessage,
  InboundQuote,
  Sender,
  SharedText,
} from '../../src/contract.ts';

/** What a person does. */
export interface Deed {
  readonly by?: string;
  readonly in?: Conversation;
  readonly key?: string;
  readonly isPerson?: boolean;
  /** The groups of people that the platform counts them among. */
  readonly roles?: readonly string[];
  /** Where the platform says that they are. */
  readonly timeZone?: string;
  /** The language of their client, as the platform says it. */
  readonly language?: string;
  /** What they call themselves. */
  readonly name?: string;
  readonly addressed?: boolean;
  /** More of the same message is to come. */
  readonly isPiece?: boolean;
  /** It stands in a thread beneath a message. */
  readonly isThreadReply?: boolean;
  /** The message whose button they press. */
  readonly on?: string;
  /** What they write where a button asks for it. */
  readonly text?: string;
  /** They say it where nobody else reads it. */
  readonly privateTo?: string;
  readonly attachments?: readonly InboundAttachment[];
  /** What they answer, and the words of others that they pass on. */
  readonly quote?: InboundQuote;
  readonly shared?: readonly SharedText[];
  /** The bot's message that they answer, or that it stands in a thread for the bot. */
  readonly answersTo?: string;
  readonly answersThread?: boolean;
  /** What it is, if nothing in it can be read. */
  readonly unreadable?: string;
  /** When the platform says that it was sent, in milliseconds since 1970. */
  readonly sentAt?: number;
}

/** Where somebody does something, and the key of the event unless they say another one. */
export interface Occasion {
  readonly channel: string;
  readonly key: string;
}

export function saying(text: string, deed: Deed, occasion: Occasion): InboundMessage {
  const {
    addressed = true,
    isThreadReply,
    privateTo,
    attachments,
    quote,
    shared,
    sentAt = 1_700_000_000_000,
    isPiece = false,
  } = deed;
  const event = around(deed, occasion);
  return {
    type: 'message',
    ...event,
    messageId: event.key,
    text,
    addressed,
    isPiece,
    quote,
    shared,
    unreadable: deed.unreadable,
    answersTo: deed.answersTo,
    answersThread: deed.answersThread,
    ...(isThreadReply === undefined ? {} : { isThreadReply }),
    ...(privateTo === undefined ? {} : { privateTo }),
    ...(attachments === undefined ? {} : { attachments }),
    sentAt,
  };
}

export function changing(messageKey: string, text: string, deed: Deed, occasion: Occasion): InboundEdit {
  return { type: 'edit', ...around(deed, occasion), messageKey, text, shared: deed.shared, answersTo: deed.answersTo };
}

export function takingBack(messageKey: string, deed: Deed, occasion: Occasion): InboundDeletion {
  return { type: 'deletion', ...around(deed, occasion), messageKey };
}

export function pressing(actionId: string, deed: Deed, occasion: Occasion): InboundAction {
  const written = deed.text === undefined ? {} : { text: deed.text };
  const on = deed.on === undefined ? {} : { messageRef: { id: deed.on } };
  return { type: 'action', ...around(deed, occasion), actionId, ...written, ...on };
}

/** The chat of one person with the bot. */
export function direct(channel: string, person = 'ada'): Conversation {
  return { channel, chatId: person, kind: 'direct' };
}

function around(
  { by, name = nameOf(by), isPerson = true, roles, timeZone, language, in: conversation, key }: Deed,
  { channel, key: newKey }: Occasion,
): { readonly key: string; readonly conversation: Conversation; readonly sender: Sender } {
  const sender = { id: by ?? 'ada', name, isPerson, ...(roles === undefined ? {} : { roles }), timeZone, language };
  return { key: key ?? newKey, conversation: conversation ?? direct(channel, by), sender };
}

function nameOf(person = 'ada'): string {
  return `${person.slice(0, 1).toUpperCase()}${person.slice(1)}`;
}
