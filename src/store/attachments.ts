import type { AttachmentOutcome, AttachmentStore, WaitingAttachment } from '../conversation/attachments/attachments.ts';
import type { AttachmentDraft } from '../engine/message.ts';
import type { Attachment, AttachmentState } from '../transcript.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import { labelFile } from './file-labels.ts';
import * as outbox from './outbox.ts';
import {
  columns,
  type Eventual,
  flag,
  insertInto,
  integer,
  oneOf,
  optionalInteger,
  optionalText,
  type Row,
  type Sql,
  text,
} from './sql.ts';

/** The attachments of messages, and their outcomes. */
export function createAttachmentStore(database: Database): AttachmentStore {
  const { sql } = database;
  return {
    waiting: async (seqs) => sql.list(toWaiting, waiting, seqs),
    /** Relaxed: after a power failure, the file is fetched again. The first outcome wins. */
    settle: (outcomes, messages, at) =>
      database.write(async (sql) => {
        for (const { messageKey, position, size, state: outcome, disguise } of outcomes) {
          const { path, transcript, note } = { path: undefined, transcript: undefined, ...outcome };
          await sql.run(
            `UPDATE attachments SET state = ?, path = ?, transcript = ?, note = ?, size = coalesce(?, size)
             WHERE inbox_key = ? AND position = ? AND state = 'pending'`,
            ...[outcome.state, path, transcript, note, size, messageKey, position],
          );
          if (disguise !== undefined) await taintPlaceOf(sql, messageKey, disguise);
        }
        await outbox.addAll(sql, messages, at);
      }, 'relaxed'),
  };
}

/** Adds the files of a message, in their order. */
export async function addAttachments(
  sql: Sql,
  messageKey: string,
  attachments: readonly AttachmentDraft[],
): Promise<void> {
  for (const [position, draft] of attachments.entries()) {
    const { isShared = false, missing: note } = draft;
    const state = note === undefined ? 'pending' : 'missing';
    await insertAttachment(sql, { ...draft, isShared, inboxKey: messageKey, position, state, note });
  }
}
const insertAttachment = insertInto(
  `attachments (inbox_key, position, kind, handle, name, media_type, size, state, note, is_shared)`,
);

/** The attachments of messages in a range of sequences (inclusive), by sequence. */
export async function attachmentsBetween(sql: Sql, conversationId: string, from: number, to: number) {
  const rows = await sql.all(
    `SELECT inbox.seq AS seq, attachments.* FROM inbox JOIN attachments ON attachments.inbox_key = inbox.key
     WHERE inbox.conversation_id = ? AND inbox.seq BETWEEN ? AND ? AND inbox.kind IN ('message', 'event')
     ORDER BY inbox.seq, attachments.position`,
    ...[conversationId, from, to],
  );
  const ofMessages = Map.groupBy(rows, (row) => integer(row, 'seq'));
  return new Map([...ofMessages].map(([seq, found]) => [seq, found.map(toAttachment)] as const));
}

/** Deletes a message's rows. Saved files stay in the workspace. */
export const removeAttachments = (sql: Sql, messageKey: string): Eventual<number> =>
  sql.run('DELETE FROM attachments WHERE inbox_key = ?', messageKey);

/** Before a model reads the message. The file stays untrusted where it is read later. */
async function taintPlaceOf(
  sql: Sql,
  messageKey: string,
  { source, workspace, label }: NonNullable<AttachmentOutcome['disguise']>,
): Promise<void> {
  for (const conversationId of await sql.texts('SELECT conversation_id FROM inbox WHERE key = ?', messageKey)) {
    await conversations.addLabels(sql, conversationId, { sources: [source], isPrivate: true });
    await labelFile(sql, { ...label, workspace, conversationId });
  }
}

const factsOf = columns({
  kind: oneOf('image', 'voice', 'audio', 'video', 'file'),
  name: 'text?',
  mediaType: 'text?',
  size: 'integer?',
  isShared: (row, column) => flag(row, column) || undefined,
});

function toAttachment(row: Row): Attachment {
  return { ...factsOf(row), ...stateOf(row) };
}

const savedOf = columns({ path: 'text', transcript: 'text?', note: 'text?' });
const attachmentStateIn = oneOf('pending', 'saved', 'missing');

function stateOf(row: Row): AttachmentState {
  const state = attachmentStateIn(row, 'state');
  switch (state) {
    case 'pending':
      return { state };
    case 'saved':
      return { state, ...savedOf(row) };
    case 'missing':
      return { state, note: text(row, 'note') };
  }
}

/** `quoted`: how many of the message's files belong to the message that it quotes: the last ones. */
const waiting = `WITH message AS (SELECT *, coalesce(quote ->> 'files', 0) AS quoted FROM inbox
    WHERE seq IN (SELECT value FROM json_each(?)))
  SELECT message.seq AS seq, message.text AS text, message.attachments AS count, message.quoted AS quoted,
    message.message_id AS message_id, attachments.*, kept.path AS kept_path, kept.size AS kept_size,
    kept.transcript AS kept_transcript
  FROM message JOIN attachments ON attachments.inbox_key = message.key
  LEFT JOIN attachments AS kept ON kept.state = 'saved' AND kept.inbox_key = message.quote ->> 'messageKey'
    AND kept.position = attachments.position - (message.attachments - message.quoted) AND kept.kind = attachments.kind
    AND (kept.name IS NULL OR kept.name = attachments.name)
  WHERE attachments.state = 'pending' ORDER BY message.seq, attachments.position`;

const toWaiting: (row: Row) => WaitingAttachment = columns({
  messageKey: (row) => text(row, 'inbox_key'),
  seq: 'integer',
  position: 'integer',
  attachment: (row) => ({ handle: text(row, 'handle'), ...factsOf(row) }),
  isAlone: (row) => isAlone(row, integer(row, 'count'), integer(row, 'quoted')),
  messageId: 'text?',
  kept: (row) => {
    const path = optionalText(row, 'kept_path');
    const [size, transcript] = [optionalInteger(row, 'kept_size'), optionalText(row, 'kept_transcript')];
    return path === undefined ? undefined : { path, size, transcript };
  },
});

function isAlone(row: Row, count: number, quoted: number): boolean {
  const isQuoted = integer(row, 'position') >= count - quoted;
  return isQuoted ? quoted === 1 : count - quoted === 1 && text(row, 'text').trim() === '';
}
