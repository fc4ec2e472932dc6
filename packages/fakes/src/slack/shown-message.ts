import type { JsonObject } from '../json.ts';
import { buttonsOf, type ShownButton, textOfBlocks } from './blocks.ts';
import { asRead, pingsIn } from './markup.ts';
import type { Content, StoredEphemeral, StoredFile, StoredMessage, StreamingState } from './rooms.ts';

/** A message as a person in the conversation sees it now. */
export interface ShownMessage {
  readonly ts: string;
  /** Whether the app itself has posted it. */
  readonly from: 'bot' | 'user';
  /** What is read: that of the blocks where there are some, and what was streamed before them. */
  readonly text: string;
  /** What a notification says. The text itself, where there are no blocks. */
  readonly fallback: string;
  readonly blocks: readonly JsonObject[];
  readonly buttons: readonly ShownButton[];
  readonly files: readonly StoredFile[];
  /** Of the app. */
  readonly reactions: readonly string[];
  /** How often it was changed. What is streamed is not. */
  readonly edits: number;
  readonly threadTs?: string | undefined;
  /** Whom it calls, where the app has posted it. */
  readonly pings: readonly string[];
  /** Whether Slack shows what is behind its links. */
  readonly unfurls?: { readonly links: boolean; readonly media: boolean };
  readonly metadata?: JsonObject | undefined;
  readonly streaming?: StreamingState;
}

/** What one person alone sees. */
export type ShownEphemeral = ReturnType<typeof showEphemeral>;

export function show({ author, room: _room, ...message }: StoredMessage): ShownMessage {
  const { text, blocks = [], files = [] } = message;
  const isOwn = author.kind === 'self';
  return {
    ...message,
    from: isOwn ? 'bot' : 'user',
    text: read(message),
    fallback: asRead(text),
    blocks,
    files,
    buttons: buttonsOf(blocks),
    pings: isOwn ? pings(message) : [],
  };
}

export function showEphemeral(message: StoredEphemeral) {
  return { ...message, text: read(message), buttons: buttonsOf(message.blocks ?? []), pings: pings(message) };
}

/** One line about a message, for the error of a wait in vain. */
export function describeMessage({ ts, from, text, buttons, edits, threadTs, streaming }: ShownMessage): string {
  const shownButtons = buttons.map(({ label }) => ` [${label}]`).join('');
  const state = `${edits > 0 ? ` (${edits} edits)` : ''}${streaming === undefined ? '' : ` (${streaming})`}`;
  return `  ${ts} in ${threadTs} ${from}: ${JSON.stringify(text.slice(0, 300))}${shownButtons}${state}`;
}

function read({ text, blocks = [], isMarkdown = false }: Content): string {
  if (blocks.length === 0) return asRead(text);
  return asRead((isMarkdown ? [text, textOfBlocks(blocks)] : [textOfBlocks(blocks)]).filter(Boolean).join('\n'));
}

function pings({ text, blocks = [] }: Content): readonly string[] {
  return [...new Set(pingsIn([text, textOfBlocks(blocks)].join('\n')))];
}
