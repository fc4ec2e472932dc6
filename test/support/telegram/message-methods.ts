import type { Chat, InlineKeyboardMarkup, Message, User } from 'grammy/types';
import { z } from 'zod';
import type { Chats, NewMessage, StoredFile, StoredMessage } from './chats.ts';
import type { Drafts } from './drafts.ts';
import type { Files } from './files.ts';
import { type FormattedText, formatText, limitedText } from './formatted-text.ts';
import { readKeyboard } from './keyboard.ts';
import { entityList, integer, place, read, structure, target } from './parameters.ts';
import { checkPhoto } from './picture.ts';
import { reactionEmoji } from './reaction-emoji.ts';
import { badRequest, Refusal } from './refusal.ts';
import type { ApiRequest } from './request-body.ts';

interface Dependencies {
  readonly bot: User;
  readonly chats: Chats;
  readonly files: Files;
  readonly drafts: Drafts;
  readonly now: () => number;
}

const mostCaption = 1024;
const largestUpload = 50 * 2 ** 20;
/** A message that is older cannot be deleted for everyone. */
const deletableFor = 48 * 3_600_000;
const notModified =
  'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message';
const chatActions =
  /^(typing|upload_photo|record_video|upload_video|record_voice|upload_voice|upload_document|choose_sticker|find_location|record_video_note|upload_video_note)$/;

const textParameters = target.extend({ text: z.string().default(''), entities: entityList });
const editParameters = textParameters.extend({ message_id: integer });
const markupParameters = place.extend({ reply_markup: structure(z.unknown()).optional() });
const captionParameters = target.extend({ caption: z.string().default(''), caption_entities: entityList });
const actionParameters = target.extend({ action: z.string().default('') });
const reactionParameters = place.extend({
  reaction: structure(z.array(z.object({ type: z.literal('emoji'), emoji: z.string() }))).default([]),
});

/** The methods that put something into a chat or change what stands there. */
export class MessageMethods {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  sendMessage({ params }: ApiRequest): Message {
    const given = read(textParameters, params);
    return this.#post(given, { content: checkedText(given.text, given.entities) });
  }

  editMessageText({ params }: ApiRequest): Message {
    const given = read(editParameters, params);
    const message = this.#ownMessage(given.chat_id, given.message_id);
    if (message.file !== undefined) throw badRequest('there is no text in the message to edit');
    const content = checkedText(given.text, given.entities);
    return this.#edit(message, content, readKeyboard(given.reply_markup));
  }

  editMessageReplyMarkup({ params }: ApiRequest): Message {
    const given = read(markupParameters, params);
    const message = this.#ownMessage(given.chat_id, given.message_id);
    return this.#edit(message, message.content, readKeyboard(given.reply_markup));
  }

  deleteMessage({ params }: ApiRequest): boolean {
    const { chat_id, message_id } = read(place, params);
    const { bot, chats, now } = this.#dependencies;
    const { type } = this.#chat(chat_id);
    const message = chats.message(chat_id, message_id);
    if (message === undefined) throw badRequest('message to delete not found');
    // The bot is no administrator anywhere.
    if (message.from.id !== bot.id && type !== 'private') throw badRequest("message can't be deleted");
    if (now() - message.sentAt > deletableFor) throw badRequest("message can't be deleted for everyone");
    return chats.delete(chat_id, message_id);
  }

  sendChatAction({ params }: ApiRequest): true {
    const { action, chat_id, message_thread_id } = read(actionParameters, params);
    this.#place(chat_id, message_thread_id);
    if (!chatActions.test(action)) throw badRequest('wrong parameter action in request');
    return true;
  }

  setMessageReaction({ params }: ApiRequest): true {
    const { chat_id, message_id, reaction } = read(reactionParameters, params);
    this.#chat(chat_id);
    const message = this.#dependencies.chats.message(chat_id, message_id);
    if (message === undefined) throw badRequest('message to react not found');
    if (reaction.length > 1) throw badRequest('REACTIONS_TOO_MANY');
    if (!reaction.every(({ emoji }) => reactionEmoji.includes(emoji))) throw badRequest('REACTION_INVALID');
    const emojis = reaction.map(({ emoji }) => emoji);
    this.#dependencies.chats.react(message, emojis);
    return true;
  }

  sendDocument(request: ApiRequest): Message {
    return this.#sendFile(request, 'document');
  }

  sendPhoto(request: ApiRequest): Message {
    return this.#sendFile(request, 'photo');
  }

  #sendFile({ params, uploads }: ApiRequest, type: StoredFile['type']): Message {
    const given = read(captionParameters, params);
    this.#chat(given.chat_id);
    const content = formatText(given.caption, given.caption_entities);
    if (content.text.length > mostCaption) throw badRequest('message caption is too long');
    // A file is a part of the form of the same name, or one that the parameter points to.
    const pointer = params[type];
    const upload = uploads.get(typeof pointer === 'string' ? pointer.replace(/^attach:\/\//, '') : type);
    if (upload === undefined) throw badRequest(`there is no ${type} in the request`);
    if (upload.bytes.length > largestUpload) throw new Refusal(413, 'Request Entity Too Large');
    if (type === 'photo') checkPhoto(upload.bytes);
    return this.#post(given, { content, file: { ...upload, id: this.#dependencies.files.add(upload), type } });
  }

  #post(given: z.output<typeof target>, message: Pick<NewMessage, 'content' | 'file'>): Message {
    const { bot, chats, drafts } = this.#dependencies;
    const { chat_id: chatId, message_thread_id: threadId } = given;
    this.#place(chatId, threadId);
    const keyboard = readKeyboard(given.reply_markup);
    const replyTo = this.#repliedMessage(given);
    const stored = chats.add(chatId, {
      from: bot,
      ...message,
      ...(keyboard !== undefined && { keyboard }),
      ...(threadId !== undefined && { threadId, isTopic: true }),
      ...(replyTo !== undefined && { replyTo }),
      ...(given.parse_mode !== undefined && { parseMode: given.parse_mode }),
    });
    drafts.clear(chatId);
    return chats.wire(stored);
  }

  #edit(message: StoredMessage, content: FormattedText, keyboard: InlineKeyboardMarkup | undefined): Message {
    const { chats } = this.#dependencies;
    const before = JSON.stringify([message.content, message.keyboard]);
    if (before === JSON.stringify([content, keyboard])) throw badRequest(notModified);
    return chats.wire(chats.edit(message, content, keyboard));
  }

  #ownMessage(chatId: number, messageId: number): StoredMessage {
    this.#chat(chatId);
    const message = this.#dependencies.chats.message(chatId, messageId);
    if (message === undefined) throw badRequest('message to edit not found');
    if (message.from.id !== this.#dependencies.bot.id) throw badRequest("message can't be edited");
    return message;
  }

  #repliedMessage({ chat_id, reply_parameters: reply }: z.output<typeof target>): number | undefined {
    if (reply === undefined) return undefined;
    if (this.#dependencies.chats.message(chat_id, reply.message_id) !== undefined) return reply.message_id;
    if (reply.allow_sending_without_reply) return undefined;
    throw badRequest('message to be replied not found');
  }

  #place(chatId: number, threadId: number | undefined): void {
    this.#chat(chatId);
    if (threadId === undefined || this.#dependencies.chats.hasTopic(chatId, threadId)) return;
    throw badRequest('message thread not found');
  }

  #chat(chatId: number): Chat {
    const chat = this.#dependencies.chats.find(chatId);
    if (chat === undefined) throw badRequest('chat not found');
    return chat;
  }
}

function checkedText(text: string, entities: z.output<typeof entityList>): FormattedText {
  const content = limitedText(text, entities);
  if (content.text === '') throw badRequest('message text is empty');
  return content;
}
