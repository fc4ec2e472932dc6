import type { StoredMessage } from '../approval/approval.ts';
import type { Button, MessageRef } from '../contract.ts';
import type { FileKey } from '../conversation/message-files.ts';
import type { OutboxRow, OutboxStore, Recovered, Refusals, SentPart, StreamKind } from '../conversation/outbox.ts';
import type { MessageFate } from '../tools/builtin/messages/courier.ts';
import type { KeptFile } from '../tools/kept-file.ts';
import type { Database, Statement } from './database.ts';
import { Row } from './row.ts';
import { toConversation } from './tables/conversations.ts';
import type { Tables } from './tables/tables.ts';

const kinds = ['reply', 'for_user', 'card', 'notice', 'status'] as const;

/** What is to be delivered, in SQLite. What the platform shows is noted in relaxed commits: losing that repeats a message. */
export class SqliteOutboxStore implements OutboxStore {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #next: Statement;
  readonly #partSent: Statement;
  readonly #filesRefused: Statement;
  readonly #delivered: Statement;
  readonly #failed: Statement;
  readonly #abandon: Statement;
  readonly #previewed: Statement;
  readonly #interrupt: Statement;
  readonly #interruptCards: Statement;
  readonly #abandonUnseen: Statement;
  readonly #left: Statement;
  readonly #lanes: Statement;
  readonly #lanesOf: Statement;
  readonly #isQueued: Statement;
  readonly #showAgain: Statement;
  readonly #refused: Statement;
  readonly #sending: Statement;
  readonly #notSent: Statement;
  readonly #fate: Statement;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
    this.#next = database.prepare(
      `SELECT outbox.id, outbox.conversation_id, outbox.kind AS message_kind, markdown, buttons, files, reply_to, private_to, approval_id, revision,
         delivered_revision, refs, previews, late_note, refused_files, at_most_once, created_at, channel, tenant, chat_id, thread_id, conversations.kind AS kind, title
       FROM outbox JOIN conversations ON conversations.id = outbox.conversation_id
       WHERE lane = ? AND state = 'queued' ORDER BY outbox.seq LIMIT 1`,
    );
    this.#partSent = database.prepare(
      `UPDATE outbox SET refs = json_set(refs, ?, json(?)), late_note = coalesce(?, late_note), ${unsent} WHERE id = ?`,
    );
    this.#filesRefused = database.prepare(`UPDATE outbox SET refused_files = ?, refs = ?, ${unsent} WHERE id = ?`);
    this.#delivered = database.prepare(
      `UPDATE outbox SET refs = @refs, previews = NULL, delivered_revision = @revision, delivered_at = @at, state = iif(revision = @revision, 'delivered', state) WHERE id = @id`,
    );
    this.#refused = database.prepare(
      `SELECT count(*) AS count, max(created_at) AS created_at, conversation_id, failure FROM outbox WHERE state = 'failed' AND created_at > ?`,
    );
    this.#failed = database.prepare(`UPDATE outbox SET state = 'failed', failure = ? WHERE id = ? AND revision = ?`);
    this.#sending = database.prepare(`UPDATE outbox SET at_most_once = 'sending' WHERE id = ?`);
    this.#notSent = database.prepare(`UPDATE outbox SET ${unsent} WHERE id = ?`);
    this.#fate = database.prepare('SELECT state, at_most_once, failure FROM outbox WHERE id = ?');
    this.#abandon = database.prepare(`UPDATE outbox SET state = 'abandoned' WHERE id = ? AND state = 'streaming'`);
    this.#previewed = database.prepare(
      `UPDATE outbox SET previews = ?, markdown = iif(state = 'streaming', ?, markdown)
       WHERE id = ? AND state IN ('streaming', 'queued')`,
    );
    this.#interrupt = database.prepare(`${interrupt} AND id = ?`);
    this.#interruptCards = database.prepare(`${interrupt} AND kind = 'status'`);
    this.#abandonUnseen = database.prepare(
      `UPDATE outbox SET state = 'abandoned' WHERE state = 'streaming' AND previews IS NULL`,
    );
    this.#left = database.prepare(
      `SELECT id, conversation_id, previews FROM outbox WHERE state = 'streaming' ORDER BY seq`,
    );
    this.#lanes = database.prepare(`SELECT DISTINCT conversation_id FROM outbox WHERE state = 'queued'`);
    this.#lanesOf = database.prepare(
      `SELECT DISTINCT conversation_id FROM outbox WHERE state = 'queued'
         AND conversation_id IN (SELECT id FROM conversations WHERE channel = ?)`,
    );
    this.#isQueued = database.prepare(`SELECT 1 FROM outbox WHERE id = ? AND state = 'queued'`);
    this.#showAgain = database.prepare(
      `UPDATE outbox SET state = 'queued', delivered_revision = 0, refs = '[]'
       WHERE state = 'delivered' AND buttons IS NOT NULL AND approval_id IN (SELECT id FROM approvals WHERE state = 'pending')
         AND conversation_id IN (SELECT id FROM conversations WHERE channel = ?) RETURNING conversation_id`,
    );
  }

  async next(lane: string): Promise<OutboxRow | undefined> {
    const found = this.#next.get(lane);
    return found === undefined ? undefined : toOutboxRow(new Row(found));
  }

  partSent(messageId: string, { index, ref, lateNote }: SentPart): Promise<void> {
    return this.#change(this.#partSent, `$[${index}]`, JSON.stringify(ref), lateNote ?? null, messageId);
  }

  filesRefused(messageId: string, refused: readonly FileKey[], refs: readonly MessageRef[]): Promise<void> {
    return this.#change(this.#filesRefused, JSON.stringify(refused), JSON.stringify(refs), messageId);
  }

  delivered(messageId: string, revision: number, refs: readonly MessageRef[], at: number): Promise<void> {
    return this.#change(this.#delivered, { refs: JSON.stringify(refs), revision, at, id: messageId });
  }

  failed(messageId: string, revision: number, reason: string): Promise<void> {
    return this.#change(this.#failed, reason, messageId, revision);
  }

  async refusedSince(at: number): Promise<Refusals | undefined> {
    const row = new Row(this.#refused.get(at));
    const count = row.integer('count');
    if (count === 0) return undefined;
    const newest = {
      at: row.integer('created_at'),
      conversationId: row.text('conversation_id'),
      reason: row.optionalText('failure') ?? '',
    };
    return { count, newest };
  }

  openStream(conversationId: string, messageId: string, kind: StreamKind, at: number): Promise<void> {
    return this.#database.write(() => this.#tables.outbox.openStream(conversationId, messageId, kind, at), 'relaxed');
  }

  previewed(messageId: string, refs: readonly MessageRef[], markdown = ''): Promise<void> {
    return this.#change(this.#previewed, JSON.stringify(refs), markdown, messageId);
  }

  abandonStream(messageId: string): Promise<void> {
    return this.#change(this.#abandon, messageId);
  }

  say(conversationId: string, message: StoredMessage, at: number): Promise<void> {
    return this.#database.write(() => this.#tables.outbox.add({ conversationId, message }, at));
  }

  sayOnce(conversationId: string, message: StoredMessage, at: number): Promise<void> {
    return this.#database.write(() => this.#tables.outbox.add({ conversationId, message }, at, { isAtMostOnce: true }));
  }

  sending(messageId: string): Promise<void> {
    return this.#database.write(() => {
      this.#sending.run(messageId);
    });
  }

  notSent(messageId: string): Promise<void> {
    return this.#change(this.#notSent, messageId);
  }

  async fateOf(messageId: string): Promise<MessageFate> {
    const row = new Row(this.#fate.get(messageId));
    if (row.text('state') === 'delivered') return { type: 'delivered' };
    if (row.text('state') !== 'failed') return { type: 'waiting' };
    if (row.optionalText('at_most_once') === 'sending') return { type: 'unknown' };
    return { type: 'refused', reason: row.optionalText('failure') ?? '' };
  }

  interruptStream(messageId: string, at: number): Promise<void> {
    return this.#change(this.#interrupt, at, messageId);
  }

  recover(at: number): Promise<Recovered> {
    return this.#database.write(() => {
      this.#abandonUnseen.run();
      this.#interruptCards.run(at);
      return {
        undelivered: this.#lanes.all().map((found) => new Row(found).text('conversation_id')),
        previews: this.#left.all().map((found) => {
          const row = new Row(found);
          const [messageId, conversationId] = [row.text('id'), row.text('conversation_id')];
          return { messageId, conversationId, refs: row.json<readonly MessageRef[]>('previews') };
        }),
      };
    }, 'relaxed');
  }

  async isQueued(messageId: string): Promise<boolean> {
    return this.#isQueued.get(messageId) !== undefined;
  }

  async undelivered(channel: string): Promise<readonly string[]> {
    return this.#lanesOf.all(channel).map((found) => new Row(found).text('conversation_id'));
  }

  showCardsAgain(channel: string): Promise<readonly string[]> {
    return this.#database.write(
      () => this.#showAgain.all(channel).map((found) => new Row(found).text('conversation_id')),
      'relaxed',
    );
  }

  #change(statement: Statement, ...parameters: readonly unknown[]): Promise<void> {
    return this.#database.write(() => {
      statement.run(...parameters);
    }, 'relaxed');
  }
}

/** What is known to be sent, or not to be, is being sent no more. */
const unsent = `at_most_once = iif(at_most_once IS NULL, NULL, 'unsent')`;

/** Adds to what it showed that no more will come, and has that delivered. */
const interrupt = `UPDATE outbox SET state = 'queued', created_at = ?,
  markdown = ltrim(markdown || char(10) || char(10) || '*(interrupted)*', char(10)) WHERE state = 'streaming'`;

function toOutboxRow(row: Row): OutboxRow {
  const kind = row.word('message_kind', kinds);
  const approvalId = row.optionalText('approval_id');
  const lateNote = row.optionalText('late_note');
  const replyTo = row.optionalText('reply_to');
  const privateTo = row.optionalText('private_to');
  const buttons =
    row.optionalText('buttons') === undefined ? undefined : row.json<readonly (readonly Button[])[]>('buttons');
  const files = row.optionalText('files') === undefined ? undefined : row.json<readonly KeptFile[]>('files');
  return {
    message: {
      id: row.text('id'),
      kind,
      markdown: row.text('markdown'),
      ...(buttons === undefined ? {} : { buttons }),
      ...(files === undefined ? {} : { files }),
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(privateTo === undefined ? {} : { privateTo }),
    },
    conversationId: row.text('conversation_id'),
    conversation: toConversation(row),
    kind,
    revision: row.integer('revision'),
    deliveredRevision: row.integer('delivered_revision'),
    refs: row.json('refs'),
    previews: row.optionalText('previews') === undefined ? [] : row.json('previews'),
    createdAt: row.integer('created_at'),
    ...(lateNote === undefined ? {} : { lateNote }),
    refusedFiles: row.json('refused_files'),
    ...(buttons === undefined || approvalId === undefined ? {} : { approvalId }),
    ...(row.optionalText('at_most_once') === undefined
      ? {}
      : { atMostOnce: row.word('at_most_once', ['unsent', 'sending']) }),
  };
}
