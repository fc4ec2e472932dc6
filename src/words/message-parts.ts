/*
 * How a message looks on its platform: the parts that it is sent as, each as long as the channel takes, its files behind
 * the text, its buttons on the last part. Pure, and the same each time, so that what was interrupted can be gone on with.
 */

import { commandMenu } from '../command-menu.ts';
import type { ChannelAdapter, Conversation, MessageKind, OutboundFile, OutboundMessage } from '../contract.ts';
import { inlineCode, oneLine } from '../lib/plain-text.ts';
import { splitMarkdown } from '../lib/split/split.ts';
import { clockTime, dayIn, dayWords, durationWords, isSameDay } from '../lib/time-words.ts';
import type { KeptFile } from '../tools/output.ts';
import { formatSize } from '../tools/text.ts';

/** A message as it is written down: whole, with all its files. */
export interface StoredMessage extends Omit<OutboundMessage, 'file'> {
  /** They were kept for the id of this message. Shown behind the text, in their order. */
  readonly files?: readonly KeptFile[];
}

/** A stored message, as far as its parts depend on it. */
export interface OutgoingMessage {
  readonly message: StoredMessage;
  readonly kind: MessageKind;
  readonly conversation: Conversation;
  /** When its text was known. */
  readonly createdAt: number;
  /** What the platform would not take as a file. */
  readonly refusedFiles: readonly FileKey[];
}

/** What a channel is to show of a message, one after the other. */
export interface Part {
  readonly message: OutboundMessage;
  /** Which file it shows, if it shows one. */
  readonly file?: FileKey;
}

export interface PartsOptions {
  readonly adapter: Pick<ChannelAdapter, 'capabilities' | 'measure'>;
  /** A text that needs more messages than that is sent as its beginning, and whole as a file where the channel takes it. */
  readonly maxMessages: number;
  /** Stands before the text. */
  readonly lateNote?: string;
  readonly pathOf: (key: FileKey) => string;
}

/**
 * The parts that a message is sent as: its text, then each of its files, or a line in its place where it can't be shown. The
 * buttons belong to the last part, which is one of text: below everything that they are about. The same for the same row
 * and options, so that what was interrupted can be gone on with.
 */
export function partsOf(row: OutgoingMessage, options: PartsOptions): readonly Part[] {
  const { buttons, files = [] } = row.message;
  const markdown = spellCommands(row.message, commandPrefixAt(row, options));
  const shown = files.flatMap((_, index) => contentsOfFile(row, index, options));
  const whole = [options.lateNote, markdown].filter((text) => text !== undefined && text.trim() !== '').join('\n\n');
  const texts = split(whole, options);
  if (texts.length > options.maxMessages && canBeFile(row, options))
    return partsFrom(row, beginningAndFile(row, texts, shown, options), options);
  if (texts.length === 0 && (shown.length === 0 || buttons !== undefined)) texts.push('…');
  const last = buttons === undefined ? [] : texts.splice(-1);
  return partsFrom(row, [...texts.map(asText), ...shown, ...last.map(asText)], options);
}

/** The parts of a text that takes the place of another: of text alone, since files stay as they are. */
export function changedPartsOf(row: OutgoingMessage, options: Pick<PartsOptions, 'adapter'>): readonly Part[] {
  const texts = split(spellCommands(row.message, commandPrefixAt(row, options)), options);
  return partsFrom(row, (texts.length === 0 ? ['…'] : texts).map(asText), options);
}

function commandPrefixAt(
  { conversation }: OutgoingMessage,
  { adapter }: Pick<PartsOptions, 'adapter'>,
): string | undefined {
  const { commandPrefix, commandPrefixInThread = commandPrefix } = adapter.capabilities;
  return conversation.threadId === undefined ? commandPrefix : commandPrefixInThread;
}

interface Content {
  readonly markdown: string;
  readonly file?: { readonly key: FileKey; readonly shown: OutboundFile };
}

function asText(markdown: string): Content {
  return { markdown };
}

function split(markdown: string, { adapter }: Pick<PartsOptions, 'adapter'>): string[] {
  const { maxLength } = adapter.capabilities;
  return [...splitMarkdown(markdown, { maxLength, measure: (text) => adapter.measure(text) })];
}

function canBeFile({ message, refusedFiles }: OutgoingMessage, { adapter }: PartsOptions): boolean {
  const { maxLength, maxFileBytes } = adapter.capabilities;
  if (maxFileBytes === 0 || refusedFiles.includes('text')) return false;
  return Buffer.byteLength(message.markdown) <= maxFileBytes && adapter.measure(seeFile) * 4 <= maxLength;
}

/** A card keeps its end too, which says how to decide, and where its buttons are. */
function beginningAndFile(
  row: OutgoingMessage,
  texts: readonly string[],
  files: readonly Content[],
  { adapter, maxMessages, pathOf }: PartsOptions,
): readonly Content[] {
  const hasButtons = row.message.buttons !== undefined;
  const count = hasButtons ? Math.max(1, maxMessages - 2) : maxMessages - 1;
  const beginning = beginningOf(texts, count, adapter).map(asText);
  const shown = { name: wholeTextName(row), mediaType: 'text/markdown', path: pathOf('text') };
  const file = { markdown: count === 0 ? seeFile : '', file: { key: 'text', shown } } as const;
  return [...beginning, file, ...files, ...(hasButtons ? texts.slice(-1).map(asText) : [])];
}

function wholeTextName({ kind, createdAt }: OutgoingMessage): string {
  const day = dayIn(undefined)(createdAt);
  return `${kind.replace('_', '-')}-${day}-${clockTime(createdAt).replace(':', '')}.md`;
}

function contentsOfFile(row: OutgoingMessage, index: number, options: PartsOptions): readonly Content[] {
  const file = row.message.files?.[index];
  if (file === undefined) return [];
  const key = `${index}` as const;
  const note = fileNote(file, row.refusedFiles.includes(key), options);
  if (note !== undefined) return split(note, options).map(asText);
  const shown = { name: file.name, mediaType: file.mediaType, path: options.pathOf(key) };
  return [{ markdown: '', file: { key, shown } }];
}

/** Each has an id of its own: a platform that takes it for a nonce would drop the second part. */
function partsFrom(
  row: OutgoingMessage,
  contents: readonly Content[],
  { adapter }: Pick<PartsOptions, 'adapter'>,
): readonly Part[] {
  const { id, kind, replyTo, privateTo } = row.message;
  const buttons = row.message.buttons && fittingButtons(row.message.buttons, adapter);
  return contents.map(({ markdown, file }, index) => ({
    message: {
      id: index === 0 ? id : `${id}${index.toString(36)}`,
      kind,
      markdown,
      ...(buttons !== undefined && index === contents.length - 1 ? { buttons } : {}),
      ...(replyTo !== undefined && index === 0 ? { replyTo } : {}),
      privateTo,
      ...(file === undefined ? {} : { file: file.shown }),
    },
    ...(file === undefined ? {} : { file: file.key }),
  }));
}

/** Without those that ask for a text, where the channel can't. */
function fittingButtons(
  rows: NonNullable<OutgoingMessage['message']['buttons']>,
  { capabilities }: PartsOptions['adapter'],
): NonNullable<OutgoingMessage['message']['buttons']> {
  if (capabilities.forms) return rows;
  return rows.map((row) => row.filter(({ asks }) => asks === undefined)).filter((row) => row.length > 0);
}

const names = commandMenu.map(({ name }) => name).join('|');
/** A command as Keyturn itself names it: in code, with an id, a code or a word for one behind it. */
const command = new RegExp(`\`/(?=(?:${names})(?: [\\w:/-]+){0,2}\`)`, 'g');

/** The text with commands as they are typed on a channel. Only what Keyturn itself says is changed, not what it quotes. */
export function spellCommands(
  { kind, markdown }: Pick<OutboundMessage, 'kind' | 'markdown'>,
  prefix: string | undefined,
): string {
  if (prefix === undefined || (kind !== 'notice' && kind !== 'card')) return markdown;
  // What a card asks about stands above its last paragraph, and has to be shown as it is.
  const own = kind === 'card' ? markdown.lastIndexOf('\n\n') + 1 : 0;
  return markdown.slice(0, own) + markdown.slice(own).replace(command, () => `\`${prefix}`);
}

/** Stands below the beginning of a text that is sent whole as a file. */
const seeFile = '*(The whole text is in the file.)*';

/** The first `count` parts of a text that was split, the last of them cut once more, so that it can say where the rest is. */
function beginningOf(
  texts: readonly string[],
  count: number,
  adapter: Pick<ChannelAdapter, 'capabilities' | 'measure'>,
): readonly string[] {
  const last = texts[count - 1];
  if (last === undefined) return [];
  const withNote = (text: string): string => `${text}\n\n${seeFile}`;
  const { maxLength } = adapter.capabilities;
  const [cut = ''] = splitMarkdown(last, { maxLength, measure: (text) => adapter.measure(withNote(text)) });
  return [...texts.slice(0, count - 1), withNote(cut)];
}

/** The line that stands in the place of a file that can't be shown, and says where it is; undefined for one that can. */
function fileNote({ name, size, from }: KeptFile, isRefused: boolean, { adapter }: PartsOptions): string | undefined {
  const { maxFileBytes: most } = adapter.capabilities;
  const refusal = isRefused ? 'it could not be sent' : undefined;
  const tooLarge = `it has ${formatSize(size)}, and this channel takes at most ${formatSize(most)}`;
  const reason = most === 0 ? 'this channel takes no files' : size > most ? tooLarge : refusal;
  if (reason === undefined) return undefined;
  const place = from === undefined ? '' : ` In the workspace it is ${inlineCode(oneLine(from, 200))}.`;
  return `📎 The file ${inlineCode(name)} could not be shown here: ${reason}.${place}`;
}

/** What is sent as a file: a file of the message, by its number from 0 on, or the whole text of the message. */
export type FileKey = 'text' | `${number}`;

/** The line that a message begins with which people see long after it was written; undefined if it needs none. */
export function lateNote({
  kind,
  createdAt,
  now,
  lateAfter,
}: {
  readonly kind: MessageKind;
  readonly createdAt: number;
  readonly now: number;
  /** How much later it may be, in milliseconds. */
  readonly lateAfter: number;
}): string | undefined {
  const age = now - createdAt;
  // A card says itself until when it holds, and a status is of now.
  if (age <= lateAfter || kind === 'card' || kind === 'status') return undefined;
  const time = clockTime(createdAt);
  const written = isSameDay(createdAt, now) ? `at ${time}` : `on ${dayWords(createdAt)} at ${time}`;
  return `*🕓 Late: written ${written}, ${durationWords(age)} ago.*`;
}
