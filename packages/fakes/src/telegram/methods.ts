import type {
  BotCommand,
  Chat,
  InlineKeyboardMarkup,
  Message,
  MessageEntity,
  User,
  UserFromGetMe,
} from '@grammyjs/types';
import { z } from 'zod';
import type { Chats, NewMessage, StoredFile, StoredMessage } from './chats.ts';
import { type FormattedText, formatText } from './formatted-text.ts';
import {
  type ApiRequest,
  badRequest,
  entityList,
  flag,
  integer,
  place,
  Refusal,
  read,
  structure,
  target,
  type Upload,
} from './parameters.ts';
import { callbackRetention, type UpdateQueue } from './update-queue.ts';

/** What the bot answers to a press. */
export interface CallbackAnswer {
  readonly text: string;
  readonly showAlert: boolean;
}

/** What a person sees below the messages of a direct chat while the bot writes. */
export interface ShownDraft {
  readonly id: number;
  /** Empty where only that something is being written is shown. */
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  /** Whether the person has a button to stop it. */
  readonly canStop: boolean;
}

/** All that the methods read and change. */
export interface TelegramState {
  readonly bot: UserFromGetMe;
  readonly chats: Chats;
  readonly updates: UpdateQueue;
  readonly files: Files;
  /** Of the presses that may be answered. */
  readonly pressedAt: Map<string, number>;
  readonly answers: Map<string, CallbackAnswer>;
  /** One in each direct chat. */
  readonly drafts: Map<number, { readonly draft: ShownDraft; readonly until: number }>;
  /** The menus of commands, by scope and language. */
  readonly menus: Map<string, readonly BotCommand[]>;
  readonly now: () => number;
}

/** Everything that was uploaded, by file id. Ids are not given again. */
export class Files {
  readonly all = new Map<string, Upload>();
  #added = 0;

  add(upload: Upload): string {
    if (upload.bytes.length === 0) throw badRequest('file must be non-empty');
    this.#added += 1;
    const id = `file-${this.#added}`;
    this.all.set(id, upload);
    return id;
  }
}

/** Answers one request. The signal aborts when nobody waits for the answer any more. */
export type Method = (request: ApiRequest, closed: AbortSignal) => unknown;

const mostCaption = 1024;
const largestUpload = 50 * 2 ** 20;
const mostDownload = 20 * 2 ** 20;
/** A message that is older cannot be deleted for everyone. */
const deletableFor = 48 * 3_600_000;
const draftLifetime = 30_000;
const longestHold = 50;
const mostCommands = 100;
const mostAnswer = 200;
const notModified =
  'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message';
const tooOld = 'query is too old and response timeout expired or query ID is invalid';
/** All that bots may react with: core.telegram.org/bots/api#reactiontypeemoji */
const reactionEmoji: readonly string[] = `
  👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡
  🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈
  😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿
  🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡`
  .trim()
  .split(/\s+/);

const pollShape = z.object({
  offset: integer.default(0),
  limit: integer.default(100),
  timeout: integer.default(0),
  allowed_updates: structure(z.array(z.string())).optional(),
});
const answerShape = z.object({ callback_query_id: z.string(), text: z.string().default(''), show_alert: flag });
const menuShape = z.object({
  language_code: z.string().default(''),
  scope: structure(
    z.discriminatedUnion('type', [
      z.object({ type: z.enum(['default', 'all_private_chats', 'all_group_chats', 'all_chat_administrators']) }),
      z.object({ type: z.enum(['chat', 'chat_administrators']), chat_id: integer }),
      z.object({ type: z.literal('chat_member'), chat_id: integer, user_id: integer }),
    ]),
  ).default({ type: 'default' }),
});
const commandsShape = menuShape.extend({
  commands: structure(z.array(z.object({ command: z.string(), description: z.string() }))),
});
const fileShape = z.object({ file_id: z.string() });
const textShape = target.extend({ text: z.string().default(''), entities: entityList });
const editShape = textShape.extend({ message_id: integer });
const captionShape = target.extend({ caption: z.string().default(''), caption_entities: entityList });
const actionShape = target.extend({ action: z.literal('typing') });
const reactionShape = place.extend({
  reaction: structure(z.array(z.object({ type: z.literal('emoji'), emoji: z.string() }))).default([]),
});
const draftShape = textShape.extend({ draft_id: integer, can_stop: flag });

/** The methods there are, by their names in lower case: the server does not mind the case. */
export function methodTable(state: TelegramState): ReadonlyMap<string, Method> {
  const methods = { ...askingMethods(state), ...showingMethods(state) };
  return new Map(Object.entries(methods).map(([name, method]) => [name.toLowerCase(), method]));
}

/** Methods that show nothing in a chat. */
function askingMethods({
  bot,
  updates,
  files,
  pressedAt,
  answers,
  now,
  chats,
  menus,
}: TelegramState): Record<string, Method> {
  return {
    getMe: () => bot,

    getUpdates({ params }, closed) {
      const { offset, limit, timeout, allowed_updates: allowed } = read(pollShape, params);
      const holdMs = Math.max(0, Math.min(timeout, longestHold)) * 1000;
      return updates.poll({ offset, limit: Math.max(1, Math.min(limit, 100)), holdMs, allowed }, closed);
    },

    deleteWebhook() {
      updates.webhook.url = '';
      return true;
    },

    getWebhookInfo: () => ({
      url: updates.webhook.url,
      has_custom_certificate: false,
      pending_update_count: updates.pendingCount,
    }),

    /** A person sees the first answer; the button does not spin any more for a second. */
    answerCallbackQuery({ params }) {
      const { callback_query_id: id, text, show_alert: showAlert } = read(answerShape, params);
      if (text.length > mostAnswer) throw badRequest('MESSAGE_TOO_LONG');
      if (now() - (pressedAt.get(id) ?? 0) >= callbackRetention) throw badRequest(tooOld);
      if (!answers.has(id)) answers.set(id, { text, showAlert });
      return true;
    },

    setMyCommands({ params }) {
      const { commands, ...menu } = read(commandsShape, params);
      if (commands.length > mostCommands) throw badRequest('BOT_COMMANDS_TOO_MUCH');
      for (const { command, description } of commands) checkCommand({ command, description });
      menus.set(placeOf(menu, chats), commands);
      return true;
    },
    getMyCommands: ({ params }) => menus.get(placeOf(read(menuShape, params), chats)) ?? [],
    deleteMyCommands({ params }) {
      menus.delete(placeOf(read(menuShape, params), chats));
      return true;
    },

    getFile({ params }) {
      const { file_id } = read(fileShape, params);
      const file = files.all.get(file_id);
      if (file === undefined) throw badRequest('wrong file_id or the file is temporarily unavailable');
      if (file.bytes.length > mostDownload) throw badRequest('file is too big');
      const file_path = `documents/${file_id}`;
      return { file_id, file_unique_id: `unique-${file_id}`, file_size: file.bytes.length, file_path };
    },
  };
}

/** Methods that change what people see in a chat. */
function showingMethods(state: TelegramState): Record<string, Method> {
  const { bot, chats, drafts, now } = state;
  return {
    sendMessage({ params }) {
      const given = read(textShape, params);
      return post(given, { content: checkedText(given.text, given.entities) }, state);
    },

    editMessageText({ params }) {
      const given = read(editShape, params);
      const message = messageIn(given, 'edit', state);
      if (message.from.id !== bot.id) throw badRequest("message can't be edited");
      if (message.file !== undefined) throw badRequest('there is no text in the message to edit');
      const content = checkedText(given.text, given.entities);
      const keyboard = readKeyboard(given.reply_markup);
      const before = JSON.stringify([message.content, message.keyboard]);
      if (before === JSON.stringify([content, keyboard])) throw badRequest(notModified);
      return chats.wire(chats.edit(message, content, keyboard));
    },

    deleteMessage({ params }) {
      const given = read(place, params);
      const message = messageIn(given, 'delete', state);
      // The bot is no administrator anywhere.
      if (message.from.id !== bot.id && message.chat.type !== 'private') throw badRequest("message can't be deleted");
      if (now() - message.sentAt > deletableFor) throw badRequest("message can't be deleted for everyone");
      return chats.delete(given.chat_id, given.message_id);
    },

    sendChatAction({ params }) {
      const { chat_id, message_thread_id } = read(actionShape, params);
      chatOf(chat_id, message_thread_id, state);
      return true;
    },

    setMessageReaction({ params }) {
      const { chat_id, message_id, reaction } = read(reactionShape, params);
      const message = messageIn({ chat_id, message_id }, 'react', state);
      const emojis = reaction.map(({ emoji }) => emoji);
      if (emojis.length > 1) throw badRequest('REACTIONS_TOO_MANY');
      if (!emojis.every((emoji) => reactionEmoji.includes(emoji))) throw badRequest('REACTION_INVALID');
      chats.react(message, emojis);
      return true;
    },

    sendDocument: (request) => sendFile(request, 'document', state),
    sendPhoto: (request) => sendFile(request, 'photo', state),
    sendVoice: (request) => sendFile(request, 'voice', state),

    leaveChat({ params }) {
      const { chat_id: chatId } = read(z.object({ chat_id: integer }), params);
      if (chatOf(chatId, undefined, state).type === 'private') throw badRequest("chat can't be left");
      chats.bar(chatId, true);
      return true;
    },

    /** Shown for 30 s or until a message of the bot comes. */
    sendMessageDraft({ params }) {
      const { chat_id, message_thread_id, draft_id: id, text, entities, can_stop: canStop } = read(draftShape, params);
      if (chatOf(chat_id, message_thread_id, state).type !== 'private')
        throw badRequest('drafts can be sent to private chats only');
      if (id === 0) throw badRequest('draft_id must be non-zero');
      drafts.set(chat_id, { draft: { id, ...formatText(text, entities), canStop }, until: now() + draftLifetime });
      return true;
    },
  };
}

function chatOf(chatId: number, threadId: number | undefined, { chats }: TelegramState): Chat {
  const chat = chats.find(chatId);
  if (chat === undefined) throw badRequest('chat not found');
  if (threadId !== undefined && !chats.hasTopic(chatId, threadId)) throw badRequest('message thread not found');
  return chat;
}

function post(
  given: z.output<typeof target>,
  message: Pick<NewMessage, 'content' | 'file'>,
  state: TelegramState,
): Message {
  const { bot, chats, drafts } = state;
  const self: User = { id: bot.id, is_bot: true, first_name: bot.first_name, username: bot.username };
  const {
    chat_id: chatId,
    message_thread_id: threadId,
    reply_parameters: reply,
    disable_notification: isSilent,
  } = given;
  chatOf(chatId, threadId, state);
  const forcesReply = forces.safeParse(given.reply_markup).success && read(forceShape, given.reply_markup).force_reply;
  const keyboard = forcesReply ? undefined : readKeyboard(given.reply_markup);
  const replyTo = reply && chats.message(chatId, reply.message_id)?.id;
  if (reply?.allow_sending_without_reply === false && replyTo === undefined)
    throw badRequest('message to be replied not found');
  const isTopic = threadId !== undefined;
  const stored = chats.add(chatId, {
    from: self,
    ...message,
    keyboard,
    threadId,
    isTopic,
    replyTo,
    isSilent,
    forcesReply,
  });
  drafts.delete(chatId);
  return chats.wire(stored);
}

function messageIn(
  { chat_id: chatId, message_id: messageId }: { readonly chat_id: number; readonly message_id: number },
  what: string,
  state: TelegramState,
): StoredMessage {
  chatOf(chatId, undefined, state);
  const message = state.chats.message(chatId, messageId);
  if (message === undefined) throw badRequest(`message to ${what} not found`);
  return message;
}

function sendFile({ params, uploads }: ApiRequest, type: StoredFile['type'], state: TelegramState): Message {
  const given = read(captionShape, params);
  chatOf(given.chat_id, undefined, state);
  const content = formatText(given.caption, given.caption_entities);
  if (content.text.length > mostCaption) throw badRequest('message caption is too long');
  // A file is a part of the form of the same name, or one that the parameter points to.
  const pointer = params[type];
  const upload = uploads.get(typeof pointer === 'string' ? pointer.replace(/^attach:\/\//, '') : type);
  if (upload === undefined) throw badRequest(`there is no ${type} in the request`);
  if (upload.bytes.length > largestUpload) throw new Refusal(413, 'Request Entity Too Large');
  if (type === 'photo') checkPhoto(upload.bytes);
  return post(given, { content, file: { ...upload, id: state.files.add(upload), type } }, state);
}

/** One menu for each scope and language. */
function placeOf({ scope, language_code: code }: z.output<typeof menuShape>, chats: Chats): string {
  if (!/^(?:[a-z]{2})?$/.test(code)) throw badRequest('LANG_CODE_INVALID');
  if ('chat_id' in scope && chats.find(scope.chat_id) === undefined) throw badRequest('chat not found');
  return JSON.stringify([scope, code]);
}

function checkCommand({ command, description }: BotCommand): void {
  if (!/^[a-z0-9_]{1,32}$/.test(command)) throw badRequest('BOT_COMMAND_INVALID');
  if (description.length < 1 || description.length > 256) throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID');
}

function checkedText(text: string, entities: readonly MessageEntity[]): FormattedText {
  const content = formatText(text, entities);
  if (content.text === '') throw badRequest('message text is empty');
  return content;
}

const mostDataBytes = 64;
const buttonShape = z.object({
  text: z.string().trim().min(1),
  callback_data: z
    .string()
    .refine((data) => data !== '' && Buffer.byteLength(data) <= mostDataBytes, 'BUTTON_DATA_INVALID'),
  style: z.enum(['danger', 'success', 'primary']).optional(),
});
const markupShape = z.object({ inline_keyboard: z.array(z.array(buttonShape)) });
const forceShape = z.object({
  force_reply: z.literal(true),
  selective: z.boolean().default(false),
  input_field_placeholder: z.string().min(1).max(64).optional(),
});
const forces = z.looseObject({ force_reply: z.unknown() });

/** The keyboard below a message, if there is one. Throws refusals. */
export function readKeyboard(markup: unknown): InlineKeyboardMarkup | undefined {
  return markup === undefined ? undefined : read(markupShape, markup);
}

const largestPhoto = 10 * 2 ** 20;
const mostEdges = 10_000;
const mostRatio = 20;
const pngHead = Buffer.from('89504e470d0a1a0a', 'hex');

/** What the server takes for a photo: of all pictures, a PNG here. It reads what its measures are, not whether the rest is right. */
function checkPhoto(bytes: Buffer): void {
  if (bytes.length > largestPhoto) throw badRequest(`file of size ${bytes.length} bytes is too big for a photo`);
  if (bytes.length < 24 || !bytes.subarray(0, 8).equals(pngHead)) throw badRequest('IMAGE_PROCESS_FAILED');
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const ratio = Math.max(width, height) / Math.min(width, height);
  if (width + height > mostEdges || !(ratio <= mostRatio)) throw badRequest('PHOTO_INVALID_DIMENSIONS');
}

/** The beginning of a PNG picture with these measures: as much as the server looks at. */
export function pngOf(width: number, height: number): Buffer {
  const measures = Buffer.alloc(8);
  measures.writeUInt32BE(width, 0);
  measures.writeUInt32BE(height, 4);
  return Buffer.concat([pngHead, Buffer.from('0000000d49484452', 'hex'), measures, Buffer.from('0806000000', 'hex')]);
}
