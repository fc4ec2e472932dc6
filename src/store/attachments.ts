import type { AttachmentStore, WaitingAttachment } from '../conversation/attachments/attachments.ts';
import type { AttachmentDraft } from '../engine/message.ts';
import type { Attachment, AttachmentState } from '../transcript.ts';
import type { Database } from './database.ts';
import * as outbox from './outbox.ts';
import { columns, flag, insertInto, integer, oneOf, optionalText, type Row, type Sql, text } from './sql.ts';

export function add(sql: Sql, messageKey: string, attachments: readonly AttachmentDraft[]): void {
  for (const [position, draft] of attachments.entries()) {
    const state = draft.missing === undefined ? 'pending' : 'missing';
    insert(sql, {
      ...draft,
      isShared: draft.isShared === true,
      inboxKey: messageKey,
      position,
      state,
      note: draft.missing,
    });
  }
}
const insert = insertInto(
  `attachments (inbox_key, position, kind, handle, name, media_type, size, state, note, is_shared)`,
);

/** The attachments of messages in a range of sequences (inclusive), by sequence. */
export function between(sql: Sql, conversationId: string, from: number, to: number) {
  const rows = sql.all(
    `SELECT inbox.seq AS seq, attachments.* FROM inbox JOIN attachments ON attachments.inbox_key = inbox.key
     WHERE inbox.conversation_id = ? AND inbox.seq BETWEEN ? AND ? AND inbox.kind IN ('message', 'event')
     ORDER BY inbox.seq, attachments.position`,
    ...[conversationId, from, to],
  );
  const ofMessages = Map.groupBy(rows, (row) => integer(row, 'seq'));
  return new Map([...ofMessages].map(([seq, found]) => [seq, found.map(toAttachment)] as const));
}

/** Deletes a message's rows. Saved files stay in the workspace. */
export const remove = (sql: Sql, messageKey: string): number =>
  sql.run('DELETE FROM attachments WHERE inbox_key = ?', messageKey);

/** The attachments of messages, and their outcomes. */
export function createAttachmentStore(database: Database): AttachmentStore {
  const { sql } = database;
  return {
    waiting: async (seqs) =>
      seqs.flatMap((seq) =>
        sql
          .all(
            `SELECT inbox.seq AS seq, inbox.text AS text, inbox.attachments AS count, inbox.message_id AS message_id, attachments.*
             FROM inbox JOIN attachments ON attachments.inbox_key = inbox.key
             WHERE inbox.seq = ? AND attachments.state = 'pending' ORDER BY attachments.position`,
            seq,
          )
          .map(toWaiting),
      ),
    /** Relaxed: after a power failure, the file is fetched again. The first outcome wins. */
    settle: (outcomes, messages, at) =>
      database.write(() => {
        for (const { messageKey, position, size, state: outcome } of outcomes) {
          const { path, transcript, note } = { path: undefined, transcript: undefined, ...outcome };
          sql.run(
            `UPDATE attachments SET state = ?, path = ?, transcript = ?, note = ?, size = coalesce(?, size)
             WHERE inbox_key = ? AND position = ? AND state = 'pending'`,
            ...[outcome.state, path, transcript, note, size, messageKey, position],
          );
        }
        outbox.addAll(sql, messages, at);
      }, 'relaxed'),
  };
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

const stateIn = oneOf('pending', 'saved', 'missing');

function stateOf(row: Row): AttachmentState {
  const state = stateIn(row, 'state');
  switch (state) {
    case 'pending':
      return { state };
    case 'saved':
      return {
        state,
        path: text(row, 'path'),
        transcript: optionalText(row, 'transcript'),
        note: optionalText(row, 'note'),
      };
    case 'missing':
      return { state, note: text(row, 'note') };
  }
}

function toWaiting(row: Row): WaitingAttachment {
  return {
    messageKey: text(row, 'inbox_key'),
    seq: integer(row, 'seq'),
    position: integer(row, 'position'),
    attachment: { handle: text(row, 'handle'), ...factsOf(row) },
    isAlone: integer(row, 'count') === 1 && text(row, 'text').trim() === '',
    messageId: optionalText(row, 'message_id'),
  };
}
