import type { Button, MessageRef, OutboundMessage } from '../contract.ts';
import type { OutboxRow, OutboxStore } from '../conversation/outbox.ts';
import type { Database, Statement } from './database.ts';
import { Row } from './row.ts';
import { toConversation } from './tables/conversations.ts';
import type { Tables } from './tables/tables.ts';

const kinds = ['reply', 'for_user', 'card', 'notice'] as const;

/** What is to be delivered, in SQLite. What the platform shows is noted in relaxed commits: losing that repeats a message. */
export class SqliteOutboxStore implements OutboxStore {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #next: Statement;
  readonly #partSent: Statement;
  readonly #delivered: Statement;
  readonly #failed: Statement;
  readonly #abandon: Statement;
  readonly #abandonAll: Statement;
  readonly #lanes: Statement;
  readonly #showAgain: Statement;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
    this.#next = database.prepare(
      `SELECT outbox.id, outbox.conversation_id, outbox.kind AS message_kind, markdown, buttons, approval_id, revision, delivered_revision, refs,
         created_at, channel, tenant, chat_id, thread_id, conversations.kind AS kind, title
       FROM outbox JOIN conversations ON conversations.id = outbox.conversation_id
       WHERE lane = ? AND state = 'queued' ORDER BY outbox.seq LIMIT 1`,
    );
    this.#partSent = database.prepare(`UPDATE outbox SET refs = json_insert(refs, '$[#]', json(?)) WHERE id = ?`);
    this.#delivered = database.prepare(
      `UPDATE outbox SET refs = @refs, delivered_revision = @revision, delivered_at = @at, state = iif(revision = @revision, 'delivered', state) WHERE id = @id`,
    );
    this.#failed = database.prepare(`UPDATE outbox SET state = 'failed', failure = ? WHERE id = ? AND revision = ?`);
    this.#abandon = database.prepare(`UPDATE outbox SET state = 'abandoned' WHERE id = ? AND state = 'streaming'`);
    this.#abandonAll = database.prepare(`UPDATE outbox SET state = 'abandoned' WHERE state = 'streaming'`);
    this.#lanes = database.prepare(`SELECT DISTINCT conversation_id FROM outbox WHERE state = 'queued'`);
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

  partSent(messageId: string, ref: MessageRef): Promise<void> {
    return this.#change(this.#partSent, JSON.stringify(ref), messageId);
  }

  delivered(messageId: string, revision: number, refs: readonly MessageRef[], at: number): Promise<void> {
    return this.#change(this.#delivered, { refs: JSON.stringify(refs), revision, at, id: messageId });
  }

  failed(messageId: string, revision: number, reason: string): Promise<void> {
    return this.#change(this.#failed, reason, messageId, revision);
  }

  openStream(conversationId: string, messageId: string, at: number): Promise<void> {
    return this.#database.write(() => this.#tables.outbox.openStream(conversationId, messageId, at), 'relaxed');
  }

  abandonStream(messageId: string): Promise<void> {
    return this.#change(this.#abandon, messageId);
  }

  say(conversationId: string, message: OutboundMessage, at: number): Promise<void> {
    return this.#database.write(() => this.#tables.outbox.add({ conversationId, message }, at));
  }

  recover(): Promise<readonly string[]> {
    return this.#database.write(() => {
      this.#abandonAll.run();
      return this.#lanes.all().map((found) => new Row(found).text('conversation_id'));
    }, 'relaxed');
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

function toOutboxRow(row: Row): OutboxRow {
  const kind = row.word('message_kind', kinds);
  const approvalId = row.optionalText('approval_id');
  const buttons =
    row.optionalText('buttons') === undefined ? undefined : row.json<readonly (readonly Button[])[]>('buttons');
  return {
    message: {
      id: row.text('id'),
      kind,
      markdown: row.text('markdown'),
      ...(buttons === undefined ? {} : { buttons }),
    },
    conversationId: row.text('conversation_id'),
    conversation: toConversation(row),
    kind,
    revision: row.integer('revision'),
    deliveredRevision: row.integer('delivered_revision'),
    refs: row.json('refs'),
    createdAt: row.integer('created_at'),
    ...(buttons === undefined || approvalId === undefined ? {} : { approvalId }),
  };
}
