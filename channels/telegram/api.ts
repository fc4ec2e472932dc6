import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Api, GrammyError, InputFile, type RawApi } from 'grammy';
import type { LanguageCode } from 'grammy/types';
import { z } from 'zod';
import { commandMenu, type MessageMark, type OfferedCommand, type OutboundFile } from '../../src/contract.ts';
import { uploadTime } from '../kit/file-transfer.ts';
import { UnreadableFile } from '../kit/request-failure.ts';
import { readFailure, toChannelError } from './failure.ts';
import type { Entity, Rich } from './markdown.ts';
import { expectShape, toClientSignal } from './receiving.ts';
import { type Address, captionOf, type Payload, placeOf, replyOf, textOf } from './render.ts';

/** What a direct chat shows for half a minute, or until a message comes. */
export interface Draft extends Rich {
  /** Not 0. What has the same number takes the place of what was shown before. */
  readonly id: number;
}

const sentShape = z.object({ message_id: z.number() });

/** The calls with which we say something. Nothing is tried twice here. */
export class TelegramApi {
  readonly #sending: RawApi;
  /** A client for what may take so many seconds longer. */
  readonly #uploading: (allowanceSecs: number) => RawApi;

  constructor(options: { readonly token: string; readonly apiRoot: string; readonly requestTimeoutSecs: number }) {
    const { token, apiRoot, requestTimeoutSecs } = options;
    this.#uploading = (allowanceSecs) =>
      new Api(token, { apiRoot, timeoutSeconds: requestTimeoutSecs + allowanceSecs }).raw;
    this.#sending = this.#uploading(0);
  }

  /** Answers with the id of the message. Throws `ChannelError`, as do all calls here. */
  async sendMessage(to: Address, payload: Payload): Promise<number> {
    const send = (entities: readonly Entity[]) =>
      this.#sending.sendMessage({ ...placeOf(to), ...replyOf(payload), ...textOf(payload, entities) });
    const sent = await this.#call('sendMessage', false, async () =>
      expectShape(sentShape, await orPlain(send, payload.entities), 'sendMessage'),
    );
    return sent.message_id;
  }

  /** Shows the file, as a picture where it is one, with the payload as its caption: at most 1024 characters, or none. */
  async sendFile(to: Address, file: OutboundFile, payload: Payload): Promise<number> {
    const method = 'sending a file';
    const sent = await this.#call(method, false, async () => {
      const upload = await openUpload(file);
      const send = (as: 'photo' | 'document') => this.#upload(to, upload, payload, as);
      const message = await (upload.isPhoto ? orDocument(send) : send('document'));
      return expectShape(sentShape, message, method);
    });
    return sent.message_id;
  }

  /** Shows the payload in place of what the message showed; its buttons too. */
  async editMessage(to: Address, messageId: number, payload: Payload): Promise<void> {
    const edit = (entities: readonly Entity[]) =>
      this.#sending.editMessageText({ chat_id: to.chatId, message_id: messageId, ...textOf(payload, entities) });
    await this.#call('editMessageText', true, () => orPlain(edit, payload.entities).catch(acceptUnchanged));
  }

  /** A message that is gone already is no error. */
  async deleteMessage({ chatId }: Address, messageId: number): Promise<void> {
    await this.#call('deleteMessage', true, () =>
      this.#sending.deleteMessage({ chat_id: chatId, message_id: messageId }).catch(acceptGone),
    );
  }

  /** In place of the bot's reaction that stood there. */
  async react({ chatId }: Address, messageId: number, emoji: ReactionEmoji): Promise<void> {
    await this.#call('setMessageReaction', true, () =>
      this.#sending.setMessageReaction({
        chat_id: chatId,
        message_id: messageId,
        reaction: [{ type: 'emoji', emoji }],
      }),
    );
  }

  /** Shows a draft in a direct chat, with a button that stops what is being written. */
  async showDraft({ chatId }: Address, { id, text, entities }: Draft, signal: AbortSignal): Promise<void> {
    const show = (shown: readonly Entity[]) =>
      this.#sending.sendMessageDraft(
        { chat_id: Number(chatId), draft_id: id, text, entities: [...shown], can_stop: true },
        toClientSignal(signal),
      );
    await this.#call('sendMessageDraft', true, () => orPlain(show, entities));
  }

  async sendTyping(to: Address): Promise<void> {
    await this.#call('sendChatAction', true, () => this.#sending.sendChatAction({ ...placeOf(to), action: 'typing' }));
  }

  /** Ends the waiting sign on a button, and shows the notice to the person who pressed it. */
  async answerPress(pressId: string, notice: string | undefined): Promise<void> {
    await this.#call('answerCallbackQuery', true, () =>
      this.#sending.answerCallbackQuery({
        callback_query_id: pressId,
        ...(notice && { text: notice, show_alert: true }),
      }),
    );
  }

  /** Shows the menu to people with its language, or to all that have no menu in theirs. */
  async announceCommands({ language, commands }: CommandMenu): Promise<void> {
    await this.#call('setMyCommands', true, () =>
      this.#sending.setMyCommands({
        commands: [...commands],
        ...(language !== undefined && { language_code: language }),
      }),
    );
  }

  #upload(to: Address, upload: Upload, payload: Payload, as: 'photo' | 'document') {
    const api = this.#uploading(upload.allowanceSecs);
    const send = (entities: readonly Entity[]): Promise<unknown> => {
      const message = { ...placeOf(to), ...replyOf(payload), ...captionOf(payload, entities) };
      const content = upload.content();
      return as === 'photo'
        ? api.sendPhoto({ ...message, photo: content })
        : api.sendDocument({ ...message, document: content });
    };
    return orPlain(send, payload.entities);
  }

  async #call<Result>(method: string, repeatable: boolean, request: () => Promise<Result>): Promise<Result> {
    try {
      return await request();
    } catch (error) {
      throw toChannelError(method, readFailure(error), repeatable);
    }
  }
}

/** Formatting that Telegram refuses must not cost the message: it goes without. */
async function orPlain<Result>(
  request: (entities: readonly Entity[]) => Promise<Result>,
  entities: readonly Entity[],
): Promise<Result> {
  try {
    return await request(entities);
  } catch (error) {
    if (entities.length > 0 && isRefusal(error, /entit/i)) return await request([]);
    throw error;
  }
}

/** Sends a picture. What Telegram does not take for one, because of its measures or its content, goes as a plain file. */
async function orDocument<Result>(send: (as: 'photo' | 'document') => Promise<Result>): Promise<Result> {
  try {
    return await send('photo');
  } catch (error) {
    if (isRefusal(error, /photo|image|file/i)) return await send('document');
    throw error;
  }
}

/** An edit that changes nothing has succeeded. */
function acceptUnchanged(error: unknown): void {
  if (!isRefusal(error, /message is not modified/)) throw error;
}

/** What is gone already need not be taken away. */
function acceptGone(error: unknown): void {
  if (!isRefusal(error, /message to delete not found|MESSAGE_ID_INVALID/)) throw error;
}

function isRefusal(error: unknown, description: RegExp): boolean {
  return error instanceof GrammyError && error.error_code === 400 && description.test(error.description);
}

/** A file on its way to Telegram. */
interface Upload {
  readonly isPhoto: boolean;
  /** How much longer than another request this one may take, in seconds. */
  readonly allowanceSecs: number;
  /** The file as grammY takes it, once for each request. It is read while it is sent. */
  content(): InputFile;
}

const photoTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp']);
const largestPhoto = 10 * 2 ** 20;

/** Looks at a file that is to be sent. Throws `UnreadableFile` if it is not there. */
async function openUpload({ name, mediaType, path }: OutboundFile): Promise<Upload> {
  const { size } = await stat(path).catch(fail);
  return {
    isPhoto: photoTypes.has(mediaType) && size <= largestPhoto,
    allowanceSecs: uploadTime(size) / 1000,
    content: () => new InputFile(() => chunksOf(path), headerName(name)),
  };
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): never {
  throw UnreadableFile.from(error);
}

/** The name stands unquoted in a header of the form: a line break would end the header, a semicolon the name. */
function headerName(name: string): string {
  return name.toWellFormed().replace(/[\r\n;]/g, '_');
}

/** What Telegram offers a person who types "/", in one language. */
export interface CommandMenu {
  /** Two letters of ISO 639-1. Left out: for everyone whose language has no menu of its own. */
  readonly language?: LanguageCode;
  readonly commands: readonly { readonly command: string; readonly description: string }[];
}

/** The descriptions of the config: language → command → description. */
type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The menu for everyone, in English, and one for each language. What has no description there has the English one. */
export function commandMenus(descriptions: Descriptions): readonly CommandMenu[] {
  const languages = Object.entries(descriptions).flatMap(([language, own]) =>
    isLanguage(language) ? [{ language, commands: menuWith(own) }] : [],
  );
  return [{ commands: menuWith({}) }, ...languages];
}

/** The settings take any two letters; which of them are a language Telegram knows better. */
function isLanguage(code: string): code is LanguageCode {
  return /^[a-z]{2}$/.test(code);
}

function menuWith(own: Readonly<Record<string, string>>): CommandMenu['commands'] {
  return commandMenu.map((offered) => ({
    command: offered.name,
    description: own[offered.name] ?? englishDescription(offered),
  }));
}

/** Telegram has no place for what is written after a command but its description. */
function englishDescription({ name, description, words }: OfferedCommand): string {
  return words === undefined ? description : `${description}: /${name} ${words}`;
}

type Reaction = NonNullable<Parameters<RawApi['setMessageReaction']>[0]['reaction']>[number];

/** One of those that bots may react with. */
export type ReactionEmoji = Extract<Reaction, { readonly type: 'emoji' }>['emoji'];

/** How each mark is shown below a message. */
export const markEmoji = { seen: '👀', working: '✍', done: '👌' } as const satisfies Record<MessageMark, ReactionEmoji>;
