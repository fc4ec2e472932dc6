import type { Chat, Message, MessageEntity, Update, User } from 'grammy/types';
import type { Callbacks } from './callbacks.ts';
import type { Chats, StoredMessage } from './chats.ts';
import { flatButtons } from './keyboard.ts';
import type { UpdateQueue } from './update-queue.ts';

/** Who does something: the id of a person, or all that the platform tells about one. */
export type Person = number | User;

export interface SayOptions {
  /** In a private chat the person of the chat, if not set; elsewhere the person 1001. */
  readonly from?: Person;
  /** As an anonymous admin: in the name of the chat. */
  readonly anonymous?: boolean;
  readonly type?: Chat['type'];
  readonly title?: string;
  readonly threadId?: number;
  /** Whether the thread is a topic. Plain supergroups have thread ids on replies, and nobody can write to those. */
  readonly isTopic?: boolean;
  readonly replyTo?: number;
  /** Instead of those that the server finds in the text. */
  readonly entities?: readonly MessageEntity[];
  readonly messageId?: number;
}

export interface PressOptions {
  readonly from?: Person;
  /** Sends the data even if there is no such button: what anybody can do with a client of his own. */
  readonly forged?: boolean;
}

interface Dependencies {
  readonly chats: Chats;
  readonly updates: UpdateQueue;
  readonly callbacks: Callbacks;
}

const anonymousAdmin: User = { id: 1_087_968_824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' };

/** What people do in their chats, told to the bot as updates. */
export class People {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  say(chatId: number, text: string, options: SayOptions = {}): Update {
    const { chats, updates } = this.#dependencies;
    const chat = chats.open(makeChat(chatId, options));
    const { threadId, isTopic = false, replyTo, messageId } = options;
    if (threadId !== undefined && isTopic) chats.openTopic(chatId, threadId);
    const message = chats.add(chatId, {
      from: options.anonymous === true ? anonymousAdmin : userOf(options.from ?? defaultPerson(chatId)),
      content: { text, entities: options.entities ?? findEntities(text) },
      isTopic,
      ...(options.anonymous === true && { senderChat: chat }),
      ...(threadId !== undefined && { threadId }),
      ...(replyTo !== undefined && { replyTo }),
      ...(messageId !== undefined && { id: messageId }),
    });
    return updates.add({ message: withSender(chats.wire(message), message.from) });
  }

  /** Changes what a person said. */
  edit(chatId: number, messageId: number, text: string): Update {
    const { chats, updates } = this.#dependencies;
    const edited = chats.edit(this.#message(chatId, messageId), { text, entities: findEntities(text) }, undefined);
    const editDate = Math.floor((edited.editedAt ?? 0) / 1000);
    return updates.add({ edited_message: { ...withSender(chats.wire(edited), edited.from), edit_date: editDate } });
  }

  /** Presses a button by what stands on it or by its data. Gives the query's id and its update. */
  press(chatId: number, messageId: number, button: string, options: PressOptions = {}): { id: string; update: Update } {
    const { chats, updates, callbacks } = this.#dependencies;
    const message = this.#message(chatId, messageId);
    const data = options.forged === true ? button : findButton(message, button);
    const id = callbacks.open();
    const from = userOf(options.from ?? defaultPerson(chatId));
    const query = { id, from, chat_instance: `instance-${chatId}`, data, message: chats.wire(message) };
    return { id, update: updates.add({ callback_query: query }) };
  }

  #message(chatId: number, messageId: number): StoredMessage {
    const message = this.#dependencies.chats.message(chatId, messageId);
    if (message === undefined) throw new Error(`There is no message ${messageId} in the chat ${chatId}.`);
    return message;
  }
}

/** The chat that such an id belongs to on Telegram. */
export function makeChat(id: number, { type, title }: { type?: Chat['type']; title?: string } = {}): Chat {
  const kind = type ?? (id > 0 ? 'private' : id <= -1_000_000_000_000 ? 'supergroup' : 'group');
  const named = title ?? `Group ${id}`;
  switch (kind) {
    case 'private':
      return { id, type: kind, first_name: `Person ${id}` };
    case 'group':
      return { id, type: kind, title: named };
    case 'supergroup':
      return { id, type: kind, title: named };
    case 'channel':
      return { id, type: kind, title: named };
  }
}

function userOf(person: Person): User {
  if (typeof person !== 'number') return person;
  return { id: person, is_bot: false, first_name: `Person ${person}`, username: `person_${person}` };
}

function defaultPerson(chatId: number): number {
  return chatId > 0 ? chatId : 1001;
}

/** Says to the compiler that somebody sent it, and that its chat is no channel. */
function withSender(message: Message, from: User): Message & Update.NonChannel {
  const { chat } = message;
  if (chat.type === 'channel') throw new Error('What is said in a channel is no message: use another type of chat.');
  return { ...message, chat, from };
}

/** A command at the beginning, and every @name. */
function findEntities(text: string): readonly MessageEntity[] {
  const command = /^\/\w{1,32}(?:@\w{3,32})?/.exec(text)?.[0].length ?? 0;
  const mentions = [...text.slice(command).matchAll(/(?<![\w@])@\w{3,32}/g)].map(
    (match): MessageEntity => ({ type: 'mention', offset: command + match.index, length: match[0].length }),
  );
  return command === 0 ? mentions : [{ type: 'bot_command', offset: 0, length: command }, ...mentions];
}

function findButton(message: StoredMessage, wanted: string): string {
  const buttons = flatButtons(message.keyboard);
  const button = buttons.find(({ data, label }) => data === wanted || label === wanted);
  if (button?.data !== undefined) return button.data;
  const there = buttons.map(({ label }) => label).join(', ') || 'none';
  throw new Error(`There is no button "${wanted}" to press on the message ${message.id}. Its buttons: ${there}.`);
}
