import { Api, type RawApi } from 'grammy';
import { z } from 'zod';
import type { OutboundFile } from '../../src/contract.ts';
import { expectShape, toClientSignal } from './client.ts';
import type { CommandMenu } from './commands.ts';
import { readFailure, toChannelError } from './failure.ts';
import type { ReactionEmoji } from './marks.ts';
import { type Address, captionOf, type Payload, placeOf, replyOf, textOf } from './payload.ts';
import { acceptGone, acceptUnchanged, orDocument, orPlain } from './refusals.ts';
import type { Entity } from './rich.ts';
import { openUpload, type Upload } from './upload.ts';

/** What a direct chat shows for half a minute, or until a message comes. */
export interface Draft {
  /** Not 0. What has the same number takes the place of what was shown before. */
  readonly id: number;
  readonly text: string;
  readonly entities: readonly Entity[];
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

  /** That it is gone already is no error. */
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
