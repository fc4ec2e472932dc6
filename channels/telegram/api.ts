import type { InlineKeyboardMarkup, ReplyParameters } from 'grammy/types';
import { GrammyError, InputFile, type RawApi, type Transformer } from 'grammy/web';
import {
  type Button,
  ChannelError,
  type Conversation,
  directNetwork,
  type MessageRef,
  type Network,
  type OutboundFile,
  type OutboundMessage,
} from '../../src/contract.ts';
import type { Parse } from '../../src/lib/markdown-parser.ts';
import { createKeptRequests } from '../../src/lib/network/kept-requests.ts';
import { shortened } from '../../src/lib/plain-text.ts';
import type { InLanguage, Words } from '../../src/lib/words.ts';
import { openFile, uploadTime } from '../kit/file-transfer.ts';
import type { ShownMark } from '../kit/marks.ts';
import { isOwnWords } from '../kit/own-words.ts';
import { isRefused, onRefusal } from '../kit/request-failure.ts';
import { kitWords } from '../kit/words.ts';
import { askingFor, type Question } from './asking.ts';
import { botApiClient, type Sent, toClientSignal } from './bot-api-client.ts';
import { toChannelError } from './failure.ts';
import { createFormatting, type Formatting } from './formatting.ts';
import { type Rich, renderMarkdown } from './markdown.ts';
import type { CommandMenu } from './menus.ts';
import { nearestReaction, type Reaction } from './reactions.ts';
import type { TelegramSettings } from './settings.ts';

/** A message draft. A direct chat shows it for half a minute, or until a message comes. */
export interface Draft extends Rich {
  /** Not 0. A draft with the same id replaces the previous one. */
  readonly id: number;
}

const longestCaption = 1024;
/** Telegram's limit for the answer to a press. */
const longestNotice = 200;

const sendingFile: InLanguage = (language) => kitWords[language].sendingFile;
/** Requests that would show something twice if they were repeated, and what each tries. */
const unrepeatable: Readonly<Record<string, Words>> = {
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
export interface SendingApi {
  send(to: Conversation, message: OutboundMessage): Promise<MessageRef>;
  /** Replaces text and buttons. */
  edit(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void>;
  remove(to: Conversation, ref: MessageRef): Promise<void>;
  /** Sets the bot's reaction, in place of its former one. */
  mark(to: Conversation, messageId: string, mark: ShownMark): Promise<void>;
  /** The same with any emoji. Resolves with the one of Telegram's that is nearest to it. */
  react(to: Conversation, messageId: string, emoji: string): Promise<string>;
  showTyping(to: Conversation): Promise<void>;
  /** Sends a question that opens the reply box. */
  ask(question: Question): Promise<void>;
  /** Leaves a group. No error if the bot is not in it. */
  leave(group: Conversation): Promise<void>;
  /** Shows a draft in a direct chat, with a stop button. */
  showDraft(to: Conversation, draft: Draft, signal: AbortSignal): Promise<void>;
  /** Ends the spinner on a button, and shows the notice to the person who pressed it. */
  answerPress(pressId: string, notice: string | undefined): Promise<void>;
  /** Sets a menu, unless it stands there already. */
  announceCommands(menu: CommandMenu): Promise<void>;
  /** Takes a menu away: its readers see the one of a wider scope. */
  withdrawCommands(menu: Pick<CommandMenu, 'scope' | 'language'>): Promise<void>;
}

/** What sending works with. */
interface Sending {
  readonly parse: Parse;
  readonly client: RawApi;
  /** A client that waits so many milliseconds longer. */
  readonly patientClient: (allowance: number) => RawApi;
  /** Ids of messages whose text was already sent, ahead of their file. */
  readonly introduced: Set<string>;
  readonly formatting: Formatting;
  /** Whether the server has refused the colours of buttons, which are newer than others. */
  readonly colours: { areRefused: boolean };
}

export function createSendingApi(
  settings: TelegramSettings,
  parse: Parse,
  network: Network = directNetwork,
): SendingApi {
  const base = { settings, requests: createKeptRequests(network), transformers: [inWords] };
  const patientClient = (allowance: number): RawApi =>
    botApiClient({ ...base, timeoutSeconds: settings.request_timeout_secs + allowance / 1000 });
  const client = patientClient(0);
  const sending: Sending = {
    parse,
    client,
    patientClient,
    introduced: new Set(),
    formatting: createFormatting(),
    colours: { areRefused: false },
  };
  return {
    async send(to, message) {
      const { file } = message;
      const sent = file
        ? sendWithFile(to, message, file, sending)
        : sendText(to, renderMessage(message, parse), sending);
      return { id: String((await sent).message_id) };
    },

    async edit(to, ref, message) {
      const edited = messageAt(to, ref.id);
      const payload = renderMessage(message, parse);
      const edit = (shown: Payload) => client.editMessageText({ ...edited, ...textOf(shown) });
      await leniently(payload, edit, sending).catch(onRefusal(unchanged, () => true));
    },

    async remove(to, ref) {
      await client.deleteMessage(messageAt(to, ref.id)).catch(onRefusal(gone, () => true));
    },

    mark: (to, messageId, mark) => setReaction(messageAt(to, messageId), markEmoji[mark], client),

    async react(to, messageId, emoji) {
      const nearest = nearestReaction(emoji);
      await setReaction(messageAt(to, messageId), nearest, client);
      return nearest;
    },

    async showTyping(to) {
      await client.sendChatAction({ ...chatParameters(to), action: 'typing' });
    },

    ask: (question) => ask(question, sending),

    async leave({ chatId }) {
      await client.leaveChat({ chat_id: chatId }).catch(onRefusal(outside, () => true));
    },

    async showDraft(to, { id, text, entities }, signal) {
      const draft = { ...chatParameters(to), chat_id: Number(to.chatId), draft_id: id, text, can_stop: true };
      await sending.formatting.orPlain(entities, (shown) =>
        client.sendMessageDraft({ ...draft, entities: [...shown] }, toClientSignal(signal)),
      );
    },

    async answerPress(pressId, notice) {
      const alert = notice && { text: shortened(notice, longestNotice), show_alert: true };
      await client.answerCallbackQuery({ callback_query_id: pressId, ...alert });
    },

    announceCommands: (menu) => announce(menu, sending),

    async withdrawCommands({ scope, language }) {
      await client.deleteMyCommands({ scope, language_code: language });
    },
  };
}

async function ask({ to, about, text, entities, placeholder }: Question, { client }: Sending): Promise<void> {
  await client.sendMessage({
    ...chatParameters(to),
    ...silently,
    ...(about !== undefined && { reply_parameters: answering(Number(about)) }),
    text,
    entities: [...entities],
    link_preview_options: { is_disabled: true },
    reply_markup: { force_reply: true, selective: true, input_field_placeholder: placeholder },
  });
}

async function announce({ scope, language, commands }: CommandMenu, { client }: Sending): Promise<void> {
  const standing = await client.getMyCommands({ scope, language_code: language });
  if (!isSameMenu(standing, commands)) await client.setMyCommands({ scope, commands, language_code: language });
}

function sendText(to: Conversation, payload: Payload, sending: Sending): Promise<Sent> {
  const begin = { ...chatParameters(to), ...payload.reply, ...payload.silence };
  return leniently(payload, (shown) => sending.client.sendMessage({ ...begin, ...textOf(shown) }), sending);
}

async function sendWithFile(
  to: Conversation,
  message: OutboundMessage,
  file: OutboundFile,
  sending: Sending,
): Promise<Sent> {
  const { introduced } = sending;
  const caption = await captionFor(to, message, sending);
  try {
    const sent = await sendFile(to, file, caption, sending);
    introduced.delete(message.id);
    return sent;
  } catch (error) {
    if (error instanceof ChannelError && error.fault.type === 'permanent') introduced.delete(message.id);
    throw error;
  }
}

/** The caption of a file. A text that is too long for one is sent first, as its own message, and only once. */
async function captionFor(to: Conversation, message: OutboundMessage, sending: Sending): Promise<Payload> {
  const { parse, introduced } = sending;
  const payload = renderMessage(message, parse);
  if (message.markdown.trim() === '') return { ...payload, text: '', entities: [] };
  if (payload.text.length <= longestCaption) return payload;
  if (!introduced.has(message.id)) {
    await sendText(to, { ...payload, keyboard: false }, sending);
    introduced.add(message.id);
  }
  return { ...payload, text: '', entities: [], reply: false, silence: silently };
}

/** Sends a file, images as photos and spoken words as voice messages, with the payload as its caption: at most 1024 characters, or none. */
async function sendFile(
  to: Conversation,
  { name, mediaType, path, isVoice }: OutboundFile,
  payload: Payload,
  sending: Sending,
): Promise<Sent> {
  const file = await openFile(path).catch((error: unknown) => {
    throw toChannelError(sendingFile, error, false);
  });
  const client = sending.patientClient(uploadTime(file.size));
  const begin = { ...chatParameters(to), ...payload.reply, ...payload.silence };
  const sendAs = (kind: 'photo' | 'voice' | 'document'): Promise<Sent> =>
    leniently<Sent>(
      payload,
      (shown) => {
        const message = { ...begin, ...captionOf(shown) };
        const content = new InputFile(file.stream(), headerName(name));
        switch (kind) {
          case 'photo':
            return client.sendPhoto({ ...message, photo: content });
          case 'voice':
            return client.sendVoice({ ...message, voice: content });
          case 'document':
            return client.sendDocument({ ...message, document: content });
        }
      },
      sending,
    );
  // A person may take no voice messages.
  if (isVoice === true && voiceTypes.has(mediaType))
    return sendAs('voice').catch(onRefusal(noVoice, () => sendAs('document')));
  const isPhoto = photoTypes.has(mediaType) && file.size <= largestPhoto;
  // Telegram may refuse its dimensions or its content as a photo.
  return isPhoto ? sendAs('photo').catch(onRefusal(noPhoto, () => sendAs('document'))) : sendAs('document');
}

interface MessagePlace {
  readonly chat_id: string;
  readonly message_id: number;
}

function messageAt({ chatId }: Conversation, id: string): MessagePlace {
  const messageId = Number(id);
  if (Number.isSafeInteger(messageId)) return { chat_id: chatId, message_id: messageId };
  throw new ChannelError({ type: 'permanent' }, (language) =>
    kitWords[language].notItsMessage({ platform: 'Telegram' }),
  );
}

async function setReaction(message: MessagePlace, emoji: Reaction, client: RawApi): Promise<void> {
  await client.setMessageReaction({ ...message, reaction: [{ type: 'emoji', emoji }] });
}

/** Retries without colours, if the server is too old for them; and without formatting if Telegram refuses it. */
async function leniently<Result>(
  payload: Payload,
  request: (shown: Payload) => Promise<Result>,
  { colours, formatting }: Sending,
): Promise<Result> {
  const { keyboard } = payload;
  const orPlain = (shown: Payload): Promise<Result> =>
    formatting.orPlain(shown.entities, (entities) => request({ ...shown, entities }));
  if (keyboard === false || !hasColours(keyboard)) return orPlain(payload);
  const plain = { ...payload, keyboard: withoutColours(keyboard) };
  if (colours.areRefused) return orPlain(plain);
  try {
    return await orPlain(payload);
  } catch (error) {
    // That nothing has changed says nothing of colours, though its words name the markup.
    if (!isRefused(error, badButtons) || isRefused(error, unchanged)) throw error;
    const result = await orPlain(plain);
    // It was the colours.
    colours.areRefused = true;
    return result;
  }
}

const badButtons = /^400 .*(?:button|keyboard|markup|style)/is;
const noPhoto = /^400 .*(?:photo|image|file)/is;
/** The bot is in no such chat. */
const outside = /^40[03] .*(?:chat not found|not a member|kicked|deleted|PARTICIPANT)/is;
/** The requested state already holds. */
const unchanged = /^400 .*message is not modified/s;
const gone = /^400 .*(?:message to delete not found|MESSAGE_ID_INVALID)/s;

/** What Telegram shows as a voice message: Opus in Ogg, MP3 and M4A. */
const voiceTypes: ReadonlySet<string> = new Set(['audio/ogg', 'audio/mpeg', 'audio/mp4']);
const noVoice = /^400 .*(?:voice|file|audio)/is;

const photoTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp']);
const largestPhoto = 10 * 2 ** 20;

/** The message as the Bot API takes it, without its chat. */
interface Payload extends Rich {
  readonly keyboard: false | Keyboard;
  readonly reply: false | { readonly reply_parameters: ReplyParameters };
  readonly silence: false | typeof silently;
}

interface Keyboard {
  readonly reply_markup: InlineKeyboardMarkup;
}

function hasColours({ reply_markup: { inline_keyboard: rows } }: Keyboard): boolean {
  return rows.flat().some(({ style }) => style !== undefined);
}

function withoutColours({ reply_markup: { inline_keyboard: rows } }: Keyboard): Keyboard {
  return { reply_markup: { inline_keyboard: rows.map((row) => row.map(({ style: _, ...button }) => button)) } };
}

const silently = { disable_notification: true } as const;

/** What says yes is green. */
const colourOf = { primary: { style: 'success' }, danger: { style: 'danger' }, plain: {} } as const;

function renderMessage(message: OutboundMessage, parse: Parse): Payload {
  const { markdown, buttons = [], replyTo, isSilent } = message;
  const inline_keyboard = buttons.map((row) => row.flatMap(keyOf)).filter((row) => row.length > 0);
  const message_id = Number(replyTo);
  const isAnswer = Number.isSafeInteger(message_id) && message_id > 0;
  return {
    ...renderMarkdown(markdown, parse, { showsInstants: isOwnWords(message) }),
    keyboard: inline_keyboard.length > 0 && { reply_markup: { inline_keyboard } },
    reply: isAnswer && { reply_parameters: answering(message_id) },
    silence: isSilent === true && silently,
  };
}

/** Left out if Telegram could not take what it asks for. */
function keyOf({ label, actionId, style, asks }: Button) {
  const data = asks === undefined ? actionId : askingFor(actionId);
  return data === undefined ? [] : [{ text: label, callback_data: data, ...colourOf[style] }];
}

/** If the message replied to is gone, the other one is sent without the reference. */
function answering(message_id: number): ReplyParameters {
  return { message_id, allow_sending_without_reply: true };
}

function chatParameters({ chatId, threadId }: Conversation): { chat_id: string; message_thread_id?: number } {
  return { chat_id: chatId, ...(threadId !== undefined && { message_thread_id: Number(threadId) }) };
}

/** An edit without buttons removes the old ones. */
function textOf({ text, entities, keyboard }: Payload) {
  // Previews would make Telegram fetch the URL, which tells the linked site about the message.
  return { text, entities: [...entities], link_preview_options: { is_disabled: true }, ...keyboard };
}

function captionOf({ text, entities, keyboard }: Payload) {
  return { ...(text !== '' && { caption: text, caption_entities: [...entities] }), ...keyboard };
}

/** The client writes the name unquoted into a form header, where line breaks and semicolons would end it. */
function headerName(name: string): string {
  return name.toWellFormed().replace(/[\r\n;]/g, '_');
}

function isSameMenu(standing: CommandMenu['commands'], wanted: CommandMenu['commands']): boolean {
  const [there, here] = [standing, wanted].map((commands) =>
    JSON.stringify(commands.map(({ command, description }) => [command, description])),
  );
  return there === here;
}

/** Of the emoji that bots may react with. */
const markEmoji = { seen: '👀', done: '👌' } as const satisfies Record<ShownMark, Reaction>;
