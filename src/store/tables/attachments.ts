import type { InboundAttachment } from '../../contract.ts';
import type { AttachmentOutcome, WaitingAttachment } from '../../conversation/attachments/attachment-store.ts';
import type { AttachmentDraft } from '../../conversation/inbox.ts';
import type { Attachment, AttachmentState } from '../../transcript.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';

/** What people sent beside text. Its methods that write belong inside a write. */
export class AttachmentsTable {
  readonly #insert: Statement;
  readonly #ofMessages: Statement;
  readonly #pending: Statement;
  readonly #settle: Statement;
  readonly #remove: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO attachments (inbox_key, position, kind, handle, name, media_type, size, state, note)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#ofMessages = database.prepare(
      `SELECT inbox.seq AS seq, attachments.* FROM inbox JOIN attachments ON attachments.inbox_key = inbox.key
       WHERE inbox.conversation_id = ? AND inbox.seq BETWEEN ? AND ? AND inbox.kind IN ('message', 'event')
       ORDER BY inbox.seq, attachments.position`,
    );
    this.#pending = database.prepare(
      `SELECT inbox.seq AS seq, inbox.text AS text, inbox.attachments AS count, inbox.message_id AS message_id, attachments.*
       FROM inbox JOIN attachments ON attachments.inbox_key = inbox.key
       WHERE inbox.seq = ? AND attachments.state = 'pending' ORDER BY attachments.position`,
    );
    this.#settle = database.prepare(
      `UPDATE attachments SET state = ?, path = ?, transcript = ?, note = ?, size = coalesce(?, size)
       WHERE inbox_key = ? AND position = ? AND state = 'pending'`,
    );
    this.#remove = database.prepare('DELETE FROM attachments WHERE inbox_key = ?');
  }

  add(messageKey: string, attachments: readonly AttachmentDraft[]): void {
    for (const [position, { kind, handle, name, mediaType, size, missing }] of attachments.entries()) {
      const facts = [kind, handle, name ?? null, mediaType ?? null, size ?? null];
      const state = missing === undefined ? 'pending' : 'missing';
      this.#insert.run(messageKey, position, ...facts, state, missing ?? null);
    }
  }

  /** Those of a conversation's messages between two sequences, both included, by the sequence of their message. */
  between(conversationId: string, from: number, to: number): ReadonlyMap<number, readonly Attachment[]> {
    const rows = this.#ofMessages.all(conversationId, from, to).map((found) => new Row(found));
    const ofMessages = [...Map.groupBy(rows, (row) => row.integer('seq'))];
    return new Map(ofMessages.map(([seq, found]) => [seq, found.map(toAttachment)] as const));
  }

  /** Those of a message that were not fetched yet. */
  pending(seq: number): readonly WaitingAttachment[] {
    return this.#pending.all(seq).map((found) => toWaiting(new Row(found)));
  }

  /** Forgets those of a message. What was saved of them stays in the workspace. */
  remove(messageKey: string): void {
    this.#remove.run(messageKey);
  }

  /** One that has an outcome keeps it. */
  settle({ messageKey, position, size, state }: AttachmentOutcome): void {
    this.#settle.run(...columnsOf(state), size ?? null, messageKey, position);
  }
}

/** State, path, transcript and note. */
function columnsOf(outcome: AttachmentOutcome['state']): readonly (string | null)[] {
  switch (outcome.state) {
    case 'saved':
      return ['saved', outcome.path, outcome.transcript ?? null, outcome.note ?? null];
    case 'missing':
      return ['missing', null, null, outcome.note];
  }
}

function toAttachment(row: Row): Attachment {
  return { ...factsOf(row), ...stateOf(row) };
}

function stateOf(row: Row): AttachmentState {
  const [transcript, note] = [row.optionalText('transcript'), row.optionalText('note')];
  switch (row.word('state', ['pending', 'saved', 'missing'])) {
    case 'pending':
      return { state: 'pending' };
    case 'saved':
      return {
        state: 'saved',
        path: row.text('path'),
        ...(transcript === undefined ? {} : { transcript }),
        ...(note === undefined ? {} : { note }),
      };
    case 'missing':
      return { state: 'missing', note: row.text('note') };
  }
}

function toWaiting(row: Row): WaitingAttachment {
  const messageId = row.optionalText('message_id');
  return {
    messageKey: row.text('inbox_key'),
    seq: row.integer('seq'),
    position: row.integer('position'),
    attachment: { handle: row.text('handle'), ...factsOf(row) },
    isAlone: row.integer('count') === 1 && row.text('text').trim() === '',
    ...(messageId === undefined ? {} : { messageId }),
  };
}

function factsOf(row: Row): Omit<InboundAttachment, 'handle'> {
  const [name, mediaType, size] = [
    row.optionalText('name'),
    row.optionalText('media_type'),
    row.optionalInteger('size'),
  ];
  return {
    kind: row.word('kind', ['image', 'voice', 'audio', 'video', 'file']),
    ...(name === undefined ? {} : { name }),
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(size === undefined ? {} : { size }),
  };
}
