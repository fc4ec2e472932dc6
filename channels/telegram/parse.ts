import type {
  Conversation,
  InboundAction,
  InboundAttachment,
  InboundEdit,
  InboundMessage,
  Quote,
  Sender,
  SharedText,
} from '../../src/contract.ts';
import type { BotIdentity } from './api.ts';
import {
  inWords,
  quotedWords,
  type TelegramChat,
  type TelegramContent,
  type TelegramEntity,
  type TelegramFile,
  type TelegramMessage,
  type TelegramOrigin,
  type TelegramPhoto,
  type TelegramPlace,
  type TelegramPress,
  type TelegramReplied,
  type TelegramStop,
  type TelegramUser,
  updateIdShape,
  updateShape,
} from './update.ts';

export type Parsed =
  /** `album`: the id of its album, if any. */
  | { readonly type: 'message'; readonly event: InboundMessage; readonly album?: string }
  | { readonly type: 'edit'; readonly event: InboundEdit }
  | { readonly type: 'press'; readonly event: InboundAction; readonly pressId: string }
  /** A group became a supergroup, with a new id. */
  | { readonly type: 'moved'; readonly from: Conversation; readonly chatId: string }
  /** Nothing to handle, and why. */
  | { readonly type: 'ignored'; readonly reason: string }
  /** Not the documented shape; `path` says where. */
  | { readonly type: 'unreadable'; readonly path: string };

/** Parses any value; never throws. `now`: for updates without a time. */
export function parseUpdate(update: unknown, bot: BotIdentity, now: number): Parsed {
  const { data, error } = updateShape.safeParse(update);
  if (data === undefined) return { type: 'unreadable', path: error?.issues[0]?.path.join('.') ?? '' };
  const { message, edited_message, callback_query, stopped_message_generation } = data;
  if (message !== undefined) return parseMove(message) ?? parseMessage(message, bot);
  if (edited_message !== undefined) return parseEdit(edited_message, data.update_id, bot);
  if (callback_query !== undefined) return parsePress(callback_query, bot);
  if (stopped_message_generation !== undefined)
    return parseStop(stopped_message_generation, `telegram:${bot.id}:s:${data.update_id}`, now);
  return ignored('of no kind that is read');
}

/** Undefined if the update has no valid id. */
export function updateIdOf(update: unknown): number | undefined {
  return updateIdShape.safeParse(update).data?.update_id;
}

function ignored(reason: string): Parsed {
  return { type: 'ignored', reason };
}

/** A move is announced in both chats: in the old one with the new id, and vice versa. */
function parseMove(message: TelegramMessage): Parsed | undefined {
  const { chat, migrate_to_chat_id: to, migrate_from_chat_id: from } = message;
  if (kindOf(chat) !== 'group') return undefined;
  if (to !== undefined) return { type: 'moved', from: groupOf(chat.id), chatId: String(to) };
  return from === undefined ? undefined : { type: 'moved', from: groupOf(from), chatId: String(chat.id) };
}

function groupOf(chatId: number): Conversation {
  return { channel: 'telegram', chatId: String(chatId), kind: 'group' };
}

function parseMessage(message: TelegramMessage, bot: BotIdentity): Parsed {
  const conversation = conversationOf(message);
  const sender = senderOf(message);
  if (conversation === undefined) return ignored('a post in a channel');
  if (sender === undefined) return ignored('no sender');

  const { calls, text, shared } = wordsOf(message, bot);
  const attachments = attachmentsOf(message).map((file) => (shared === undefined ? file : { ...file, isShared: true }));
  const isSilent = [text, ...(shared ?? []).map((one) => one.text)].every((words) => words.trim() === '');
  if (isSilent && attachments.length === 0) return ignored('nothing is said with it');

  const quote = quoteOf(message, bot);
  const { media_group_id: album } = message;
  const event: InboundMessage = {
    type: 'message',
    key: keyOf(message, bot),
    conversation,
    sender,
    text,
    addressed: conversation.kind === 'direct' || calls || repliesToBot(message, bot),
    sentAt: message.date * 1000,
    messageId: String(message.message_id),
    shared,
    ...(attachments.length > 0 && { attachments }),
    quote,
    isPiece: album !== undefined || undefined,
  };
  return { type: 'message', event, album: album && `${message.chat.id}:${album}` };
}

/** Only texts and files can be edited. Moves of a live location arrive as edits too. */
function parseEdit(message: TelegramMessage, updateId: number, bot: BotIdentity): Parsed {
  const conversation = conversationOf(message);
  const sender = senderOf(message);
  if (conversation === undefined || sender === undefined) return ignored('an edit by nobody');
  if (message.text === undefined && message.caption === undefined && attachmentsOf(message).length === 0)
    return ignored('an edit of something without a text');

  const messageKey = keyOf(message, bot);
  const { text, shared } = wordsOf(message, bot);
  // Two edits within a second have the same date.
  const key = `${messageKey}:e:${message.edit_date ?? message.date}:${updateId}`;
  return { type: 'edit', event: { type: 'edit', key, messageKey, conversation, sender, text, shared } };
}

function keyOf({ chat, message_id }: TelegramPlace, bot: BotIdentity): string {
  return `telegram:${bot.id}:m:${chat.id}:${message_id}`;
}

interface Words {
  /** Whether the message addresses the bot by its name or a command. */
  readonly calls: boolean;
  /** Without the bot's name at the beginning, at the end and in commands. */
  readonly text: string;
  readonly shared?: readonly SharedText[];
}

/** The sender's own words, or those that they pass on: never both. */
function wordsOf(message: TelegramMessage, bot: BotIdentity): Words {
  const author = sharedBy(message, bot);
  if (author === undefined) return textOf(message, bot);
  const text = message.text ?? message.caption ?? inWords(message) ?? '';
  return { calls: false, text: '', shared: [{ ...author, text }] };
}

function textOf(message: TelegramMessage, bot: BotIdentity): Words {
  const { text, caption, entities, caption_entities } = message;
  if (text !== undefined) return readAddressing(text, entities, bot);
  if (caption !== undefined) return readAddressing(caption, caption_entities, bot);
  return { calls: false, text: inWords(message) ?? '' };
}

function parsePress(press: TelegramPress, bot: BotIdentity): Parsed {
  const conversation = press.message && conversationOf(press.message);
  if (conversation === undefined) return ignored('a press outside of a conversation');
  if (press.data === undefined) return ignored('a press of a button that is not ours');

  const event: InboundAction = {
    type: 'action',
    key: `telegram:${bot.id}:cq:${press.id}`,
    conversation,
    sender: personOf(press.from),
    actionId: press.data,
    messageRef: { id: String(press.message?.message_id) },
  };
  return { type: 'press', event, pressId: press.id };
}

/** A draft's stop button acts as the command `/stop`. Only direct chats have drafts. */
function parseStop({ chat, message_thread_id }: TelegramStop, key: string, now: number): Parsed {
  const isTopic = message_thread_id !== undefined;
  const conversation = conversationOf({ message_id: 0, chat, message_thread_id, is_topic_message: isTopic });
  if (conversation?.kind !== 'direct') return ignored('a draft outside of a direct chat');

  const sender = { id: conversation.chatId, name: nameOfChat(chat) || conversation.chatId, isPerson: true };
  const said = { text: '/stop', addressed: true, sentAt: now };
  return { type: 'message', event: { type: 'message', key, conversation, sender, ...said } };
}

function conversationOf({ chat, is_topic_message, message_thread_id }: TelegramPlace): Conversation | undefined {
  const kind = kindOf(chat);
  if (kind === undefined) return undefined;

  const title = nameOfChat(chat);
  // Outside topics, the thread id names a chain of replies, and sending to it is refused.
  const isTopic = is_topic_message && message_thread_id !== undefined;
  return {
    channel: 'telegram',
    chatId: String(chat.id),
    ...(isTopic && { threadId: String(message_thread_id) }),
    kind,
    ...(title !== '' && { title }),
  };
}

function kindOf({ type }: TelegramChat): Conversation['kind'] | undefined {
  if (type === 'private') return 'direct';
  return type === 'group' || type === 'supergroup' ? 'group' : undefined;
}

/** At most one file: each item of an album is its own message. */
function attachmentsOf(message: TelegramContent): readonly InboundAttachment[] {
  const { photo, live_photo, animation, video, video_note, voice, audio, document } = message;
  // For older clients, live photos are also sent as photos, and animations as documents.
  const picture = largest(photo ?? live_photo?.photo ?? []);
  if (picture !== undefined) return [picture];
  const moving = animation ?? video ?? video_note;
  if (moving !== undefined) return [toAttachment('video', moving)];
  if (voice !== undefined) return [toAttachment('voice', voice)];
  if (audio !== undefined) return [toAttachment('audio', audio)];
  if (document === undefined) return [];
  return [toAttachment(document.mime_type?.startsWith('image/') ? 'image' : 'file', document)];
}

function toAttachment(
  kind: InboundAttachment['kind'],
  { file_id, file_name, mime_type, file_size }: TelegramFile,
): InboundAttachment {
  return { kind, handle: file_id, name: file_name, mediaType: mime_type, size: file_size };
}

/** Photos come in several sizes, always as JPEG. */
function largest(sizes: TelegramPhoto): InboundAttachment | undefined {
  const [best] = sizes.toSorted((one, other) => other.width * other.height - one.width * one.height);
  return best && toAttachment('image', { ...best, file_name: undefined, mime_type: 'image/jpeg' });
}

/** Whether a text addresses the bot, judging by its entities. */
function readAddressing(text: string, entities: readonly TelegramEntity[], bot: BotIdentity): Words {
  const marks = entities.map((entity) => readMark(text, entity, bot));
  return { calls: marks.includes('name') || marks.includes('command'), text: withoutCalls(text, entities, marks) };
}

type Mark = 'name' | 'command' | 'other';

function readMark(text: string, entity: TelegramEntity, bot: BotIdentity): Mark {
  const words = text.slice(entity.offset, entity.offset + entity.length);
  if (entity.type === 'mention') return words.toLowerCase() === nameOf(bot) ? 'name' : 'other';
  if (entity.type === 'text_mention') return entity.user?.id === bot.id ? 'name' : 'other';
  if (entity.type !== 'bot_command') return 'other';

  const at = words.indexOf('@');
  if (at !== -1) return words.slice(at).toLowerCase() === nameOf(bot) ? 'command' : 'other';
  return text.slice(0, entity.offset).trim() === '' ? 'command' : 'other';
}

function nameOf({ username }: BotIdentity): string {
  return `@${username.toLowerCase()}`;
}

function withoutCalls(text: string, entities: readonly TelegramEntity[], marks: readonly Mark[]): string {
  let rest = text;
  // From the end, so that the other offsets stay valid.
  for (const [index, entity] of [...entities.entries()].reverse()) {
    const start = entity.offset;
    const end = start + entity.length;
    switch (marks[index]) {
      case 'command':
        rest = rest.slice(0, start) + rest.slice(start, end).replace(/@.*$/, '') + rest.slice(end);
        break;
      case 'name':
        rest = withoutName(rest, start, end);
        break;
      case 'other':
      case undefined:
        break;
    }
  }
  return rest.trim() === '' ? text : rest.trim();
}

/** A name in the middle of a sentence carries meaning, and stays. */
function withoutName(text: string, start: number, end: number): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  if (before.trim() === '' && /^([\s,:]|$)/.test(after)) return after.replace(/^[\s,:]+/, '');
  return after.trim() === '' && /\s$/.test(before) ? before.trimEnd() : text;
}

/** The quoted message, or the part that the person has selected. */
function quoteOf(message: TelegramMessage, bot: BotIdentity): Quote | undefined {
  const replied = answeredMessage(message);
  const answered = replied ?? message.external_reply;
  if (answered === undefined) return undefined;
  const text = message.quote?.text ?? quotedWords(answered);
  if (text === undefined || text.trim() === '') return undefined;
  return {
    text,
    ...(replied === undefined ? outsideAuthor(message.external_reply?.origin, bot) : author(replied, bot)),
  };
}

/** The author of a forwarded or inline-bot message. Undefined if the sender typed it. */
function sharedBy(
  { forward_origin, forward_date, via_bot }: TelegramMessage,
  bot: BotIdentity,
): Omit<SharedText, 'text'> | undefined {
  if (exists(forward_origin) || exists(forward_date))
    return { how: 'forwarded', ...outsideAuthor(forward_origin ?? undefined, bot) };
  return exists(via_bot) ? { how: 'inline_bot', name: nameOfBot(via_bot), isOwn: via_bot.id === bot.id } : undefined;
}

function exists<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null;
}

function nameOfBot({ username, first_name }: TelegramUser): string {
  return username === '' ? first_name : `@${username}`;
}

function repliesToBot(message: TelegramMessage, bot: BotIdentity): boolean {
  return answeredMessage(message)?.from?.id === bot.id;
}

/** In a topic, plain messages reply to the notice that opened the topic: no reply. */
function answeredMessage(message: TelegramMessage): TelegramReplied | undefined {
  const { reply_to_message: replied, is_topic_message, message_thread_id } = message;
  if (replied === undefined || replied.forum_topic_created !== undefined) return undefined;
  // Outside topics too, a thread's id is its first message, but replies to that are real.
  return is_topic_message && replied.message_id === message_thread_id ? undefined : replied;
}

type Author = Pick<Quote, 'name' | 'isOwn'>;

function author(replied: TelegramReplied, bot: BotIdentity): Author {
  return { name: senderOf(replied)?.name ?? '', isOwn: replied.from?.id === bot.id };
}

function outsideAuthor(origin: TelegramOrigin | undefined, bot: BotIdentity): Author {
  const { sender_user, sender_user_name, sender_chat, chat } = origin ?? {};
  const place = sender_chat ?? chat;
  const name = senderOf({ from: sender_user })?.name ?? sender_user_name ?? (place && nameOfChat(place));
  return { name: name ?? '', isOwn: sender_user?.id === bot.id };
}

/** A message by a chat (a channel, an anonymous admin) is not by a person; its `from` is a shared stand-in. */
function senderOf({
  from,
  sender_chat,
}: {
  readonly from?: TelegramUser | undefined;
  readonly sender_chat?: TelegramChat | undefined;
}): Sender | undefined {
  if (sender_chat !== undefined) return { id: String(sender_chat.id), name: nameOfChat(sender_chat), isPerson: false };
  return from && personOf(from);
}

function personOf({ id, first_name, last_name, username, is_bot }: TelegramUser): Sender {
  return { id: String(id), name: fullName(first_name, last_name) || username || String(id), isPerson: !is_bot };
}

/** The title, or the person's name. */
function nameOfChat({ title, first_name, last_name }: TelegramChat): string {
  return title ?? fullName(first_name, last_name);
}

function fullName(first: string | undefined, last: string | undefined): string {
  return [first, last].filter((name) => name !== undefined && name !== '').join(' ');
}
