import { ComponentType, MessageType } from 'discord.js';
import type { Conversation, InboundEdit, InboundMessage, InboundQuote, SharedText } from '../../src/contract.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { buttonWords, linkWords } from '../kit/link-words.ts';
import { named } from '../kit/read-payload.ts';
import { kitWords, languageFor } from '../kit/words.ts';
import { attachmentsOf } from './download.ts';
import {
  componentsIn,
  type DiscordContent,
  type DiscordMessage,
  instantOf,
  isOwn,
  nameOf,
  senderOf,
} from './payload.ts';
import type { Runtime } from './runtime.ts';

type Surroundings = Pick<Runtime, 'self' | 'directory' | 'host'>;

/** Whether a person or program wrote it. Other types are Discord's system messages. */
export function isSpoken({ type }: Pick<DiscordMessage, 'type'>): boolean {
  return type === MessageType.Default || type === MessageType.Reply;
}

/** Converts a message for the core. Undefined if it is empty. */
export function messageEvent(
  message: DiscordMessage,
  conversation: Conversation,
  surroundings: Surroundings,
): InboundMessage | undefined {
  const { id, channel_id: channelId, message_snapshots: snapshots } = message;
  const { calls, text, shared } = wordsFor(message, conversation, surroundings);
  const ids = { channelId, messageId: id };
  const passedOn = snapshots.flatMap(({ message: content }) => attachmentsOf(content, ids));
  const attachments = [...attachmentsOf(message, ids), ...passedOn.map((file) => ({ ...file, isShared: true }))];
  const saysNothing = text.trim() === '' && attachments.length === 0 && shared === undefined;
  const sender = senderOf(message, conversation.tenant !== undefined);
  if (saysNothing && !(sender.isPerson && conversation.kind === 'direct')) return undefined;
  const replied = message.type === MessageType.Reply ? message.referenced_message : undefined;
  const repliesToUs = replied !== undefined && isOwn(replied, surroundings.self());
  return {
    type: 'message',
    key: id,
    conversation,
    sender,
    text,
    shared,
    addressed: conversation.kind === 'direct' || calls || repliesToUs,
    isThreadReply: conversation.threadId !== undefined || undefined,
    sentAt: instantOf(id),
    messageId: id,
    unreadable: saysNothing ? kitWords[languageFor(surroundings.host, sender)].thisKindOfMessage : undefined,
    attachments: attachments.length > 0 ? attachments : undefined,
    answersTo: answeredOwn(message, surroundings),
    quote: replied && quoteOf(replied, channelId, repliesToUs, namesIn(replied, conversation, surroundings)),
  };
}

export function editEvent(
  message: DiscordMessage,
  conversation: Conversation,
  surroundings: Surroundings,
): InboundEdit {
  const { text, shared } = wordsFor(message, conversation, surroundings);
  return {
    type: 'edit',
    key: `${message.id}:e:${message.edited_timestamp}`,
    messageKey: message.id,
    conversation,
    sender: senderOf(message, conversation.tenant !== undefined),
    text,
    shared,
    answersTo: answeredOwn(message, surroundings),
  };
}

/** The bot's message that it answers. */
function answeredOwn(
  { type, referenced_message: replied }: DiscordMessage,
  { self }: Surroundings,
): string | undefined {
  return type === MessageType.Reply && replied !== undefined && isOwn(replied, self()) ? replied.id : undefined;
}

/** The text, whether it mentions the bot, and forwarded texts. Discord does not say who wrote those. */
function wordsFor(message: DiscordMessage, conversation: Conversation, surroundings: Surroundings) {
  const [{ directory }, { userId }] = [surroundings, surroundings.self()];
  const { tenant } = conversation;
  const isCall: IsCall = (kind, id) =>
    kind === '@' ? id === userId : tenant !== undefined && directory.isRoleOf(userId, tenant, id);
  const names = namesIn(message, conversation, surroundings);
  const { calls, text } = readAddressing(message.content ?? '', isCall, names);
  // Programs may put all of their text into embeds.
  const isPerson = senderOf(message, false).isPerson;
  const words = [text, ...(isPerson ? [] : shownByProgram(message)), ...inWords(message)];
  const shared = message.message_snapshots.map(({ message: content }): SharedText => {
    const said = saidIn(content, namesIn(content, conversation, surroundings));
    const isUnreadable = said === '' && content.attachments.length === 0;
    const shown = isUnreadable ? '[a message in a form that cannot be read here]' : said;
    return { how: 'forwarded', name: '', text: shown, isOwn: false };
  });
  return {
    calls: calls || message.mentions.some(({ id }) => id === userId),
    text: words.filter(isSaid).join('\n'),
    shared: shared.length > 0 ? shared : undefined,
  };
}

function namesIn({ mentions }: DiscordContent, { tenant }: Conversation, { directory }: Surroundings): Names {
  return {
    user: (id) => {
      const user = mentions.find((mentioned) => mentioned.id === id);
      return user && nameOf(user, user.member);
    },
    role: (id) => (tenant === undefined ? undefined : directory.roleName(tenant, id)),
    channel: (id) => directory.channelName(id),
  };
}

/** A message that was chosen in this channel. Its text is empty if it has nothing that can be read. */
export function quotedMessage(
  message: NonNullable<DiscordMessage['referenced_message']>,
  { channelId, place }: { readonly channelId: string; readonly place: Conversation },
  surroundings: Surroundings,
): InboundQuote {
  const isOurs = isOwn(message, surroundings.self());
  const quote = quoteOf(message, channelId, isOurs, namesIn(message, place, surroundings));
  return quote ?? { name: nameOf(message.author), text: '', isOwn: isOurs };
}

/** The quoted message, with what it forwards: its text, or the names of its files; and its files. */
function quoteOf(
  replied: NonNullable<DiscordMessage['referenced_message']>,
  channelId: string,
  isOwn: boolean,
  names: Names,
): InboundQuote | undefined {
  const contents = [replied, ...replied.message_snapshots.map(({ message }) => message)];
  const files = contents.flatMap((content) => attachmentsOf(content, { channelId, messageId: replied.id }));
  const said = contents.map((content) => saidIn(content, names)).filter(isSaid);
  const text = (said.length > 0 ? said : files.map(({ kind, name }) => named(kind, name))).join('\n');
  if (text === '') return undefined;
  const quote = { name: nameOf(replied.author), text, isOwn };
  return files.length === 0 ? quote : { ...quote, messageKey: replied.id, attachments: files };
}

function saidIn(content: DiscordContent, names: Names): string {
  const said = [content.content ?? '', ...shownByProgram(content)].map((text) => readable(text, names));
  return [...said, ...inWords(content)].filter(isSaid).join('\n');
}

function isSaid(text: string): boolean {
  return text.trim() !== '';
}

/** Stickers and polls as text. */
function inWords({ sticker_items, poll }: DiscordContent): readonly string[] {
  const stickers = sticker_items.map(({ name }) => named('sticker', name));
  if (poll === undefined) return stickers;
  const answers = poll.answers.map(({ poll_media }) => `· ${poll_media.text ?? ''}`);
  return [...stickers, `[poll: ${[poll.question.text ?? '', ...answers].join(' ')}]`];
}

/** The text in embeds and components, which only programs send. */
function shownByProgram({ embeds, components }: DiscordContent): readonly string[] {
  const boxes = embeds.flatMap(({ author = {}, title, url, description, fields, footer }) => [
    ...[leadingTo(author.name, author.url), leadingTo(title, url), description],
    ...fields.flatMap(({ name, value }) => [name, value]),
    footer?.text,
  ]);
  return [...boxes.map((text) => text ?? ''), ...componentsIn(components).flatMap(shownComponent)].filter(isSaid);
}

/** A title with the address that it opens. */
function leadingTo(words = '', address = ''): string {
  return words.trim() === '' || address.trim() === '' ? words : linkWords(words, address);
}

/** The text of a component, or what its button opens. */
function shownComponent({ type, content, label, emoji, url }: JsonObject): readonly string[] {
  if (type === ComponentType.TextDisplay) return typeof content === 'string' ? [content] : [];
  if (type !== ComponentType.Button || typeof url !== 'string' || url.trim() === '') return [];
  const sign = isJsonObject(emoji) ? emoji.name : undefined;
  const words = [label, sign].find((one) => typeof one === 'string');
  return [buttonWords(typeof words === 'string' ? words : '', url)];
}

/** Display names of mentioned people, roles and channels. Undefined if unknown. */
export interface Names {
  user(id: string): string | undefined;
  role(id: string): string | undefined;
  channel(id: string): string | undefined;
}

/** Whether a mention addresses the bot: `@` with a user id, `&` with a role id. */
type IsCall = (kind: '@' | '&', id: string) => boolean;

/** Discord's mention syntax. Code spans are matched to skip them, since Discord shows signs there literally. */
const signs =
  /```[\s\S]*?```|`[^`\n]+`|<@!?(?<user>\d{1,20})>|<@&(?<role>\d{1,20})>|<#(?<channel>\d{1,20})>|<a?:(?<emoji>\w{1,32}):\d{1,20}>|<t:(?<time>-?\d{1,13})(?::[a-zA-Z])?>|<\/(?<command>[^:<>]{1,100}):\d{1,20}>/g;

/**
 * Reads a text: whether it mentions the bot, and its words with Discord's signs replaced. Mentions of the bot at the
 * beginning and the end are dropped, unless nothing would be left.
 */
export function readAddressing(
  content: string,
  isCall: IsCall,
  names: Names,
): { readonly calls: boolean; readonly text: string } {
  const calls = [...content.matchAll(signs)].some(
    ({ groups: { user, role } = {} }) =>
      (user !== undefined && isCall('@', user)) || (role !== undefined && isCall('&', role)),
  );
  const rest = calls ? withoutCalls(content, isCall) : content;
  return { calls, text: readable(rest.trim() === '' ? content.trim() : rest, names) };
}

function readable(content: string, names: Names): string {
  let text = '';
  let end = 0;
  for (const match of content.matchAll(signs)) {
    text += content.slice(end, match.index) + (shownFor(match.groups ?? {}, names) ?? match[0]);
    end = match.index + match[0].length;
  }
  return text + content.slice(end);
}

/** The text shown for a sign; undefined to leave it unchanged. */
function shownFor(sign: Readonly<Record<string, string | undefined>>, names: Names): string | undefined {
  const { user, role, channel, emoji, time, command } = sign;
  if (user !== undefined) return prefixed('@', names.user(user));
  if (role !== undefined) return prefixed('@', names.role(role));
  if (channel !== undefined) return prefixed('#', names.channel(channel));
  if (time === undefined) return emoji === undefined ? prefixed('/', command) : `:${emoji}:`;
  const date = new Date(Number(time) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace('.000Z', 'Z');
}

function prefixed(prefix: string, name: string | undefined): string | undefined {
  return name === undefined ? undefined : `${prefix}${name}`;
}

/** A mention in the middle of a sentence carries meaning, and stays. */
function withoutCalls(content: string, isCall: IsCall): string {
  let rest = content.trim();
  const first = /^<@([!&]?)(\d{1,20})>(?:[\s,:]+|$)/;
  for (let call = callAt(rest, first, isCall); call !== undefined; call = callAt(rest, first, isCall))
    rest = rest.slice(call.length);
  const last = callAt(rest, /\s<@([!&]?)(\d{1,20})>$/, isCall);
  return last === undefined ? rest : rest.slice(0, -last.length).trimEnd();
}

function callAt(text: string, pattern: RegExp, isCall: IsCall): string | undefined {
  const [sign, kind, id = ''] = pattern.exec(text) ?? [];
  return sign !== undefined && isCall(kind === '&' ? '&' : '@', id) ? sign : undefined;
}
