/*
 * Messages in and out as they are stored: a message, a command, its origin, and whose words and files it brings. The ports
 * that intake asks: `AccessPolicy` who may talk, `Strangers` who tells the others why not, `Inbox` which takes messages in.
 */

import {
  type Conversation,
  type InboundAttachment,
  type InboundEvent,
  type InboundMessage,
  type MessageRef,
  type OutboundMessage,
  principalOf,
  type Quote,
  type Sender,
  type SharedText,
} from '../contract.ts';
import { newId } from '../lib/ids.ts';
import { isTimeZone } from '../lib/time-words.ts';
import { type Language, languageOf, languageOfText, type Written } from '../lib/words.ts';
import { taintSource } from '../tools/taint-sources.ts';
import { isPlainWord } from '../tools/text.ts';
import type { StoredMessage } from '../words/message-parts.ts';

/** A message that is stored before it is sent. */
export interface OutboxDraft {
  readonly conversationId: string;
  readonly message: StoredMessage;
}

/** A notice from Keyturn itself that somebody waits for: what ends a run, the last reminder. */
export function noticeIn(conversationId: string, markdown: string): OutboxDraft {
  return { conversationId, message: { id: newId(20), kind: 'notice', markdown } };
}

/** A notice that nobody waits for, or that something else follows: no device rings for it. */
export function quietNoticeIn(conversationId: string, markdown: string): OutboxDraft {
  return { conversationId, message: quietly(noticeIn(conversationId, markdown).message) };
}

/** The same message, as one that no device rings for. */
export function quietly<Message extends StoredMessage>(message: Message): Message & { readonly isSilent: true } {
  return { ...message, isSilent: true };
}

/** The event behind a decision or a command. Its key makes redelivery harmless. */
export interface Origin {
  readonly key: string;
  /** Set if only this person may see the answer: see `InboundMessage`. */
  readonly privateTo?: string;
  readonly conversation: Conversation;
  readonly conversationId: string;
  readonly principal: string;
  readonly name: string;
  /** The message with the pressed button. */
  readonly pressed?: MessageRef;
  /** The message of ours that it answers, by its id in the chat. */
  readonly answersTo?: string | undefined;
  /**
   * It was given to this machine by the operating-system user who runs Keyturn: they may decide whatever is asked, wherever its
   * card is. Never set for what comes from a channel.
   */
  readonly isAtMachine?: true;
  /**
   * They see all that they may decide in one place, which is no chat: where its card stands does not matter. Whether they may
   * decide it is the same question as everywhere.
   */
  readonly seesAll?: true;
  /** It was given on the page, whatever conversation it is about: see `ObeyAside`. */
  readonly isAside?: true;
  /** The sender's roles on the platform. */
  readonly roles?: readonly string[];
  /** The sender's time zone, if the platform tells it. */
  readonly timeZone?: string;
  /** The language of their client, if the platform tells it and we speak it. */
  readonly language?: Language;
  /** The language that their message is written in. */
  readonly writes?: Written;
}

/** A notice about what somebody did: private if they did it in private. */
export function noticeTo({ privateTo }: Pick<Origin, 'privateTo'>, markdown: string): OutboundMessage {
  return { id: newId(20), kind: 'notice', markdown, privateTo };
}

/** A notice in reply to a message. */
export function noticeFor({ messageId, privateTo }: InboundMessage, markdown: string): OutboundMessage {
  return { ...noticeTo({ privateTo }, markdown), replyTo: messageId };
}

/** A message to the model, from a person or a program. */
export interface MessageDraft {
  readonly origin: Origin;
  readonly text: string;
  readonly isPerson: boolean;
  readonly messageId?: string;
  readonly quote?: KeptQuote;
  readonly shared?: readonly SharedText[];
  /** Its own, then those of the quoted message. */
  readonly attachments?: readonly AttachmentDraft[];
  /** Sources of the untrusted content in it. */
  readonly untrusted: readonly string[];
  /** Whether this person's words are trusted. Other people's words in a group are not. */
  readonly isTrusted: (principal: string) => boolean;
  /** Told to the sender at once. */
  readonly notice?: OutboundMessage;
  readonly sentAt: number;
  readonly at: number;
}

/** A quoted message as it is stored. */
export interface KeptQuote extends Quote {
  /** The key of the message, with its channel. */
  readonly messageKey?: string;
  /** How many attachments are its files: the last ones. */
  readonly files?: number;
}

/** An attachment as received. `missing`: why it will not be fetched. */
export type AttachmentDraft = InboundAttachment & { readonly missing?: string };

/** An edit of a message by its sender. */
export interface EditDraft {
  readonly origin: Origin;
  /** The key of the message, with its channel. */
  readonly messageKey: string;
  readonly text: string;
  readonly shared?: readonly SharedText[];
  /** Sources of content that the sender did not write. */
  readonly untrusted: readonly string[];
  readonly at: number;
}

/** A message that its sender deleted. */
export interface DeletionDraft {
  /** The key of the message, with its channel. */
  readonly messageKey: string;
  /** Its author; undefined if the platform does not tell. */
  readonly principal: string | undefined;
  readonly at: number;
}

/**
 * `replaced`: no turn had seen the old text at `seq`; the new text is the newest message · `noted`: the model has read the old
 * text and will be told · `ignored`: no message to the model, somebody else's, or no change.
 */
export type Edited = { readonly type: 'replaced'; readonly seq: number } | { readonly type: 'noted' | 'ignored' };

/**
 * `removed`: no turn had seen it; its text is gone · `noted`: the model has read it and will be told · `ignored`: no message
 * to the model, or somebody else's.
 */
export type Withdrawn =
  | { readonly type: 'removed'; readonly conversationId: string; readonly principal: string }
  | { readonly type: 'noted' | 'ignored' };

/** Stores what comes in. Each method is one transaction, on disk before it resolves. */
export interface Inbox {
  /**
   * Adds a message to the transcript. `repeated`: stored before · `unheard`: from a program, after too many programs in a row.
   * `visible` is called when the message can be answered, before it is on disk: until then the platform still has it.
   */
  accept(message: MessageDraft, visible?: () => void): Promise<'accepted' | 'repeated' | 'unheard'>;
  /**
   * Stores a message that can't be used, and tells its sender why; of what it is `about`, once a day in a chat. False if
   * nothing is told.
   */
  decline(origin: Origin, message: OutboundMessage, at: number, about?: string): Promise<boolean>;
  edit(edit: EditDraft): Promise<Edited>;
  withdraw(deletion: DeletionDraft): Promise<Withdrawn>;
  /** Whether anything was ever said there. Without an id: false. */
  isKnown(conversationId: string | undefined): Promise<boolean>;
}

/** Who may talk and command where. */
export interface AccessPolicy {
  accessOf(event: InboundEvent): Access;
  /** Whether this sender would be heard if they addressed us there. */
  isWelcome(sender: Sender, conversation: Conversation): boolean;
  /** Whether threads of that group that we took part in need no mention. */
  followsThreads(conversation: Conversation): boolean;
  mayCommand(command: Command, event: InboundEvent): boolean;
  isOwner(principal: string): boolean;
}

export type Access =
  | { readonly type: 'welcome' }
  /** Stay silent: not meant for us, or not from a person. */
  | { readonly type: 'ignore'; readonly reason: string }
  /** May not talk here, and is told. */
  | { readonly type: 'refuse' }
  /** Addresses us in a group without access: told only if nobody else reads it. */
  | { readonly type: 'turn-away' }
  /** An owner addresses us in a group that the config does not name: told how to let it in. */
  | { readonly type: 'unknown-group' };

/** Tells people why they are not heard. */
export interface Strangers {
  /** Answers a stranger in a direct chat, with a pairing code if they may have one. */
  refuse(origin: Origin): Promise<void>;
  refuseCommand(origin: Origin): Promise<void>;
  /** Tells an owner how to let the group in. */
  explainGroup(origin: Origin): Promise<void>;
  /** Private words for a stranger in a group; undefined if they know already. */
  turnAway(origin: Origin): string | undefined;
  /** A program spoke, and was heard or not. */
  noteProgram(origin: Origin, isHeard: boolean): Promise<void>;
}

export type SortedMessage =
  /** Nothing readable was sent. */
  | { readonly type: 'empty' }
  /** `words`: for the sender, at once. */
  | {
      readonly type: 'take';
      readonly attachments: readonly AttachmentDraft[];
      /** The files of the quoted message. */
      readonly quoted: readonly AttachmentDraft[];
      readonly words?: string;
    }
  /** Nothing in it can be used. */
  | {
      readonly type: 'decline';
      readonly words: string;
      /** The kind of it, if all of the kind are declined: a chat is told once a day. */
      readonly kind?: string;
    };

/** A command to Keyturn. */
export interface Command {
  /** Lower case, without the slash. */
  readonly name: string;
  /** The rest of the message, trimmed. */
  readonly argument: string;
}

/** Parses `/name the rest`. Undefined for anything else, such as the path `/etc/hosts`. */
export function parseCommand(text: string): Command | undefined {
  const match = /^\/([a-z][a-z0-9_]{0,31})(?:\s+([\s\S]*))?$/i.exec(text.trim());
  const [, name, argument] = match ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), argument: (argument ?? '').trim() };
}

/** Splits off the first word: `k3f9 too risky` → `k3f9`, `too risky`. */
export function firstWord(text: string): { readonly word: string; readonly rest: string } {
  const [word = '', ...rest] = text.split(/\s+/);
  return { word, rest: rest.join(' ') };
}

/** Whose files count as their own words: only an owner's, and with `all` also the documents that they send. */
export type TrustInFiles = 'none' | 'own' | 'all';

type Content = Pick<InboundMessage, 'quote' | 'shared' | 'attachments' | 'sender'>;

/**
 * The sources of what the sender of a message did not make: words of others, and files. A person's own are only their
 * pictures and voice messages: a document, a recording or a film may come from anywhere, and so may its name. Whose the
 * files of a quoted message are is not known.
 */
export function foreignSources({ quote, shared = [], attachments = [], sender }: Content, trust: TrustInFiles) {
  const words = [...(quote === undefined ? [] : [quote]), ...shared].filter(({ isOwn }) => !isOwn);
  const files = attachments.filter((file) => file.isShared === true || !isTheirs(file, trust));
  return [
    ...words.map(({ name }) => (name === '' ? taintSource('somebodysWords') : taintSource('words', name))),
    ...(files.length === 0 ? [] : [taintSource('file', sender.name)]),
    ...((quote?.attachments ?? []).length === 0 ? [] : [fileOf(quote?.name ?? '')]),
  ];
}

function fileOf(name: string): string {
  return name === '' ? taintSource('somebodysFile') : taintSource('file', name);
}

/** The attachments without names that could carry a message to a model, where the file itself taints nothing. */
export function plainlyNamed<File extends InboundAttachment>(files: readonly File[], trust: TrustInFiles) {
  return files.map((file) => {
    const isNamed = trust === 'own' && file.isShared !== true && isOwnMedia(file);
    return isNamed && !isPlainWord(stemOf(file)) ? { ...file, name: undefined } : file;
  });
}

function isTheirs(file: InboundAttachment, trust: TrustInFiles): boolean {
  return trust === 'all' || (trust === 'own' && isOwnMedia(file));
}

/** A picture or a voice message. An SVG is a text. */
function isOwnMedia({ kind, mediaType = '', name = '' }: InboundAttachment): boolean {
  return kind === 'voice' || (kind === 'image' && !/svg|xml/i.test(mediaType) && !/\.svgz?\s*$/i.test(name));
}

function stemOf({ name = '' }: InboundAttachment): string {
  return name.replace(/\.[a-z0-9]{1,5}$/i, '');
}

/** The quoted message as it is stored, without its files. */
export function keptQuote({ quote, conversation }: InboundMessage): KeptQuote | undefined {
  if (quote === undefined) return undefined;
  const { name, text, isOwn, messageKey, attachments = [] } = quote;
  if (attachments.length === 0) return { name, text, isOwn };
  const key = messageKey && `${conversation.channel}:${messageKey}`;
  return { name, text, isOwn, messageKey: key, files: attachments.length };
}

/** The sender and place of an event, with our id of the conversation. */
export function originOf(event: InboundEvent, conversationId: string): Origin {
  const { conversation, sender } = event;
  return {
    // Keys are unique within a channel only.
    key: `${conversation.channel}:${event.key}`,
    conversation,
    conversationId,
    principal: principalOf(conversation.channel, sender.id),
    name: sender.name,
    roles: sender.roles,
    timeZone: sender.timeZone !== undefined && isTimeZone(sender.timeZone) ? sender.timeZone : undefined,
    language: languageOf(sender.language),
    writes: sender.isPerson && event.type === 'message' ? languageOfText(event.text) : undefined,
    pressed: event.type === 'action' ? event.messageRef : undefined,
    privateTo: event.type === 'message' ? event.privateTo : undefined,
    answersTo: event.type === 'message' ? event.answersTo : undefined,
  };
}
