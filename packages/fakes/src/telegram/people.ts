import type { Chat, ChatMember, Message, MessageEntity, PhotoSize, Update, User } from '@grammyjs/types';
import type { Changes } from '../changes.ts';
import { flatButtons, type NewMessage, type StoredMessage } from './chats.ts';
import type { Files, TelegramState } from './methods.ts';

/** A file that a person sends, and as what. */
export interface PersonFile {
  readonly type: 'photo' | 'document' | 'voice' | 'audio' | 'video' | 'video_note' | 'animation';
  readonly bytes: Buffer;
  readonly name?: string;
  readonly mediaType?: string;
}

/** Who does something: the id of a person, or all that the platform tells about one. */
export type Person = number | User;

export interface SayOptions {
  /** In a private chat the person of the chat, if not set; elsewhere the person 1001. */
  readonly from?: Person;
  readonly threadId?: number;
  /** Whether the thread is a topic. Plain supergroups have thread ids on replies, and nobody can write to those. */
  readonly isTopic?: boolean;
  readonly replyTo?: number;
  readonly messageId?: number;
  /** Who wrote it, where it is forwarded. */
  readonly forwardedFrom?: Message['forward_origin'];
}

export interface SendOptions extends SayOptions {
  readonly caption?: string;
}

export interface AlbumOptions extends SendOptions {
  /** Which item has the caption; the first, if not set. */
  readonly captionAt?: number;
}

export interface PressOptions {
  readonly from?: Person;
  /** Sends the data even if there is no such button: what anybody can do with a client of their own. */
  readonly forged?: boolean;
}

/** What people do in their chats, told to the bot as updates. */
export class People {
  readonly #state: TelegramState;
  readonly #changes: Changes;
  #albums = 0;
  #presses = 0;

  constructor(state: TelegramState, changes: Changes) {
    this.#state = state;
    this.#changes = changes;
  }

  say(chatId: number, text: string, options: SayOptions = {}): Update {
    return this.#post(chatId, { content: { text, entities: findEntities(text) } }, options);
  }

  /** Sends a file, with a caption or without. */
  send(chatId: number, file: PersonFile, options: SendOptions = {}): Update {
    return this.show(chatId, tellOfFile(this.#state.files, file), options);
  }

  /** Sends several files as one album: each is a message of its own. */
  sendAlbum(chatId: number, files: readonly PersonFile[], options: AlbumOptions = {}): readonly Update[] {
    if (files.length < 2 || files.length > 10) throw new Error('An album has 2 to 10 items.');
    const { caption = '', captionAt = 0, ...rest } = options;
    this.#albums += 1;
    const media_group_id = `1400000000${this.#albums}`;
    return files.map((file, index) => {
      const content = { ...tellOfFile(this.#state.files, file), media_group_id };
      return this.show(chatId, content, { ...rest, caption: index === captionAt ? caption : '' });
    });
  }

  /** Sends what is neither a text nor a file: a place, a contact. And what the platform itself says in the chat. */
  show(chatId: number, sent: Partial<Message>, { caption = '', ...options }: SendOptions = {}): Update {
    const content = { text: caption, entities: findEntities(caption) };
    return this.#post(chatId, { content, sent }, options);
  }

  /** Makes a supergroup of a group. Both chats are told; in the old one, nothing can be said any more. */
  migrate(chatId: number, newId: number): readonly Update[] {
    const { chats } = this.#state;
    const updates = [
      this.show(chatId, { migrate_to_chat_id: newId }),
      this.show(newId, { migrate_from_chat_id: chatId }),
    ];
    chats.move(chatId, newId);
    return updates;
  }

  /**
   * Adds the bot to a group or takes it out; in a direct chat, unblocks it or blocks it. In a chat of that kind that it is not in,
   * it can write nothing.
   */
  member(chatId: number, change: 'added' | 'removed', from: Person = defaultPerson(chatId)): Update {
    const { chats, bot, now } = this.#state;
    const chat = chats.open(makeChat(chatId));
    chats.bar(chatId, change === 'removed');
    const user: User = { id: bot.id, is_bot: true, first_name: bot.first_name, username: bot.username };
    const inside: ChatMember = { status: 'member', user };
    const outside: ChatMember =
      chat.type === 'private' || change === 'removed'
        ? { status: 'kicked', user, until_date: 0 }
        : { status: 'left', user };
    const [was, is] = change === 'added' ? [outside, inside] : [inside, outside];
    const update = {
      chat,
      from: userOf(from),
      date: Math.floor(now() / 1000),
      old_chat_member: was,
      new_chat_member: is,
    };
    return this.#tell({ my_chat_member: update });
  }

  #post(chatId: number, message: Pick<NewMessage, 'content' | 'sent'>, options: SayOptions): Update {
    const { chats } = this.#state;
    chats.open(makeChat(chatId));
    const { threadId, isTopic = false, replyTo, messageId } = options;
    if (threadId !== undefined && isTopic) chats.openTopic(chatId, threadId);
    const stored = chats.add(chatId, {
      from: userOf(options.from ?? defaultPerson(chatId)),
      ...message,
      isTopic,
      forwardedFrom: options.forwardedFrom,
      threadId,
      replyTo,
      id: messageId,
    });
    return this.#tell({ message: withSender(chats.wire(stored), stored.from) });
  }

  /** Changes what a person said, or the caption of what a person sent. */
  edit(chatId: number, messageId: number, text: string): Update {
    const { chats } = this.#state;
    const edited = chats.edit(this.#message(chatId, messageId), { text, entities: findEntities(text) }, undefined);
    const editDate = Math.floor((edited.editedAt ?? 0) / 1000);
    return this.#tell({ edited_message: { ...withSender(chats.wire(edited), edited.from), edit_date: editDate } });
  }

  /** Presses a button by what stands on it or by its data. Gives the query's id and its update. */
  press(chatId: number, messageId: number, button: string, options: PressOptions = {}): { id: string; update: Update } {
    const { chats, pressedAt, now } = this.#state;
    const message = this.#message(chatId, messageId);
    const data = options.forged === true ? button : findButton(message, button);
    this.#presses += 1;
    // Ids are long numbers and mean nothing.
    const id = `43000000${String(this.#presses).padStart(10, '0')}`;
    pressedAt.set(id, now());
    const from = userOf(options.from ?? defaultPerson(chatId));
    const query = { id, from, chat_instance: `instance-${chatId}`, data, message: chats.wire(message) };
    return { id, update: this.#tell({ callback_query: query }) };
  }

  #tell(content: Omit<Update, 'update_id'>): Update {
    const update = this.#state.updates.add(content);
    this.#changes.notify();
    return update;
  }

  #message(chatId: number, messageId: number): StoredMessage {
    const message = this.#state.chats.message(chatId, messageId);
    if (message === undefined) throw new Error(`There is no message ${messageId} in the chat ${chatId}.`);
    return message;
  }
}

/** The chat that such an id belongs to on Telegram. */
export function makeChat(id: number, title = `Group ${id}`): Chat {
  if (id > 0) return { id, type: 'private', first_name: `Person ${id}` };
  return { id, type: id <= -1_000_000_000_000 ? 'supergroup' : 'group', title };
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

/** Puts the file where the bot can fetch it, and tells of it as Telegram does. */
function tellOfFile(files: Files, { type, bytes, name, mediaType }: PersonFile): Partial<Message> {
  if (type === 'photo') return { photo: photoSizes(files, bytes) };
  const told = {
    ...fileOf(files, bytes, name),
    ...(name !== undefined && { file_name: name }),
    ...(mediaType !== undefined && { mime_type: mediaType }),
  };
  const picture = { ...told, width: 640, height: 480, duration: 3 };
  switch (type) {
    case 'document':
      return { document: told };
    case 'voice':
      return { voice: { ...told, duration: 3 } };
    case 'audio':
      return { audio: { ...told, duration: 3 } };
    case 'video':
      return { video: picture };
    case 'video_note':
      return { video_note: { ...told, length: 240, duration: 3 } };
    case 'animation':
      // For those who don't know of animations.
      return { animation: picture, document: told };
  }
}

/** Telegram makes smaller ones of a photo; in what order it tells of them is not promised. */
function photoSizes(files: Files, bytes: Buffer): PhotoSize[] {
  const thumbnail = fileOf(files, Buffer.from('a thumbnail'));
  return [
    { ...thumbnail, width: 90, height: 67 },
    { ...fileOf(files, bytes), width: 1280, height: 960 },
    { ...fileOf(files, Buffer.from('a smaller one')), width: 320, height: 240 },
  ];
}

function fileOf(files: Files, bytes: Buffer, name = '') {
  const id = files.add({ name, bytes });
  return { file_id: id, file_unique_id: `unique-${id}`, file_size: bytes.length };
}
