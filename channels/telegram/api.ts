import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Api, GrammyError, InputFile, type RawApi } from 'grammy';
import type { LanguageCode } from 'grammy/types';
import { z } from 'zod';
import {
  ChannelError,
  type Conversation,
  commandMenu,
  type MessageMark,
  type MessageRef,
  type OfferedCommand,
  type OutboundFile,
  type OutboundMessage,
} from '../../src/contract.ts';
import type { Parse } from '../../src/lib/markdown-parser.ts';
import { shortened } from '../../src/lib/plain-text.ts';
import { openFile, uploadTime } from '../kit/file-transfer.ts';
import { FailedRequest, lost } from '../kit/request-failure.ts';
import { toChannelError } from './failure.ts';
import { type Entity, type Rich, renderMarkdown } from './markdown.ts';
import type { TelegramSettings } from './settings.ts';

export interface BotIdentity {
  readonly id: number;
  readonly username: string;
}

/** Other kinds of updates are not delivered. */
const allowedUpdates = ['message', 'edited_message', 'callback_query', 'stopped_message_generation'] as const;
/** The client's timeout is a fallback: ours follows the injected clock. */
const clientGraceSecs = 60;
const updatesAtOnce = 100;

const identityShape = z.object({ id: z.number(), username: z.string() });
const updatesShape = z.array(z.unknown());
const webhookShape = z.object({ pending_update_count: z.number() });
const fileShape = z.object({ file_path: z.string().optional(), file_size: z.number().optional() });
const sentShape = z.object({ message_id: z.number() });

/** Calls that read something. They never retry, and throw what `readFailure` reads. */
export function createReadingApi(settings: TelegramSettings) {
  const { token, api_root: apiRoot, poll_timeout_secs: pollSecs, request_timeout_secs: requestSecs } = settings;
  let connection = connect();

  function connect() {
    const agent = new (apiRoot.startsWith('https:') ? HttpsAgent : HttpAgent)({ keepAlive: true });
    const client = (timeoutSeconds: number): RawApi =>
      new Api(token, { apiRoot, timeoutSeconds, baseFetchConfig: { agent } }).raw;
    return { agent, polling: client(pollSecs + clientGraceSecs), asking: client(requestSecs) };
  }

  return {
    /** Closes all connections and opens new ones. */
    renew(): void {
      connection.agent.destroy();
      connection = connect();
    },

    async getMe(signal: AbortSignal): Promise<BotIdentity> {
      return expectShape(identityShape, await connection.asking.getMe(toClientSignal(signal)), 'getMe');
    },

    /** Deletes a webhook, which would block polling. Keeps pending updates. */
    async deleteWebhook(signal: AbortSignal): Promise<void> {
      await connection.asking.deleteWebhook({ drop_pending_updates: false }, toClientSignal(signal));
    },

    /** Waits up to `timeout` seconds for updates, and confirms all below the offset. Does not check the updates. */
    async getUpdates(offset: number | undefined, timeout: number, signal: AbortSignal): Promise<readonly unknown[]> {
      const request = { timeout, limit: updatesAtOnce, allowed_updates: allowedUpdates, offset };
      const updates = await connection.polling.getUpdates(request, toClientSignal(signal));
      return expectShape(updatesShape, updates, 'getUpdates');
    },

    async countPending(signal: AbortSignal): Promise<number> {
      const info = await connection.asking.getWebhookInfo(toClientSignal(signal));
      return expectShape(webhookShape, info, 'getWebhookInfo').pending_update_count;
    },

    /** The file's path on the server, if it can provide the file. */
    async getFile(fileId: string, signal: AbortSignal): Promise<z.output<typeof fileShape>> {
      const file = await connection.asking.getFile({ file_id: fileId }, toClientSignal(signal));
      return expectShape(fileShape, file, 'getFile');
    },
  };
}

export type ReadingApi = ReturnType<typeof createReadingApi>;

/** The answer, if it has the documented shape. */
function expectShape<Shape extends z.ZodType>(shape: Shape, answer: unknown, method: string): z.output<Shape> {
  const { success, data } = shape.safeParse(answer);
  if (success) return data;
  throw new FailedRequest(lost(`${method} was answered with something that the Bot API does not say`));
}

type ClientSignal = NonNullable<Parameters<RawApi['getMe']>[0]>;

/** grammY's types name a polyfill's signal, but it works with Node's. */
function toClientSignal(signal: AbortSignal): ClientSignal {
  return signal as unknown as ClientSignal;
}

/** A message draft. A direct chat shows it for half a minute, or until a message comes. */
export interface Draft extends Rich {
  /** Not 0. A draft with the same id replaces the previous one. */
  readonly id: number;
}

const longestCaption = 1024;
/** Telegram's limit for the answer to a press. */
const longestNotice = 200;

/** Calls that send something. They throw `ChannelError`, and never retry. */
export function createSendingApi(
  { token, api_root: apiRoot, request_timeout_secs: secs }: TelegramSettings,
  parse: Parse,
) {
  const clientFor = (allowance: number): RawApi =>
    new Api(token, { apiRoot, timeoutSeconds: secs + allowance / 1000 }).raw;
  const client = clientFor(0);
  /** Ids of messages whose text was already sent, ahead of their file. */
  const introduced = new Set<string>();

  function sendText(to: Conversation, payload: Payload): Promise<number> {
    const begin = { ...placeOf(to), ...payload.reply };
    const send: Send = (entities) => client.sendMessage({ ...begin, ...textOf(payload, entities) });
    return sentWith('sendMessage', () => orPlain(send, payload.entities));
  }

  /** Sends a file, images as photos, with the payload as its caption: at most 1024 characters, or none. */
  async function sendFile(
    to: Conversation,
    { name, mediaType, path }: OutboundFile,
    payload: Payload,
  ): Promise<number> {
    return sentWith('sending a file', async () => {
      const file = await openFile(path);
      const patientClient = clientFor(uploadTime(file.size));
      const sendAs = (kind: 'photo' | 'document') =>
        orPlain((entities) => {
          const message = { ...placeOf(to), ...payload.reply, ...captionOf(payload, entities) };
          const content = new InputFile(() => file.stream(), headerName(name));
          return kind === 'photo'
            ? patientClient.sendPhoto({ ...message, photo: content })
            : patientClient.sendDocument({ ...message, document: content });
        }, payload.entities);
      return photoTypes.has(mediaType) && file.size <= largestPhoto ? orDocument(sendAs) : sendAs('document');
    });
  }

  /** The caption of a file. A text that is too long for one is sent first, as its own message, and only once. */
  async function captionFor(to: Conversation, message: OutboundMessage): Promise<Payload> {
    const payload = renderMessage(message, parse);
    if (message.markdown.trim() === '') return { ...payload, text: '', entities: [] };
    if (payload.text.length <= longestCaption) return payload;
    if (!introduced.has(message.id)) {
      await sendText(to, { ...payload, keyboard: false });
      introduced.add(message.id);
    }
    return { ...payload, text: '', entities: [], reply: false };
  }

  async function sendWithFile(to: Conversation, message: OutboundMessage, file: OutboundFile): Promise<number> {
    const caption = await captionFor(to, message);
    try {
      const messageId = await sendFile(to, file, caption);
      introduced.delete(message.id);
      return messageId;
    } catch (error) {
      if (error instanceof ChannelError && error.fault.type === 'permanent') introduced.delete(message.id);
      throw error;
    }
  }

  return {
    async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
      const { file } = message;
      const sent = file ? sendWithFile(to, message, file) : sendText(to, renderMessage(message, parse));
      return { id: String(await sent) };
    },

    /** Replaces text and buttons. */
    async edit(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void> {
      const place = messageAt(to, ref.id);
      const payload = renderMessage(message, parse);
      const edit: Send = (entities) => client.editMessageText({ ...place, ...textOf(payload, entities) });
      const unchanged = accept(/message is not modified/);
      await repeatable('editMessageText', () => orPlain(edit, payload.entities).catch(unchanged));
    },

    async remove(to: Conversation, ref: MessageRef): Promise<void> {
      const place = messageAt(to, ref.id);
      const gone = accept(/message to delete not found|MESSAGE_ID_INVALID/);
      await repeatable('deleteMessage', () => client.deleteMessage(place).catch(gone));
    },

    async mark(to: Conversation, messageId: string, mark: MessageMark): Promise<void> {
      const reaction = { type: 'emoji', emoji: markEmoji[mark] } as const;
      const place = messageAt(to, messageId);
      await repeatable('setMessageReaction', () => client.setMessageReaction({ ...place, reaction: [reaction] }));
    },

    async showTyping(to: Conversation): Promise<void> {
      await repeatable('sendChatAction', () => client.sendChatAction({ ...placeOf(to), action: 'typing' }));
    },

    /** Shows a draft in a direct chat, with a stop button. */
    async showDraft({ chatId }: Conversation, { id, text, entities }: Draft, signal: AbortSignal): Promise<void> {
      const draft = { chat_id: Number(chatId), draft_id: id, text, can_stop: true };
      const show: Send = (shown) => client.sendMessageDraft({ ...draft, entities: [...shown] }, toClientSignal(signal));
      await repeatable('sendMessageDraft', () => orPlain(show, entities));
    },

    /** Ends the spinner on a button, and shows the notice to the person who pressed it. */
    async answerPress(pressId: string, notice: string | undefined): Promise<void> {
      const alert = notice && { text: shortened(notice, longestNotice), show_alert: true };
      const answer = { callback_query_id: pressId, ...alert };
      await repeatable('answerCallbackQuery', () => client.answerCallbackQuery(answer));
    },

    /** Sets the menu for one language, or the default menu. */
    async announceCommands({ language, commands }: CommandMenu): Promise<void> {
      await repeatable('setMyCommands', () => client.setMyCommands({ commands, language_code: language }));
    },
  };
}

type Send = (entities: readonly Entity[]) => Promise<unknown>;

async function attempt<Result>(method: string, isRepeatable: boolean, request: () => Promise<Result>): Promise<Result> {
  try {
    return await request();
  } catch (error) {
    throw toChannelError(method, error, isRepeatable);
  }
}

function repeatable(method: string, request: () => Promise<unknown>): Promise<unknown> {
  return attempt(method, true, request);
}

function sentWith(method: string, request: () => Promise<unknown>): Promise<number> {
  return attempt(method, false, async () => expectShape(sentShape, await request(), method).message_id);
}

function messageAt({ chatId }: Conversation, id: string): { readonly chat_id: string; readonly message_id: number } {
  const messageId = Number(id);
  if (Number.isSafeInteger(messageId)) return { chat_id: chatId, message_id: messageId };
  throw new ChannelError({ type: 'permanent' }, 'This is not a message of Telegram.');
}

/** Retries without formatting if Telegram refuses it. */
async function orPlain(request: Send, entities: readonly Entity[]): Promise<unknown> {
  try {
    return await request(entities);
  } catch (error) {
    if (entities.length > 0 && isRefusal(error, /entit/i)) return await request([]);
    throw error;
  }
}

/** Sends a photo. If Telegram refuses its dimensions or content, sends it as a document. */
async function orDocument(send: (kind: 'photo' | 'document') => Promise<unknown>): Promise<unknown> {
  try {
    return await send('photo');
  } catch (error) {
    if (isRefusal(error, /photo|image|file/i)) return await send('document');
    throw error;
  }
}

/** Ignores this refusal: the requested state already holds. */
function accept(description: RegExp): (error: unknown) => void {
  return (error) => {
    if (!isRefusal(error, description)) throw error;
  };
}

function isRefusal(error: unknown, description: RegExp): boolean {
  return error instanceof GrammyError && error.error_code === 400 && description.test(error.description);
}

const photoTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp']);
const largestPhoto = 10 * 2 ** 20;

/** The message as the Bot API takes it, without its chat. */
function renderMessage({ markdown, buttons = [], replyTo }: OutboundMessage, parse: Parse) {
  const rows = buttons.filter((row) => row.length > 0);
  const inline_keyboard = rows.map((row) =>
    row.map(({ label, actionId }) => ({ text: label, callback_data: actionId })),
  );
  const message_id = Number(replyTo);
  const isAnswer = Number.isSafeInteger(message_id) && message_id > 0;
  return {
    ...renderMarkdown(markdown, parse),
    keyboard: rows.length > 0 && { reply_markup: { inline_keyboard } },
    // If the message replied to is gone, send this one without the reference.
    reply: isAnswer && { reply_parameters: { message_id, allow_sending_without_reply: true } },
  };
}

type Payload = ReturnType<typeof renderMessage>;

function placeOf({ chatId, threadId }: Conversation): { chat_id: string; message_thread_id?: number } {
  return { chat_id: chatId, ...(threadId !== undefined && { message_thread_id: Number(threadId) }) };
}

/** An edit without buttons removes the old ones. */
function textOf({ text, keyboard }: Payload, entities: readonly Entity[]) {
  // Previews would make Telegram fetch the URL, which tells the linked site about the message.
  return { text, entities: [...entities], link_preview_options: { is_disabled: true }, ...keyboard };
}

function captionOf({ text, keyboard }: Payload, entities: readonly Entity[]) {
  return { ...(text !== '' && { caption: text, caption_entities: [...entities] }), ...keyboard };
}

/** The client writes the name unquoted into a form header, where line breaks and semicolons would end it. */
function headerName(name: string): string {
  return name.toWellFormed().replace(/[\r\n;]/g, '_');
}

const markEmoji = { seen: '👀', working: '✍', done: '👌' } as const satisfies Record<MessageMark, string>;

/** The default menu in English, and one for each language of the config. Missing descriptions are English. */
export function commandMenus(descriptions: TelegramSettings['commands']) {
  return [undefined, ...Object.keys(descriptions).filter(isLanguage)].map((language) => ({
    language,
    commands: commandMenu.map(({ name, description, words }: OfferedCommand) => {
      // The menu has no field for arguments, so the English description shows them.
      const english = words === undefined ? description : `${description}: /${name} ${words}`;
      return { command: name, description: (language && descriptions[language]?.[name]) ?? english };
    }),
  }));
}

type CommandMenu = ReturnType<typeof commandMenus>[number];

/** The settings accept any two letters; Telegram checks that they are a language. */
function isLanguage(code: string): code is LanguageCode {
  return /^[a-z]{2}$/.test(code);
}
