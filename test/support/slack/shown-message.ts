import type { JsonObject } from '../../../src/lib/json.ts';
import { asRead, pingsIn, plainPingsIn } from './markup.ts';
import type { Reaction, StoredEphemeral, StoredMessage, StreamingState } from './rooms.ts';
import { buttonsOf, type ShownButton, textOfBlocks } from './shown-blocks.ts';

export interface ShownFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly bytes: Buffer;
}

/** A message as a person in the conversation sees it now. */
export interface ShownMessage {
  readonly ts: string;
  /** Whether the app itself has posted it. */
  readonly from: 'bot' | 'user';
  /** The user's id; of another app without a user, that of its bot. */
  readonly senderId: string;
  /** What is read: that of the blocks where there are some, and what was streamed before them. */
  readonly text: string;
  /** What a notification says. The text itself, where there are no blocks. */
  readonly fallback: string;
  readonly isMarkdown: boolean;
  readonly blocks: readonly JsonObject[];
  readonly buttons: readonly ShownButton[];
  readonly files: readonly ShownFile[];
  readonly reactions: readonly Reaction[];
  /** How often it was changed. What is streamed is not. */
  readonly edits: number;
  readonly threadTs?: string;
  /** Whether it stands in the channel beside its thread. */
  readonly isBroadcast: boolean;
  /** Whom it calls. */
  readonly pings: readonly string[];
  /** Whether Slack shows what is behind its links. */
  readonly unfurls: { readonly links: boolean; readonly media: boolean };
  readonly metadata?: JsonObject;
  readonly streaming?: StreamingState;
}

/** What one person alone sees. */
export interface ShownEphemeral {
  readonly ts: string;
  readonly userId: string;
  readonly text: string;
  readonly buttons: readonly ShownButton[];
  readonly threadTs?: string;
  readonly pings: readonly string[];
}

export function show(message: StoredMessage): ShownMessage {
  const {
    ts,
    author,
    text,
    blocks = [],
    files = [],
    reactions,
    edits,
    isMarkdown = false,
    isBroadcast = false,
  } = message;
  return {
    ts,
    from: author.kind === 'self' ? 'bot' : 'user',
    senderId: author.userId ?? author.botId ?? '',
    text: read(message),
    fallback: asRead(text),
    isMarkdown,
    blocks,
    buttons: buttonsOf(blocks),
    files: files.map(({ id, name, title, bytes }) => ({ id, name, title, bytes })),
    reactions,
    edits,
    isBroadcast,
    pings: author.kind === 'self' ? pings(message) : [],
    unfurls: message.unfurls ?? { links: false, media: true },
    ...(message.threadTs !== undefined && { threadTs: message.threadTs }),
    ...(message.metadata !== undefined && { metadata: message.metadata }),
    ...(message.streaming !== undefined && { streaming: message.streaming }),
  };
}

export function showEphemeral(message: StoredEphemeral): ShownEphemeral {
  const { ts, userId, blocks, threadTs } = message;
  return {
    ts,
    userId,
    text: read(message),
    buttons: buttonsOf(blocks),
    pings: pings(message),
    ...(threadTs !== undefined && { threadTs }),
  };
}

type Written = Pick<StoredMessage, 'text' | 'blocks' | 'isMarkdown' | 'findsNames'>;

function read({ text, blocks = [], isMarkdown = false }: Written): string {
  if (blocks.length === 0) return asRead(text);
  const inBlocks = textOfBlocks(blocks);
  const whole = isMarkdown ? [text, inBlocks].filter(Boolean).join('\n') : inBlocks;
  return asRead(whole);
}

function pings({ text, blocks = [], findsNames = false }: Written): readonly string[] {
  const all = [text, textOfBlocks(blocks)].join('\n');
  return [...new Set([...pingsIn(all), ...(findsNames ? plainPingsIn(all) : [])])];
}

/** A text that the message contains, a pattern, or a condition. */
export type WantedMessage = string | RegExp | ((message: ShownMessage) => boolean);

export function isWanted(message: ShownMessage, wanted: WantedMessage): boolean {
  if (typeof wanted === 'function') return wanted(message);
  return typeof wanted === 'string' ? message.text.includes(wanted) : wanted.test(message.text);
}
