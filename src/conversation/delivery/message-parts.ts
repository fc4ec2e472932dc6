import type { ChannelAdapter, OutboundFile, OutboundMessage } from '../../contract.ts';
import type { FileKey } from '../message-files.ts';
import type { OutboxRow } from '../outbox.ts';
import { splitMarkdown } from '../split/split.ts';
import { type FileFate, fileNote } from './file-note.ts';
import { spellCommands } from './spell-commands.ts';
import { beginningOf, seeFile } from './text-beginning.ts';

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
export function partsOf(row: OutboxRow, options: PartsOptions): readonly Part[] {
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
export function changedPartsOf(row: OutboxRow, options: Pick<PartsOptions, 'adapter'>): readonly Part[] {
  const texts = split(spellCommands(row.message, commandPrefixAt(row, options)), options);
  return partsFrom(row, (texts.length === 0 ? ['…'] : texts).map(asText), options);
}

function commandPrefixAt({ conversation }: OutboxRow, { adapter }: Pick<PartsOptions, 'adapter'>): string | undefined {
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

function canBeFile({ message, refusedFiles }: OutboxRow, { adapter }: PartsOptions): boolean {
  const { maxLength, maxFileBytes } = adapter.capabilities;
  if (maxFileBytes === 0 || refusedFiles.includes('text')) return false;
  return Buffer.byteLength(message.markdown) <= maxFileBytes && adapter.measure(seeFile) * 4 <= maxLength;
}

/** A card keeps its end too, which says how to decide, and where its buttons are. */
function beginningAndFile(
  row: OutboxRow,
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

function wholeTextName({ kind, createdAt }: OutboxRow): string {
  const at = new Date(createdAt);
  const [year, month, day, hour, minute] = [
    at.getFullYear(),
    at.getMonth() + 1,
    at.getDate(),
    at.getHours(),
    at.getMinutes(),
  ].map((number) => String(number).padStart(2, '0'));
  return `${kind.replace('_', '-')}-${year}-${month}-${day}-${hour}${minute}.md`;
}

function contentsOfFile(row: OutboxRow, index: number, options: PartsOptions): readonly Content[] {
  const file = row.message.files?.[index];
  if (file === undefined) return [];
  const key = `${index}` as const;
  const note = fileNote(file, fateOf(file.size, row.refusedFiles.includes(key), options));
  if (note !== undefined) return split(note, options).map(asText);
  const shown = { name: file.name, mediaType: file.mediaType, path: options.pathOf(key) };
  return [{ markdown: '', file: { key, shown } }];
}

function fateOf(size: number, isRefused: boolean, { adapter }: PartsOptions): FileFate {
  const { maxFileBytes: maxBytes } = adapter.capabilities;
  if (maxBytes === 0) return { type: 'no-files' };
  if (size > maxBytes) return { type: 'too-large', maxBytes };
  return { type: isRefused ? 'refused' : 'sent' };
}

/** Each has an id of its own: a platform that takes it for a nonce would drop the second part. */
function partsFrom(
  row: OutboxRow,
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
      ...(privateTo === undefined ? {} : { privateTo }),
      ...(file === undefined ? {} : { file: file.shown }),
    },
    ...(file === undefined ? {} : { file: file.key }),
  }));
}

/** Without those that ask for a text, where the channel can't. */
function fittingButtons(
  rows: NonNullable<OutboxRow['message']['buttons']>,
  { capabilities }: PartsOptions['adapter'],
): NonNullable<OutboxRow['message']['buttons']> {
  if (capabilities.forms) return rows;
  return rows.map((row) => row.filter(({ asks }) => asks === undefined)).filter((row) => row.length > 0);
}
