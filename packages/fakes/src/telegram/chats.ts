import type { Chat, InlineKeyboardMarkup, Message, MessageEntity, User } from '@grammyjs/types';
import { z } from 'zod';
import type { FormattedText } from './formatted-text.ts';
import { badRequest, Refusal, type Upload } from './parameters.ts';

/** What stands on a button, and what a press of it sends. */
export interface ShownButton {
  readonly label: string;
  /** Undefined for a button that sends nothing, such as a link. */
  readonly data: string | undefined;
  /** Its colour: red, green, or blue. Undefined for that of the app. */
  readonly style?: 'danger' | 'success' | 'primary' | undefined;
}

/** A message as a person in the chat sees it now. */
export interface ShownMessage {
  readonly id: number;
  readonly from: 'bot' | 'user';
  /** The caption, if there is a file. */
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly buttons: readonly ShownButton[];
  /** The same buttons, as they stand below it. */
  readonly rows: readonly (readonly ShownButton[])[];
  /** How often its text or its buttons were changed. */
  readonly edits: number;
  readonly threadId?: number | undefined;
  readonly replyTo?: number | undefined;
  readonly file?: Upload;
  readonly reactions: readonly string[];
  /** Nobody's device rang for it. Edits never ring. */
  readonly isSilent?: boolean;
  /** It opens the reply box of the person. */
  readonly forcesReply?: boolean;
}

/** What is to be put into a chat. */
export interface NewMessage {
  readonly from: User;
  readonly content: FormattedText;
  readonly keyboard?: InlineKeyboardMarkup | undefined;
  readonly threadId?: number | undefined;
  readonly isTopic?: boolean;
  readonly replyTo?: number | undefined;
  readonly file?: StoredFile;
  readonly isSilent?: boolean;
  readonly forcesReply?: boolean;
  /** What a person sends beside a text, which is its caption then; or without one. */
  readonly sent?: Partial<Message>;
  /** Who wrote it, where it is forwarded. */
  readonly forwardedFrom?: Message['forward_origin'];
  /** Chosen by the chat if not set. */
  readonly id?: number | undefined;
}

export interface StoredFile extends Upload {
  readonly id: string;
  readonly type: 'document' | 'photo' | 'voice';
}

export interface StoredMessage extends NewMessage {
  readonly id: number;
  readonly chat: Chat;
  /** In milliseconds since 1970. */
  readonly sentAt: number;
  readonly editedAt?: number;
  readonly edits: number;
  readonly reactions: readonly string[];
}

interface Room {
  readonly chat: Chat;
  readonly topics: Set<number>;
  readonly messages: Map<number, StoredMessage>;
  nextMessageId: number;
  /** The supergroup that the group has become. */
  movedTo?: number;
  /** The bot is not in it: it was taken out, or blocked. */
  isBarred?: boolean;
}

/** A message that was replied to, as grammY types it. */
const withReply = z.custom<Message>();

export type Chats = ReturnType<typeof createChats>;

/** Every chat that the bot may write to, with what stands in it. Message ids are unique in their chat only. */
export function createChats(now: () => number) {
  const rooms = new Map<number, Room>();

  function roomOf(chatId: number): Room {
    const room = rooms.get(chatId);
    if (room === undefined) throw badRequest('chat not found');
    return room;
  }

  function message(chatId: number, messageId: number): StoredMessage | undefined {
    return roomOf(chatId).messages.get(messageId);
  }

  function replace(changed: StoredMessage): StoredMessage {
    roomOf(changed.chat.id).messages.set(changed.id, changed);
    return changed;
  }

  return {
    message,

    /** Makes the chat, unless there is one. */
    open(chat: Chat): Chat {
      const room = rooms.get(chat.id) ?? { chat, topics: new Set(), messages: new Map(), nextMessageId: 1 };
      rooms.set(chat.id, room);
      return room.chat;
    },

    /** Throws a refusal that says where the chat is, if it has become another one, and if the bot is not in it. */
    find: (chatId: number): Chat | undefined => find(rooms.get(chatId)),

    /** From now on, nothing can be sent to the chat. */
    move(chatId: number, newId: number): void {
      roomOf(chatId).movedTo = newId;
    },

    /** Whether the bot can write there from now on. */
    bar(chatId: number, isBarred: boolean): void {
      roomOf(chatId).isBarred = isBarred;
    },

    openTopic: (chatId: number, threadId: number) => roomOf(chatId).topics.add(threadId),
    hasTopic: (chatId: number, threadId: number): boolean => roomOf(chatId).topics.has(threadId),

    add(chatId: number, added: NewMessage): StoredMessage {
      const room = roomOf(chatId);
      const id = added.id ?? room.nextMessageId;
      if (room.messages.has(id)) throw new Error(`There is a message ${id} in the chat ${chatId} already.`);
      room.nextMessageId = Math.max(room.nextMessageId, id + 1);
      const stored = { ...added, id, chat: room.chat, sentAt: now(), edits: 0, reactions: [] };
      room.messages.set(id, stored);
      return stored;
    },

    /** Shows other content and another keyboard, or none. */
    edit(before: StoredMessage, content: FormattedText, keyboard: InlineKeyboardMarkup | undefined): StoredMessage {
      return replace({ ...before, content, keyboard, edits: before.edits + 1, editedAt: now() });
    },

    react: (to: StoredMessage, reactions: readonly string[]) => replace({ ...to, reactions }),
    delete: (chatId: number, messageId: number): boolean => roomOf(chatId).messages.delete(messageId),

    /** What the chat shows, the oldest first. Nothing, if there is no such chat. */
    shown: (chatId: number): readonly ShownMessage[] => [...(rooms.get(chatId)?.messages.values() ?? [])].map(show),

    /** Nothing stands in the chats any more. Ids are not given again. */
    forget(): void {
      for (const { messages } of rooms.values()) messages.clear();
    },

    chatIds: (): readonly number[] => [...rooms.keys()],

    /** The message as an update or an answer carries it. */
    wire(sent: StoredMessage): Message {
      const replied = sent.replyTo === undefined ? undefined : message(sent.chat.id, sent.replyTo);
      if (replied === undefined) return wireWithoutReply(sent);
      return withReply.parse({ ...wireWithoutReply(sent), reply_to_message: wireWithoutReply(replied) });
    },
  };
}

function find(room: Room | undefined): Chat | undefined {
  if (room?.isBarred === true) {
    const words = room.chat.type === 'private' ? 'blocked by the user' : `kicked from the ${room.chat.type} chat`;
    throw new Refusal(403, `Forbidden: bot was ${words}`);
  }
  if (room?.movedTo === undefined) return room?.chat;
  const words = 'Bad Request: group chat was upgraded to a supergroup chat';
  throw new Refusal(400, words, { migrate_to_chat_id: room.movedTo });
}

function show({ content, keyboard, ...message }: StoredMessage): ShownMessage {
  const from = message.from.is_bot ? 'bot' : 'user';
  const rows = buttonRows(keyboard);
  return { ...message, ...content, from, buttons: rows.flat(), rows };
}

function wireWithoutReply(message: StoredMessage): Message {
  const { id, from, chat, sentAt, editedAt, keyboard, threadId, isTopic, forwardedFrom } = message;
  return {
    message_id: id,
    from,
    chat,
    date: Math.floor(sentAt / 1000),
    ...wireContent(message),
    ...(editedAt !== undefined && { edit_date: Math.floor(editedAt / 1000) }),
    ...(keyboard !== undefined && { reply_markup: keyboard }),
    ...(threadId !== undefined && { message_thread_id: threadId }),
    ...(isTopic === true && { is_topic_message: true }),
    ...(forwardedFrom !== undefined && { forward_origin: forwardedFrom }),
  };
}

function wireContent({ content, file, sent }: StoredMessage): Partial<Message> {
  const { text, entities } = content;
  const captionEntities = entities.length > 0 && { caption_entities: [...entities] };
  if (sent !== undefined) return { ...sent, ...(text !== '' && { caption: text }), ...captionEntities };
  if (file === undefined) return { text, ...(entities.length > 0 && { entities: [...entities] }) };

  const ids = { file_id: file.id, file_unique_id: `unique-${file.id}`, file_size: file.bytes.length };
  return {
    ...(text !== '' && { caption: text }),
    ...captionEntities,
    ...(file.type === 'document' && { document: { ...ids, file_name: file.name } }),
    ...(file.type === 'photo' && { photo: [{ ...ids, width: 1, height: 1 }] }),
    ...(file.type === 'voice' && { voice: { ...ids, duration: 1 } }),
  };
}

/** The buttons from left to right and from top to bottom. */
export function flatButtons(keyboard: InlineKeyboardMarkup | undefined): readonly ShownButton[] {
  return buttonRows(keyboard).flat();
}

function buttonRows(keyboard: InlineKeyboardMarkup | undefined): readonly (readonly ShownButton[])[] {
  return (keyboard?.inline_keyboard ?? []).map((row) =>
    row.map((button) => ({
      label: button.text,
      data: 'callback_data' in button ? button.callback_data : undefined,
      ...(button.style !== undefined && { style: button.style }),
    })),
  );
}

/** One line about a message, for the error of a wait in vain. */
export function describeMessage({ id, from, text, buttons, edits }: ShownMessage): string {
  const shownButtons = buttons.map(({ label }) => ` [${label}]`).join('');
  return `  ${id} ${from}: ${JSON.stringify(text.slice(0, 300))}${shownButtons}${edits > 0 ? ` (${edits} edits)` : ''}`;
}
