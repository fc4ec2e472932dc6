import { messagesOf } from '../approval/verdict.ts';
import type { SharedText } from '../contract.ts';
import type { InboxStore } from '../conversation/inbox.ts';
import type { TurnDraft } from '../engine/journal.ts';
import {
  type DeletionDraft,
  type EditDraft,
  type Edited,
  type MessageDraft,
  type Origin,
  quietNoticeIn,
  type Withdrawn,
} from '../engine/message.ts';
import type { MessageReceived } from '../telemetry.ts';
import { editedText } from '../tools/message-changes.ts';
import { taintSource } from '../tools/taint-sources.ts';
import type { CallResult } from '../transcript.ts';
import { withoutEnding } from '../words/answer-ending.ts';
import { deletionEvent, editEvent, outcomeEvent } from '../words/model-words.ts';
import { addAttachments, removeAttachments } from './attachments.ts';
import * as audit from './audit.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import { mayHint, mostPrograms } from './hints.ts';
import { expectRun, newestTurnId, newestTurns, type OpenCall, picturesColumn, saidParts } from './journal.ts';
import * as outbox from './outbox.ts';
import { nextNumber } from './row-numbers.ts';
import { columns, type Eventual, flag, insertInto, json, optional, type Sql } from './sql.ts';
import { leaveBehind } from './undelivered.ts';

/** People are told of a kind of message that cannot be read so often in a chat, in ms. */
const againAfter = 24 * 3_600_000;

/** The store of incoming events, except commands: see `commands.ts`. */
export function createInboxStore(
  database: Database,
): Pick<InboxStore, 'accept' | 'decline' | 'edit' | 'withdraw' | 'move'> {
  return {
    accept: (message, visible) =>
      database.writeIncoming(
        (sql) => accept(sql, message),
        'full',
        (accepted) => {
          if (accepted === 'accepted') visible?.();
        },
      ),
    decline: (origin, message, at, about) =>
      database.writeIncoming(async (sql) => {
        const { conversationId } = origin;
        if (!(await addObeyed(sql, origin, 'declined', '', at))) return false;
        await conversations.hear(sql, origin, at, false);
        if (about !== undefined && !(await mayHint(sql, `kind ${conversationId} ${about}`, at, againAfter)))
          return false;
        await outbox.add(sql, { conversationId, message }, at);
        return true;
      }),
    edit: (draft) => database.writeIncoming((sql) => edit(sql, draft)),
    withdraw: (deletion) => database.writeIncoming((sql) => withdrawMessage(sql, deletion)),
    move: ({ from, conversationId, chatId, notices, at }) =>
      database.writeIncoming(async (sql) => {
        // The platform says it for each thread, and when something is sent there.
        const isKnown = await conversations.hasMoved(sql, { ...from, chatId });
        if (!(await conversations.move(sql, conversationId, from, chatId))) return [];
        await leaveBehind(sql, conversationId);
        const detail = { to: chatId };
        await audit.add(sql, { at, kind: 'chat-moved', conversationId, actor: 'keyturn', detail });
        if (isKnown) return [conversationId];
        for (const one of notices) await outbox.add(sql, quietNoticeIn(one.conversationId, one.markdown), at);
        return [conversationId, ...notices.map((one) => one.conversationId)];
      }),
  };
}

async function accept(sql: Sql, message: MessageDraft): Promise<'accepted' | 'repeated' | 'unheard'> {
  const { origin, notice, at } = message;
  const { conversationId } = origin;
  if (!message.isPerson && (await programsInARow(sql, conversationId)) >= mostPrograms) return 'unheard';
  if (!(await addMessage(sql, message))) return 'repeated';
  tellReceived(sql, origin, 'message');
  await addAttachments(sql, origin.key, message.attachments ?? []);
  await conversations.hear(sql, origin, at, true);
  const others = origin.conversation.kind === 'group' ? await strangersIn(sql, message) : [];
  const { attachments: files = [], shared = [] } = message;
  // Files and shared content belong to people.
  const isPrivate = files.length > 0 || shared.length > 0;
  await conversations.addLabels(sql, conversationId, {
    sources: [...message.untrusted, ...others, ...(await forgotten(sql, conversationId, message))],
    isPrivate,
  });
  await expectRun(sql, conversationId, at);
  if (notice !== undefined) await outbox.add(sql, { conversationId, message: notice }, at);
  return 'accepted';
}

async function edit(sql: Sql, draft: EditDraft): Promise<Edited> {
  const { origin, messageKey, text: words, shared } = draft;
  const before = await changeable(sql, messageKey, origin.principal);
  if (before === undefined) return { type: 'ignored' };
  if (before.text === words && JSON.stringify(before.shared ?? []) === JSON.stringify(shared ?? []))
    return { type: 'ignored' };
  await conversations.addLabels(sql, before.conversationId, {
    sources: [...draft.untrusted, ...(await forgotten(sql, before.conversationId, draft))],
    isPrivate: shared !== undefined,
  });
  if (!before.isRead) {
    await renew(sql, messageKey, words, shared);
    return { type: 'replaced', seq: before.seq };
  }
  await addEdit(sql, draft, before.firstText, before.seenSeq);
  return { type: 'noted' };
}

async function withdrawMessage(sql: Sql, { messageKey, principal, at }: DeletionDraft): Promise<Withdrawn> {
  const before = await changeable(sql, messageKey, principal);
  if (before === undefined) return { type: 'ignored' };
  const { conversationId, name } = before;
  if (!before.isRead) {
    await sql.run(withdrawOne, messageKey);
    await removeAttachments(sql, messageKey);
    return { type: 'removed', conversationId, principal: before.principal };
  }
  const event = { key: `deletion:${messageKey}`, conversationId, principal: before.principal, name: '', at };
  await addEvent(sql, { ...event, text: deletionEvent(name, before.text), wantsAnswer: false });
  return { type: 'noted' };
}

/** The sources that taint a group: messages of people who are not trusted. */
async function strangersIn(
  sql: Sql,
  { origin: { conversationId }, isTrusted }: MessageDraft,
): Promise<readonly string[]> {
  const people = await sql.texts('SELECT principal FROM participants WHERE conversation_id = ?', conversationId);
  return people.length < 2 ? [] : people.filter((one) => !isTrusted(one)).map(messagesOf);
}

/** How many of the newest turns are searched for quoted words. */
const mostRemembered = 200;

/** Taints quoted words of the bot that it has not said in this conversation: their context is unknown. */
async function forgotten(
  sql: Sql,
  id: string,
  { quote, shared = [] }: Pick<MessageDraft, 'quote' | 'shared'>,
): Promise<readonly string[]> {
  const own = [...(quote === undefined ? [] : [quote]), ...shared].filter(({ isOwn }) => isOwn);
  if (own.length === 0) return [];
  const turns = await newestTurns(sql, id, (await conversations.find(sql, id))?.sinceTurn ?? 0, mostRemembered);
  const parts = turns.flatMap((turn) => (turn.type === 'turn' ? turn.parts : saidParts(turn.said)));
  const said = lettersOf(parts.map((part) => (part.type === 'text' ? part.text : (editedText(part) ?? ''))).join(''));
  return own.every((words) => said.includes(lettersOf(withoutEnding(words.text)))) ? [] : [taintSource('earlierWords')];
}

/** Ignores formatting, which differs between platforms. */
function lettersOf(words: string): string {
  return words.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** `sinceSeq`: where the conversation began. `seenSeq`: up to where the model has read it. */
export async function readUpTo(sql: Sql, conversationId: string) {
  const sinceSeq = (await conversations.find(sql, conversationId))?.sinceSeq ?? 0;
  const last = (await newestTurns(sql, conversationId, 0, 1)).at(-1);
  return { sinceSeq, last, seenSeq: Math.max(sinceSeq, last?.seenSeq ?? 0) };
}

/** The number of newest messages by programs since the last message of a person. */
async function programsInARow(sql: Sql, conversationId: string): Promise<number> {
  // Queried for programs only. The first condition on `kind` matches the index.
  const rows = await sql.all(
    `SELECT is_person FROM inbox WHERE conversation_id = ? AND kind IN ('message', 'event') AND kind = 'message' ORDER BY seq DESC LIMIT ?`,
    ...[conversationId, mostPrograms],
  );
  const lastPerson = rows.findIndex((row) => flag(row, 'is_person'));
  return lastPerson === -1 ? rows.length : lastPerson;
}

/** False if the key exists already: nothing is changed then. */
async function addMessage(
  sql: Sql,
  { origin, attachments: files = [], at, ...message }: MessageDraft,
): Promise<boolean> {
  const row = { ...origin, ...message, attachments: files.length };
  return await insert(sql, { ...row, kind: 'message', wantsAnswer: true, receivedAt: at });
}
const insert = insertInto(
  `inbox (key, conversation_id, kind, principal, name, text, wants_answer, sent_at, received_at, is_person, message_id, quote, shared, attachments, pictures)
  ON CONFLICT (key) DO NOTHING`,
  nextNumber.inbox,
);
/** What only messages have. */
const none = { isPerson: true, attachments: 0 } as const;

const toStoredMessage = columns({
  seq: 'integer',
  conversationId: 'text',
  principal: 'text',
  name: 'text',
  /** The original text. */
  firstText: 'text',
  text: 'text',
  shared: optional(json<readonly SharedText[]>()),
});

const byKey = `SELECT seq, conversation_id, principal, name, text AS first_text, coalesce(edited_text, text) AS text,
    coalesce(edited_shared, shared) AS shared FROM inbox WHERE key = ? AND kind = 'message'`;

/**
 * A message that can be edited or withdrawn, as its last edit left it; undefined if another person wrote it (`by` is
 * missing if the platform does not name them), or if it is from before the conversation began.
 */
async function changeable(sql: Sql, key: string, by: string | undefined) {
  const found = await sql.find(toStoredMessage, byKey, key);
  if (found === undefined || (by ?? found.principal) !== found.principal) return undefined;
  const { sinceSeq, seenSeq } = await readUpTo(sql, found.conversationId);
  return found.seq <= sinceSeq ? undefined : { ...found, seenSeq, isRead: found.seq <= seenSeq };
}

/** Replaces a message's text and moves it to the end, so that the answer in progress has not seen it. */
const renew = (sql: Sql, key: string, words: string, shared?: readonly SharedText[]): Eventual<number> =>
  sql.run(
    'UPDATE inbox SET seq = (SELECT max(seq) + 1 FROM inbox), text = ?, shared = ? WHERE key = ?',
    ...[words, shared, key],
  );

/**
 * Lets the model read, with its next request, that a message was edited after it was read. Further edits before that
 * update the same event.
 */
async function addEdit(sql: Sql, edit: EditDraft, firstText: string, seenSeq: number): Promise<void> {
  const { origin, messageKey, text: words, shared = [], at } = edit;
  const { conversationId, principal, name } = origin;
  const event = editEvent(name, firstText, { text: words, shared });
  const key = `edit:${seenSeq}:${messageKey}`;
  if (!(await addEvent(sql, { key, conversationId, principal, name: '', text: event, wantsAnswer: false, at })))
    await renew(sql, key, event);
  await sql.run('UPDATE inbox SET edited_text = ?, edited_shared = ? WHERE key = ?', words, shared, messageKey);
}

const withdraw = `UPDATE inbox SET kind = 'withdrawn', text = '', edited_text = NULL, quote = NULL, shared = NULL, edited_shared = NULL, attachments = 0, wants_answer = 0`;
/** Withdraws an unread message and erases its content. */
const withdrawOne = `${withdraw} WHERE key = ?`;
// The first condition on `kind` matches the index.
const withdrawAll = `${withdraw} WHERE conversation_id = ? AND kind IN ('message', 'event') AND seq > ? AND kind = 'message' AND principal = ? RETURNING key`;

/** Withdraws all messages of a person beyond a sequence. */
export async function withdrawOf(sql: Sql, principal: string, conversationId: string, beyond: number): Promise<void> {
  for (const key of await sql.texts(withdrawAll, conversationId, beyond, principal)) await removeAttachments(sql, key);
}

export const has = (sql: Sql, key: string): Eventual<boolean> => sql.has('SELECT 1 FROM inbox WHERE key = ?', key);

/** Records an obeyed command or press, or a declined message. False if it was recorded before. */
export const addObeyed = async (
  sql: Sql,
  origin: Origin,
  kind: 'command' | 'press' | 'declined',
  words: string,
  at: number,
): Promise<boolean> => {
  const isNew = await insert(sql, {
    ...origin,
    ...none,
    kind,
    text: words,
    wantsAnswer: false,
    sentAt: at,
    receivedAt: at,
  });
  if (isNew) tellReceived(sql, origin, toldKinds[kind]);
  return isNew;
};

const toldKinds = { command: 'command', press: 'action', declined: 'message' } as const;

function tellReceived(
  sql: Sql,
  { key: messageId, conversationId, conversation }: Pick<Origin, 'key' | 'conversationId' | 'conversation'>,
  kind: MessageReceived['kind'],
): void {
  sql.told.tell({ type: 'message_received', conversationId, channel: conversation.channel, messageId, kind });
}

export interface EventDraft {
  readonly key: string;
  readonly conversationId: string;
  /** The person whose run it belongs to. */
  readonly principal: string;
  readonly name: string;
  readonly text: string;
  readonly pictures?: CallResult['pictures'];
  /** Whether the model is asked because of it. */
  readonly wantsAnswer: boolean;
  readonly at: number;
}

/** Adds a message from Keyturn to the model. False if the key exists already. */
export async function addEvent(sql: Sql, { at, pictures, ...event }: EventDraft): Promise<boolean> {
  const times = { sentAt: at, receivedAt: at };
  const isNew = await insert(sql, { ...event, ...none, ...times, kind: 'event', pictures: picturesColumn(pictures) });
  const { key: messageId, conversationId } = event;
  const [channel = ''] = conversationId.split(':', 1);
  if (isNew) sql.told.tell({ type: 'message_received', conversationId, channel, messageId, kind: 'event' });
  return isNew;
}

/** Reports the result of a deferred call to the model. */
export async function addOutcome(
  sql: Sql,
  call: OpenCall,
  result: CallResult,
  wantsAnswer: boolean,
  at: number,
): Promise<void> {
  const { id, name, conversationId, principal } = call;
  const { pictures } = result;
  const event = { key: `outcome:${id}`, conversationId, principal, name: '', text: outcomeEvent(id, name, result) };
  await addEvent(sql, { ...event, pictures, wantsAnswer, at });
}

/** Whether the turn follows the newest one, and no message that the model was asked about has been edited or withdrawn since. */
export async function isAsAsked(sql: Sql, { conversationId: id, after, read, seenSeq }: TurnDraft): Promise<boolean> {
  if (read === undefined) return (await newestTurnId(sql, id)) === after;
  return await sql.has(asAsked, { id, after, seenSeq, ...read });
}
// The first condition on `kind` matches the index.
const asAsked = `SELECT 1 WHERE coalesce((SELECT max(id) FROM turns WHERE conversation_id = @id), 0) = @after
  AND (SELECT count(*) FROM inbox WHERE conversation_id = @id AND kind IN ('message', 'event') AND seq >= @from AND seq <= @seenSeq AND kind = 'message') = @count`;

export const newestSeq = (sql: Sql, conversationId: string): Eventual<number> =>
  sql.number(
    `SELECT coalesce(max(seq), 0) FROM inbox WHERE conversation_id = ? AND kind IN ('message', 'event')`,
    conversationId,
  );
