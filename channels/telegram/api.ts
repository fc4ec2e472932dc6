import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Api, GrammyError, InputFile, type RawApi, type Transformer } from 'grammy';
import type { LanguageCode } from 'grammy/types';
import { z } from 'zod';
import {
  ChannelError,
  type Conversation,
  directNetwork,
  type MessageMark,
  type MessageRef,
  type Network,
  type OfferedCommand,
  type OutboundFile,
  type OutboundMessage,
} from '../../src/contract.ts';
import type { Parse } from '../../src/lib/markdown-parser.ts';
import { shortened } from '../../src/lib/plain-text.ts';
import { type DownloadLimits, download, fetchPlainly, openFile, refusing, uploadTime } from '../kit/file-transfer.ts';
import { FailedRequest, lost, onRefusal } from '../kit/request-failure.ts';
import { readFailure, toChannelError } from './failure.ts';
import { type Entity, type Rich, renderMarkdown } from './markdown.ts';
import type { TelegramSettings } from './settings.ts';

/** Other kinds of updates are not delivered. */
const allowedUpdates = ['message', 'edited_message', 'callback_query', 'stopped_message_generation'] as const;
/** The client's timeout is a fallback: ours follows the injected clock. */
const clientGraceSecs = 60;
const updatesAtOnce = 100;

const sentShape = z.object({ message_id: z.number() });

/** What we read of the answers. */
const answerShapes: Readonly<Record<string, z.ZodType>> = {
  getMe: z.object({ id: z.number(), username: z.string() }),
  getUpdates: z.array(z.unknown()),
  getWebhookInfo: z.object({ pending_update_count: z.number() }),
  getFile: z.object({ file_path: z.string().optional(), file_size: z.number().optional() }),
  sendMessage: sentShape,
  sendPhoto: sentShape,
  sendDocument: sentShape,
  sendVoice: sentShape,
};

/** Throws if the answer has not the documented shape. */
const expectShape: Transformer = async (request, method, payload, signal) => {
  const answer = await request(method, payload, signal);
  if (answer.ok && answerShapes[method]?.safeParse(answer.result).success === false)
    throw new FailedRequest(lost(`${method} was answered with something that the Bot API does not say`));
  return answer;
};

/** Calls that read something. They never retry. All but `fetchFile` throw what `readFailure` reads. */
export function createReadingApi(settings: TelegramSettings, network: Network = directNetwork) {
  const { token, api_root: apiRoot, poll_timeout_secs: pollSecs, request_timeout_secs: requestSecs } = settings;
  let connection = connect();

  function connect() {
    const agent =
      network.agentFor(apiRoot) ?? new (apiRoot.startsWith('https:') ? HttpsAgent : HttpAgent)({ keepAlive: true });
    const client = (timeoutSeconds: number): RawApi => {
      const { config, raw } = new Api(token, { apiRoot, timeoutSeconds, baseFetchConfig: { agent } });
      config.use(expectShape);
      return raw;
    };
    return { agent, polling: client(pollSecs + clientGraceSecs), asking: client(requestSecs) };
  }

  return {
    /** Closes all connections and opens new ones. */
    renew(): void {
      connection.agent.destroy();
      connection = connect();
    },

    getMe: (signal: AbortSignal) => connection.asking.getMe(toClientSignal(signal)),

    /** Deletes a webhook, which would block polling. Keeps pending updates. */
    deleteWebhook: (signal: AbortSignal) =>
      connection.asking.deleteWebhook({ drop_pending_updates: false }, toClientSignal(signal)),

    /** Waits up to `timeout` seconds for updates, and confirms all below the offset. Does not check the updates. */
    getUpdates(offset: number | undefined, timeout: number, signal: AbortSignal): Promise<readonly unknown[]> {
      const request = { timeout, limit: updatesAtOnce, allowed_updates: allowedUpdates, offset };
      return connection.polling.getUpdates(request, toClientSignal(signal));
    },

    async countPending(signal: AbortSignal): Promise<number> {
      return (await connection.asking.getWebhookInfo(toClientSignal(signal))).pending_update_count;
    },

    /**
     * Downloads a file. Its URL contains the token and appears in no error. `too-large`: more than `maxBytes`, or more
     * than Telegram's 20 MiB. Throws `ChannelError`.
     */
    async fetchFile(fileId: string, { maxBytes, signal }: DownloadLimits): Promise<Uint8Array | 'too-large'> {
      const asking = connection.asking.getFile({ file_id: fileId }, toClientSignal(signal));
      const place = await asking.catch((error: unknown) => {
        if (/file is too big/i.test(readFailure(error).words)) return undefined;
        throw toChannelError('getFile', error, true);
      });
      if (place === undefined || (place.file_size ?? 0) > maxBytes) return 'too-large';
      const address = new URL(`${apiRoot}/file/bot${token}/${checkedPath(place.file_path)}`);
      return download(address, { platform, maxBytes, signal, get: fetchPlainly(network) });
    },
  };
}

const platform = 'Telegram';
const refused = refusing(platform);

/** A self-hosted Bot API server may return a local path, which cannot be downloaded. */
function checkedPath(path: string | undefined): string {
  if (path === undefined) throw refused('the server does not say where the file is');
  if (/^(?:[/\\]|[a-z]:)|(?:^|\/)\.\.?(?:\/|$)/i.test(path))
    throw refused(
      'the Bot API server runs with --local, and names a place on its own disk. Start it without --local to have files',
    );
  return path.split('/').map(encodeURIComponent).join('/');
}

export type ReadingApi = ReturnType<typeof createReadingApi>;
export type BotIdentity = Pick<Awaited<ReturnType<ReadingApi['getMe']>>, 'id' | 'username'>;

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

const sendingFile = 'sending a file';
/** Requests that would show something twice if they were repeated, and what each tries. */
const unrepeatable: Readonly<Record<string, string>> = {
  sendMessage: 'sendMessage',
  sendPhoto: sendingFile,
  sendDocument: sendingFile,
  sendVoice: sendingFile,
};

/** Throws `ChannelError`. */
const inWords: Transformer = async (request, method, payload, signal) => {
  try {
    const answer = await request(method, payload, signal);
    if (answer.ok) return answer;
    throw new GrammyError(method, answer, method, payload);
  } catch (error) {
    throw toChannelError(unrepeatable[method] ?? method, error, unrepeatable[method] === undefined);
  }
};

/** Calls that send something. They throw `ChannelError`, and never retry. */
export function createSendingApi(
  { token, api_root: apiRoot, request_timeout_secs: secs }: TelegramSettings,
  parse: Parse,
  network: Network = directNetwork,
) {
  const agent = network.agentFor(apiRoot);
  const clientFor = (allowance: number): RawApi => {
    const { config, raw } = new Api(token, {
      ...{ apiRoot, timeoutSeconds: secs + allowance / 1000 },
      ...(agent && { baseFetchConfig: { agent } }),
    });
    config.use(expectShape, inWords);
    return raw;
  };
  const client = clientFor(0);
  /** Ids of messages whose text was already sent, ahead of their file. */
  const introduced = new Set<string>();

  function sendText(to: Conversation, payload: Payload): Promise<Sent> {
    const begin = { ...placeOf(to), ...payload.reply };
    return orPlain(payload, (entities) => client.sendMessage({ ...begin, ...textOf(payload, entities) }));
  }

  /** Sends a file, images as photos and spoken words as voice messages, with the payload as its caption: at most 1024 characters, or none. */
  async function sendFile(to: Conversation, sent: OutboundFile, payload: Payload): Promise<Sent> {
    const { name, mediaType, path } = sent;
    const file = await openFile(path).catch((error: unknown) => {
      throw toChannelError(sendingFile, error, false);
    });
    const patientClient = clientFor(uploadTime(file.size));
    const sendAs = (kind: 'photo' | 'voice' | 'document'): Promise<Sent> =>
      orPlain<Sent>(payload, (entities) => {
        const message = { ...placeOf(to), ...payload.reply, ...captionOf(payload, entities) };
        const content = new InputFile(() => file.stream(), headerName(name));
        switch (kind) {
          case 'photo':
            return patientClient.sendPhoto({ ...message, photo: content });
          case 'voice':
            return patientClient.sendVoice({ ...message, voice: content });
          case 'document':
            return patientClient.sendDocument({ ...message, document: content });
        }
      });
    // A person may take no voice messages.
    if (sent.isVoice === true && voiceTypes.has(mediaType))
      return sendAs('voice').catch(onRefusal(noVoice, () => sendAs('document')));
    const isPhoto = photoTypes.has(mediaType) && file.size <= largestPhoto;
    // Telegram may refuse its dimensions or its content as a photo.
    return isPhoto ? sendAs('photo').catch(onRefusal(noPhoto, () => sendAs('document'))) : sendAs('document');
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

  async function sendWithFile(to: Conversation, message: OutboundMessage, file: OutboundFile): Promise<Sent> {
    const caption = await captionFor(to, message);
    try {
      const sent = await sendFile(to, file, caption);
      introduced.delete(message.id);
      return sent;
    } catch (error) {
      if (error instanceof ChannelError && error.fault.type === 'permanent') introduced.delete(message.id);
      throw error;
    }
  }

  return {
    async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
      const { file } = message;
      const sent = file ? sendWithFile(to, message, file) : sendText(to, renderMessage(message, parse));
      return { id: String((await sent).message_id) };
    },

    /** Replaces text and buttons. */
    async edit(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void> {
      const place = messageAt(to, ref.id);
      const payload = renderMessage(message, parse);
      const edit = (entities: readonly Entity[]) => client.editMessageText({ ...place, ...textOf(payload, entities) });
      await orPlain(payload, edit).catch(onRefusal(unchanged, () => true));
    },

    async remove(to: Conversation, ref: MessageRef): Promise<void> {
      await client.deleteMessage(messageAt(to, ref.id)).catch(onRefusal(gone, () => true));
    },

    async mark(to: Conversation, messageId: string, mark: MessageMark): Promise<void> {
      const reaction = { type: 'emoji', emoji: markEmoji[mark] } as const;
      await client.setMessageReaction({ ...messageAt(to, messageId), reaction: [reaction] });
    },

    async showTyping(to: Conversation): Promise<void> {
      await client.sendChatAction({ ...placeOf(to), action: 'typing' });
    },

    /** Shows a draft in a direct chat, with a stop button. */
    async showDraft({ chatId }: Conversation, { id, text, entities }: Draft, signal: AbortSignal): Promise<void> {
      const draft = { chat_id: Number(chatId), draft_id: id, text, can_stop: true };
      await orPlain({ entities }, (shown) =>
        client.sendMessageDraft({ ...draft, entities: [...shown] }, toClientSignal(signal)),
      );
    },

    /** Ends the spinner on a button, and shows the notice to the person who pressed it. */
    async answerPress(pressId: string, notice: string | undefined): Promise<void> {
      const alert = notice && { text: shortened(notice, longestNotice), show_alert: true };
      await client.answerCallbackQuery({ callback_query_id: pressId, ...alert });
    },

    /** Sets the menu for one language, or the default menu. */
    async announceCommands({ language, commands }: CommandMenu): Promise<void> {
      await client.setMyCommands({ commands, language_code: language });
    },
  };
}

export type SendingApi = ReturnType<typeof createSendingApi>;
type Sent = z.output<typeof sentShape>;

function messageAt({ chatId }: Conversation, id: string): { readonly chat_id: string; readonly message_id: number } {
  const messageId = Number(id);
  if (Number.isSafeInteger(messageId)) return { chat_id: chatId, message_id: messageId };
  throw new ChannelError({ type: 'permanent' }, 'This is not a message of Telegram.');
}

/** Retries without formatting if Telegram refuses it. */
function orPlain<Result>(
  { entities }: Pick<Payload, 'entities'>,
  request: (entities: readonly Entity[]) => Promise<Result>,
): Promise<Result> {
  const sent = request(entities);
  return entities.length === 0 ? sent : sent.catch(onRefusal(badFormatting, () => request([])));
}

const badFormatting = /^400 .*entit/is;
const noPhoto = /^400 .*(?:photo|image|file)/is;
/** The requested state already holds. */
const unchanged = /^400 .*message is not modified/s;
const gone = /^400 .*(?:message to delete not found|MESSAGE_ID_INVALID)/s;

/** What Telegram shows as a voice message: Opus in Ogg, MP3 and M4A. */
const voiceTypes: ReadonlySet<string> = new Set(['audio/ogg', 'audio/mpeg', 'audio/mp4']);
const noVoice = /^400 .*(?:voice|file|audio)/is;

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

/** The menu for one language; without one, for all others. */
interface CommandMenu {
  readonly language: LanguageCode | undefined;
  readonly commands: readonly { readonly command: string; readonly description: string }[];
}

/** The default menu in English, one for each language that we have, and one for each that the config adds or changes. */
export function commandMenus(
  offered: readonly OfferedCommand[],
  descriptions: TelegramSettings['commands'],
): readonly CommandMenu[] {
  const translated = offered.flatMap(({ translations }) => Object.keys(translations));
  const languages = new Set([...translated, ...Object.keys(descriptions)].filter(isLanguage));
  return [undefined, ...languages].map((language) => ({
    language,
    commands: offered.map((command) => ({
      command: command.name,
      description: descriptions[language ?? '']?.[command.name] ?? menuText(command, language ?? ''),
    })),
  }));
}

/** The menu has no field for arguments, so the description shows them. */
function menuText({ name, translations, ...english }: OfferedCommand, language: string): string {
  const { description, words } = translations[language] ?? english;
  const colon = language === 'zh' ? '：' : ': ';
  return words === undefined ? description : `${description}${colon}/${name} ${words}`;
}

/** The settings accept any two letters; Telegram checks that they are a language. */
function isLanguage(code: string): code is LanguageCode {
  return /^[a-z]{2}$/.test(code);
}
