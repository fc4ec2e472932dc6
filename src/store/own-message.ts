import { columns, oneOf, type Row, type Sql } from './sql.ts';

/** A message of ours that somebody answers. */
export interface OwnMessage {
  /** The call that it is about or came from. */
  readonly callId: string | undefined;
  readonly approvalId: string | undefined;
  readonly kind: 'reply' | 'for_user' | 'card' | 'notice' | 'status';
  readonly createdAt: number;
  /** When it was shown as it is now. */
  readonly deliveredAt: number | undefined;
}

/** The message with this id on the platform, among the newest 1,000. */
export async function ownMessage(sql: Sql, conversationId: string, messageId: string): Promise<OwnMessage | undefined> {
  return await sql.find(toOwnMessage, messageOfOurs, conversationId, messageId, messageId);
}

const messageOfOurs = `SELECT call_id, approval_id, kind, created_at, delivered_at FROM outbox
  WHERE seq > (SELECT max(seq) FROM outbox) - 1000 AND conversation_id = ?
    AND (EXISTS (SELECT 1 FROM json_each(refs) WHERE value ->> 'id' = ?)
      OR EXISTS (SELECT 1 FROM json_each(previews) WHERE value ->> 'id' = ?)) ORDER BY seq DESC LIMIT 1`;

const toOwnMessage: (row: Row) => OwnMessage = columns({
  callId: 'text?',
  approvalId: 'text?',
  kind: oneOf('reply', 'for_user', 'card', 'notice', 'status'),
  createdAt: 'integer',
  deliveredAt: 'integer?',
});
