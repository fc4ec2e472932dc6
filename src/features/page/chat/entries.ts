import { partsOf } from '../../../contract.ts';
import { deviceChannel } from '../../../conversation/access/access.ts';
import { isJsonObject } from '../../../lib/json.ts';
import type { PageAsked, PageCore } from '../page-route.ts';
import type { AnswerEntry, CallEntry, CardEntry, ChatEntry, PersonEntry, SentFile } from '../wire/chat.ts';
import { largestPicture } from './pictures.ts';
import type { StoredCall, StoredEntry, StoredMessage, StoredShown } from './stored.ts';
import { mostOutput, type StoredAttachment } from './tables.ts';

/** By the key of the message that they came with. */
type FilesByKey = ReadonlyMap<string, readonly StoredAttachment[]>;

/** What stands in a conversation, as the page shows it. */
export function entryOf(stored: StoredEntry, asked: PageAsked, core: PageCore, files: FilesByKey): ChatEntry {
  switch (stored.of) {
    case 'message':
    case 'command':
      return personEntry(stored, asked, files);
    case 'shown':
      return stored.kind === 'card' ? cardEntry(stored) : answerEntry(stored);
    case 'call':
      return callEntry(stored, core);
  }
}

/** Of the messages that files came with. */
export function keysWithFiles(entries: readonly StoredEntry[]): readonly string[] {
  return entries.flatMap((entry) =>
    (entry.of === 'message' || entry.of === 'command') && entry.attachments > 0 ? entry.key : [],
  );
}

function personEntry(
  { of, seq, key, at, principal, name, text, quote, attachments }: StoredMessage,
  asked: PageAsked,
  files: FilesByKey,
): PersonEntry {
  return {
    type: 'person',
    id: `m${seq}`,
    at,
    name,
    // In a session of their own, the device may be one that is gone.
    isOwn: asked.accounts.includes(principal) || partsOf(principal).channel === deviceChannel,
    text: of === 'command' ? `/${text}` : text,
    files: attachments === 0 ? [] : (files.get(key) ?? []).map((file) => sentFile(file, seq, asked)),
    quote: quote?.text === undefined ? undefined : { name: quote.name ?? '', text: quote.text },
    isCommand: of === 'command',
  };
}

function sentFile(file: StoredAttachment, seq: number, { params }: PageAsked): SentFile {
  const { kind, name, mediaType, size, transcript, note, position, isSaved } = file;
  const isShown = kind === 'image' && isSaved && (size ?? 0) <= largestPicture;
  const picture = `conversations/${encodeURIComponent(params.id ?? '')}/pictures/${seq}/${position}`;
  return { kind, name, mediaType, size, transcript, note, picture: isShown ? picture : undefined };
}

function answerEntry({ id, at, kind, markdown, buttons = [], files = [] }: StoredShown): AnswerEntry {
  return {
    type: kind === 'notice' ? 'notice' : 'answer',
    id,
    at,
    markdown,
    files: files.map(({ name, mediaType, size }) => ({ name, mediaType, size })),
    buttons: buttons.flat().map(({ label, shortcut }) => ({ label, line: shortcut })),
  };
}

const states = ['pending', 'approved', 'denied', 'answered', 'expired', 'cancelled'] as const;

function cardEntry({ id, at, markdown, buttons, approvalId, approvalState }: StoredShown): CardEntry {
  const known = states.find((state) => state === approvalState);
  // Others are asked now, or it is no approval.
  const isOver = buttons === undefined && (known === undefined || known === 'pending');
  return { type: 'card', id, at, markdown, approvalId, state: isOver ? 'ended' : (known ?? 'pending') };
}

function callEntry(stored: StoredCall, { accounts }: PageCore): CallEntry {
  const { id, at, runId, name, category, state, outcome, duration, output, size, approvalState, decidedBy } = stored;
  return {
    type: 'call',
    id: `c${id}`,
    at,
    callId: id,
    runId,
    name,
    category,
    arguments: isJsonObject(stored.arguments) ? stored.arguments : { value: stored.arguments },
    state,
    outcome,
    approval:
      approvalState === undefined ? undefined : { state: approvalState, decidedBy: nameOf(decidedBy, accounts) },
    output,
    isCut: (size ?? 0) > mostOutput,
    duration,
  };
}

/** A device is named; of others, the account. */
function nameOf(principal: string | undefined, accounts: PageCore['accounts']): string | undefined {
  if (principal === undefined) return undefined;
  const { senderId } = partsOf(principal);
  return accounts.devices().find(({ id }) => id === senderId)?.personName ?? principal;
}
