/*
 * The layout of a message on its platform: parts as long as the channel accepts, then files, with the buttons on the
 * last part. Pure and deterministic, so that an interrupted delivery can continue.
 */

import type { Button, ChannelAdapter, Conversation, MessageKind, OutboundFile, OutboundMessage } from '../contract.ts';
import { cardParts, withDeadline } from '../lib/card-parts.ts';
import { dayIn } from '../lib/clock.ts';
import { inlineCode, oneLine } from '../lib/plain-text.ts';
import { splitMarkdown } from '../lib/split/split.ts';
import { type Reader, timeOfDay } from '../lib/time-words.ts';
import type { Language } from '../lib/words.ts';
import type { KeptFile } from '../tools/output.ts';
import { formatSize } from '../tools/text.ts';
import { foldsCut } from './folds-cut.ts';
import { messageWords } from './words.ts';

/** A message as stored: whole, with all its files. */
export interface StoredMessage extends Omit<OutboundMessage, 'file'> {
  /** Stored under the id of this message. Shown after the text, in order. */
  readonly files?: readonly KeptFile[];
  /** The language that a card is written in: it goes on in it when it changes. Default: English. */
  readonly language?: Language;
}

/** The parts of a stored message that its layout depends on. */
export interface OutgoingMessage {
  readonly message: StoredMessage;
  readonly kind: MessageKind;
  readonly conversation: Conversation;
  /** When its text was written. */
  readonly createdAt: number;
  /** Files that the platform refused. */
  readonly refusedFiles: readonly FileKey[];
}

/** One message for the channel. */
export interface Part {
  readonly message: OutboundMessage;
  /** The file that it shows, if any. */
  readonly file?: FileKey;
}

export interface PartsOptions {
  readonly adapter: Pick<ChannelAdapter, 'capabilities' | 'measure'>;
  /** A text that needs more messages is sent as its beginning, and whole as a file if the channel accepts files. */
  readonly maxMessages: number;
  /** Precedes the text. */
  readonly lateNote?: string;
  /** The reader of those who read it. */
  readonly reader: () => Reader;
  readonly pathOf: (key: FileKey) => string;
  /** The names of the chat commands. */
  readonly commands: ReadonlySet<string>;
  /** Until when the approval can be decided that it asks for, if that is not said in it. In ms since 1970. */
  readonly until?: number | undefined;
}

/**
 * The parts of a message: its text, then each file, or a line instead of a file that can't be shown. The buttons are on
 * the last part, which is a text, below everything they are about. The same row and options give the same parts.
 */
export function partsOf(row: OutgoingMessage, options: PartsOptions): readonly Part[] {
  const { buttons, files = [] } = row.message;
  const markdown = markdownOn(row, options);
  const shown = files.flatMap((_, index) => contentsOfFile(row, index, options));
  const whole = [options.lateNote, markdown].filter((text) => text !== undefined && text.trim() !== '').join('\n\n');
  const texts = split(whole, options);
  const cut = row.kind === 'card' && texts.length > 1 ? cardCut(row, whole, options) : undefined;
  if (cut !== undefined) return partsFrom(row, [...shown, ...cut], options);
  if (texts.length > options.maxMessages && canBeFile(row, options))
    return partsFrom(row, beginningAndFile(row, texts, shown, options), options);
  if (texts.length === 0 && (shown.length === 0 || buttons !== undefined)) texts.push('…');
  const last = buttons === undefined ? [] : texts.splice(-1);
  return partsFrom(row, [...texts.map(asText), ...shown, ...last.map(asText)], options);
}

/** The parts of an edited text: only text, since files do not change. */
export function changedPartsOf(
  row: OutgoingMessage,
  { adapter, commands }: Pick<PartsOptions, 'adapter' | 'commands'>,
): readonly Part[] {
  const message = { ...row.message, files: [] };
  return partsOf(
    { ...row, message },
    { adapter, commands, maxMessages: Number.POSITIVE_INFINITY, reader: noFile, pathOf: () => '' },
  );
}

/** The text as the channel takes it. A card leaves out what is folded where that cannot be opened. */
function markdownOn(row: OutgoingMessage, { adapter, commands, until, reader }: PartsOptions): string {
  const written = spellCommands(row.message, commandPrefixAt(row, { adapter }), commands);
  if (row.kind !== 'card') return written;
  const timed = until === undefined ? written : withDeadline(written, until, reader());
  return adapter.capabilities.folds === true ? timed : cardParts(timed).shown;
}

/** An edited text has no file with a time in its name. */
const noFile = (): Reader => ({ timeZone: 'UTC', isNamed: true, language: 'en' });

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

function split(markdown: string, { adapter }: PartsOptions): string[] {
  const { maxLength } = adapter.capabilities;
  return [...splitMarkdown(markdown, { maxLength, measure: (text) => adapter.measure(text) })];
}

function canBeFile({ message, refusedFiles }: OutgoingMessage, { adapter, reader }: PartsOptions): boolean {
  const { maxLength, maxFileBytes } = adapter.capabilities;
  if (maxFileBytes === 0 || refusedFiles.includes('text')) return false;
  return (
    Buffer.byteLength(message.markdown) <= maxFileBytes &&
    adapter.measure(messageWords[reader().language].seeFile) * 4 <= maxLength
  );
}

/**
 * A card in one message, with the whole as a file before it if the channel takes it: only what it folds is cut. Undefined
 * if that is not enough.
 */
function cardCut(row: OutgoingMessage, whole: string, options: PartsOptions): readonly Content[] | undefined {
  const { adapter, reader, pathOf, maxMessages } = options;
  const words = messageWords[reader().language];
  const hasFile = canBeFile(row, options);
  const note = hasFile ? words.seeFile : words.cutHere;
  const { maxLength } = adapter.capabilities;
  const markdown = foldsCut(whole, { maxLength, measure: (text) => adapter.measure(text), note });
  if (markdown === undefined) return undefined;
  const shown = { name: wholeTextName(row, reader()), mediaType: 'text/markdown', path: pathOf('text') };
  const isEdit = maxMessages === Number.POSITIVE_INFINITY;
  const file = { markdown: '', file: { key: 'text', shown } } as const;
  return [...(hasFile && !isEdit ? [file] : []), asText(markdown)];
}

/** A card also keeps its end, which tells how to decide and has the buttons. */
function beginningAndFile(
  row: OutgoingMessage,
  texts: readonly string[],
  files: readonly Content[],
  { adapter, maxMessages, reader, pathOf }: PartsOptions,
): readonly Content[] {
  const hasButtons = row.message.buttons !== undefined;
  const count = hasButtons ? Math.max(1, maxMessages - 2) : maxMessages - 1;
  const { seeFile } = messageWords[reader().language];
  const beginning = beginningOf(texts, count, { adapter, seeFile }).map(asText);
  const shown = { name: wholeTextName(row, reader()), mediaType: 'text/markdown', path: pathOf('text') };
  const file = { markdown: count === 0 ? seeFile : '', file: { key: 'text', shown } } as const;
  return [...beginning, file, ...files, ...(hasButtons ? texts.slice(-1).map(asText) : [])];
}

function wholeTextName({ kind, createdAt }: OutgoingMessage, { timeZone }: Reader): string {
  const day = dayIn(timeZone)(createdAt);
  return `${kind.replace('_', '-')}-${day}-${timeOfDay(createdAt, timeZone).replace(':', '')}.md`;
}

function contentsOfFile(row: OutgoingMessage, index: number, options: PartsOptions): readonly Content[] {
  const file = row.message.files?.[index];
  if (file === undefined) return [];
  const key = `${index}` as const;
  const note = fileNote(file, row.refusedFiles.includes(key), options);
  if (note !== undefined) return split(note, options).map(asText);
  const { name, mediaType, isVoice } = file;
  const shown = { name, mediaType, path: options.pathOf(key), isVoice };
  return [{ markdown: '', file: { key, shown } }];
}

/**
 * Whether devices ring for a message: once for what a person waits for, and for what asks them. What runs show meanwhile,
 * and cards that no longer ask, are silent; for the rest, its author has said whether something else follows.
 */
function rings({ kind, buttons, isSilent }: Pick<OutboundMessage, 'kind' | 'buttons' | 'isSilent'>): boolean {
  switch (kind) {
    case 'status':
      return false;
    case 'card':
      return buttons !== undefined && isSilent !== true;
    case 'reply':
    case 'for_user':
    case 'notice':
      return isSilent !== true;
  }
}

/** Only the first part rings. Each part has its own id: a platform that uses it as a nonce would drop the second part. */
function partsFrom(row: OutgoingMessage, contents: readonly Content[], { adapter }: PartsOptions): readonly Part[] {
  const { id, kind, replyTo, privateTo } = row.message;
  const buttons = row.message.buttons && fittingButtons(row.message, row.message.buttons, adapter);
  return contents.map(({ markdown, file }, index) => ({
    message: {
      id: index === 0 ? id : `${id}${index.toString(36)}`,
      kind,
      markdown,
      buttons: index === contents.length - 1 ? buttons : undefined,
      replyTo: index === 0 ? replyTo : undefined,
      privateTo,
      isSilent: index === 0 && rings(row.message) ? undefined : true,
      file: file?.shown,
    },
    file: file?.key,
  }));
}

/** Without buttons that ask for a text, if the channel has no forms, and without one that shows what is to be seen anyway. */
function fittingButtons(
  { markdown }: Pick<StoredMessage, 'markdown'>,
  rows: NonNullable<StoredMessage['buttons']>,
  { capabilities }: PartsOptions['adapter'],
): NonNullable<StoredMessage['buttons']> {
  const isLeftOut = capabilities.folds !== true && cardParts(markdown).fold !== '';
  const fits = ({ asks, unfolds }: Button): boolean =>
    (asks === undefined || capabilities.forms) && (unfolds === undefined || isLeftOut);
  return rows.map((row) => row.filter(fits)).filter((row) => row.length > 0);
}

/** What may be a command in Keyturn's own text: as code, with up to two words after it. */
const command = /`\/(?=(\w+)(?: [\p{L}\p{N}_:/-]+){0,2}`)/gu;

/**
 * The text with commands as they are typed on a channel. Changes only Keyturn's own words, not quoted text. `commands`:
 * their names.
 */
export function spellCommands(
  { kind, markdown }: Pick<OutboundMessage, 'kind' | 'markdown'>,
  prefix: string | undefined,
  commands: ReadonlySet<string>,
): string {
  if (prefix === undefined || (kind !== 'notice' && kind !== 'card')) return markdown;
  // The subject of a card is above its last paragraph, which may be that of its folded block, and must be shown unchanged.
  const own = kind === 'card' ? Math.max(markdown.lastIndexOf('\n\n'), markdown.lastIndexOf('\n>\n')) + 1 : 0;
  const spelled = (written: string, name: string): string => (commands.has(name) ? `\`${prefix}` : written);
  return markdown.slice(0, own) + markdown.slice(own).replace(command, spelled);
}

/** The first `count` parts of a split text; the last is cut to make room for the note. */
function beginningOf(
  texts: readonly string[],
  count: number,
  { adapter, seeFile }: Pick<PartsOptions, 'adapter'> & { readonly seeFile: string },
): readonly string[] {
  const last = texts[count - 1];
  if (last === undefined) return [];
  const withNote = (text: string): string => `${text}\n\n${seeFile}`;
  const { maxLength } = adapter.capabilities;
  const [cut = ''] = splitMarkdown(last, { maxLength, measure: (text) => adapter.measure(withNote(text)) });
  return [...texts.slice(0, count - 1), withNote(cut)];
}

/** The line that replaces a file that can't be shown and tells where it is; undefined if it can be shown. */
function fileNote(
  { name, size, from }: KeptFile,
  isRefused: boolean,
  { adapter, reader }: PartsOptions,
): string | undefined {
  const { maxFileBytes: most } = adapter.capabilities;
  if (most > 0 && size <= most && !isRefused) return undefined;
  const words = messageWords[reader().language];
  const tooLarge = words.fileTooLarge({ size: formatSize(size), most: formatSize(most) });
  const why = most === 0 ? words.noFiles : size > most ? tooLarge : words.fileFailed;
  const path = from === undefined ? undefined : inlineCode(oneLine(from, 200));
  return words.fileUnshown({ name: inlineCode(name), why, path });
}

/** A file of a message: its number from 0, or the whole text. */
export type FileKey = 'text' | `${number}`;

/** The first line of a message that is shown long after it was written; undefined if it needs none. */
export function lateNote({
  kind,
  createdAt,
  now,
  lateAfter,
  reader: readerOf,
}: {
  readonly kind: MessageKind;
  readonly createdAt: number;
  readonly now: number;
  /** The delay without a note, in ms. */
  readonly lateAfter: number;
  readonly reader: () => Reader;
}): string | undefined {
  const age = now - createdAt;
  // A card states its own deadline, and a status is current.
  if (age <= lateAfter || kind === 'card' || kind === 'status') return undefined;
  const reader = readerOf();
  return messageWords[reader.language].late({ at: createdAt, now, reader });
}
