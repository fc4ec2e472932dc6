import { deletionEvent, editEvent, outcomeEvent } from '../../agent/daemon-event.ts';
import type { Origin } from '../../approval/approval.ts';
import type { EditDraft, MessageDraft } from '../../conversation/inbox.ts';
import type { CallResult } from '../../transcript.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';
import type { OpenCall } from './calls.ts';
import { picturesColumn } from './picture-column.ts';
import { type ReadRow, toReadRow } from './read-row.ts';

/** Everything that came in, by its key. Its methods belong inside a write. */
export class InboxTable {
  readonly #insert: Statement;
  readonly #insertMessage: Statement;
  readonly #insertOutcome: Statement;
  readonly #has: Statement;
  readonly #newestRead: Statement;
  readonly #oldestUnread: Statement;
  readonly #oldestUnanswered: Statement;
  readonly #newest: Statement;
  readonly #find: Statement;
  readonly #renew: Statement;
  readonly #noteEdit: Statement;
  readonly #withdraw: Statement;
  readonly #withdrawOf: Statement;
  readonly #lastSpeakers: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO inbox (key, conversation_id, kind, principal, name, text, wants_answer, sent_at, received_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
    );
    this.#insertMessage = database.prepare(
      `INSERT INTO inbox (key, conversation_id, kind, principal, name, text, wants_answer, sent_at, received_at, is_person, message_id, quote, attachments)
       VALUES (?, ?, 'message', ?, ?, ?, 1, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
    );
    this.#insertOutcome = database.prepare(
      `INSERT INTO inbox (key, conversation_id, kind, principal, name, text, wants_answer, sent_at, received_at, pictures)
       VALUES (?, ?, 'event', ?, '', ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
    );
    this.#find = database.prepare(
      'SELECT seq, conversation_id, kind, principal, text AS first_text, coalesce(edited_text, text) AS text FROM inbox WHERE key = ?',
    );
    // As if it had come in just now: an answer that is being written has not seen it.
    this.#renew = database.prepare('UPDATE inbox SET seq = (SELECT max(seq) + 1 FROM inbox), text = ? WHERE key = ?');
    const withdraw = `UPDATE inbox SET kind = 'withdrawn', text = '', edited_text = NULL, quote = NULL, attachments = 0, wants_answer = 0`;
    this.#withdraw = database.prepare(`${withdraw} WHERE key = ?`);
    // The first conditions name the index.
    this.#withdrawOf = database.prepare(
      `${withdraw} WHERE conversation_id = ? AND kind IN ('message', 'event') AND seq > ? AND kind = 'message' AND principal = ? RETURNING key`,
    );
    this.#noteEdit = database.prepare('UPDATE inbox SET edited_text = ? WHERE key = ?');
    // Read only where a program speaks. The first condition names the index.
    this.#lastSpeakers = database.prepare(
      `SELECT is_person FROM inbox WHERE conversation_id = ? AND kind IN ('message', 'event') AND kind = 'message' ORDER BY seq DESC LIMIT ?`,
    );
    this.#has = database.prepare('SELECT 1 FROM inbox WHERE key = ?');
    const toRead = `SELECT seq, key, kind, principal, name, text, wants_answer, message_id, quote, attachments, pictures FROM inbox WHERE conversation_id = ? AND kind IN ('message', 'event')`;
    this.#newestRead = database.prepare(`${toRead} AND seq > ? AND seq <= ? ORDER BY seq DESC LIMIT ?`);
    this.#oldestUnread = database.prepare(`${toRead} AND seq > ? ORDER BY seq LIMIT ?`);
    this.#oldestUnanswered = database.prepare(`${toRead} AND seq > ? AND wants_answer = 1 ORDER BY seq LIMIT ?`);
    this.#newest = database.prepare(
      `SELECT coalesce(max(seq), 0) AS seq FROM inbox WHERE conversation_id = ? AND kind IN ('message', 'event')`,
    );
  }

  /** Whether the event was seen before. */
  has(key: string): boolean {
    return this.#has.get(key) !== undefined;
  }

  /** How many of the newest messages there are by programs, with no person's message behind them: ten at most. */
  programsInARow(conversationId: string): number {
    const speakers = this.#lastSpeakers.all(conversationId, 10).map((found) => new Row(found).flag('is_person'));
    const lastPerson = speakers.indexOf(true);
    return lastPerson === -1 ? speakers.length : lastPerson;
  }

  /** False if the key was there before: then nothing has changed. */
  addMessage({ origin, text, isPerson, messageId, quote, attachments = [], sentAt, at }: MessageDraft): boolean {
    const { key, conversationId, principal, name } = origin;
    const more = [isPerson ? 1 : 0, messageId ?? null, quote === undefined ? null : JSON.stringify(quote)];
    const { changes } = this.#insertMessage.run(
      key,
      conversationId,
      principal,
      name,
      text,
      sentAt,
      at,
      ...more,
      attachments.length,
    );
    return changes === 1;
  }

  /** A message, by its key, as it stands now. */
  find(key: string): StoredMessage | undefined {
    const found = this.#find.get(key);
    const row = found === undefined ? undefined : new Row(found);
    if (row?.text('kind') !== 'message') return undefined;
    return {
      seq: row.integer('seq'),
      conversationId: row.text('conversation_id'),
      principal: row.text('principal'),
      firstText: row.text('first_text'),
      text: row.text('text'),
    };
  }

  /** Gives a message another text, and makes it the newest of all. */
  renew(key: string, text: string): void {
    this.#renew.run(text, key);
  }

  /**
   * Lets the model read, when it is asked next, that a message was changed after it had read it. However often it is
   * changed until then, that is one event.
   */
  addEdit({ origin, messageKey, text, at }: EditDraft, { firstText }: StoredMessage, seenSeq: number): void {
    const { conversationId, principal, name } = origin;
    const words = editEvent(name, firstText, text);
    const key = `edit:${seenSeq}:${messageKey}`;
    const { changes } = this.#insert.run(key, conversationId, 'event', principal, '', words, 0, at, at);
    if (changes === 0) this.#renew.run(words, key);
    this.#noteEdit.run(text, messageKey);
  }

  /** Takes back a message that the model has not read: nothing of what it said is kept. */
  withdraw(key: string): void {
    this.#withdraw.run(key);
  }

  /** The same with all messages of somebody beyond a sequence. Returns their keys. */
  withdrawOf(principal: string, conversationId: string, beyond: number): readonly string[] {
    return this.#withdrawOf.all(conversationId, beyond, principal).map((values) => new Row(values).text('key'));
  }

  /** Lets the model read, when it is asked next, that a message was taken back after it had read it. */
  addDeletion(
    { conversationId, principal, name }: Origin,
    messageKey: string,
    { text }: StoredMessage,
    at: number,
  ): void {
    const words = deletionEvent(name, text);
    this.#insert.run(`deletion:${messageKey}`, conversationId, 'event', principal, '', words, 0, at, at);
  }

  /** Remembers that a command or a press was obeyed, or a message declined. False if it was before. */
  addObeyed(
    { key, conversationId, principal, name }: Origin,
    kind: 'command' | 'press' | 'declined',
    text: string,
    at: number,
  ): boolean {
    return this.#insert.run(key, conversationId, kind, principal, name, text, 0, at, at).changes === 1;
  }

  /** Lets the model read what became of a call that the run did not wait for. */
  addOutcome(call: OpenCall, result: CallResult, wantsAnswer: boolean, at: number): void {
    const { id, name, conversationId, principal } = call;
    const text = outcomeEvent(id, name, result);
    const pictures = picturesColumn(result.pictures);
    this.#insertOutcome.run(`outcome:${id}`, conversationId, principal, text, wantsAnswer ? 1 : 0, at, at, pictures);
  }

  /** Lets the model read something that Keyturn itself has to say. False if the key was there before. */
  addEvent({ key, conversationId, principal, name, text, wantsAnswer, at }: EventDraft): boolean {
    const { changes } = this.#insert.run(
      key,
      conversationId,
      'event',
      principal,
      name,
      text,
      wantsAnswer ? 1 : 0,
      at,
      at,
    );
    return changes === 1;
  }

  /** What the model has read, beyond one sequence and up to another: the newest of it, the oldest of that first. */
  newestRead(conversationId: string, beyond: number, upTo: number, limit: number): readonly ReadRow[] {
    const found = this.#newestRead.all(conversationId, beyond, upTo, limit).reverse();
    return found.map((values) => toReadRow(new Row(values)));
  }

  /**
   * What the model has not read, beyond a sequence: the oldest of it. However many changes and outcomes there are that
   * want no answer, they do not stand before what does: then some of them are left out.
   */
  oldestUnread(conversationId: string, beyond: number, limit: number): readonly ReadRow[] {
    const rows = this.#oldestUnread.all(conversationId, beyond, limit).map((values) => new Row(values));
    const last = rows.at(-1);
    const isFull = rows.length === limit && last !== undefined && !rows.some((row) => row.flag('wants_answer'));
    const more = isFull ? this.#oldestUnanswered.all(conversationId, last.integer('seq'), limit) : [];
    return [...rows, ...more.map((values) => new Row(values))].map(toReadRow);
  }

  newestSeq(conversationId: string): number {
    return new Row(this.#newest.get(conversationId)).integer('seq');
  }
}

/** What Keyturn itself has to say to the model. */
interface EventDraft {
  readonly key: string;
  readonly conversationId: string;
  /** Whose run it belongs to. */
  readonly principal: string;
  readonly name: string;
  readonly text: string;
  /** Whether the model is to be asked because of it. */
  readonly wantsAnswer: boolean;
  readonly at: number;
}

/** What is looked at of a message that is to be changed. */
export interface StoredMessage {
  readonly seq: number;
  readonly conversationId: string;
  readonly principal: string;
  /** As it was when it came in. */
  readonly firstText: string;
  readonly text: string;
}
