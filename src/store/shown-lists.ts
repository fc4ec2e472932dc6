import type { OutboundMessage } from '../contract.ts';
import type { Sql } from './sql.ts';

/** Whether a list of commands stands in the conversation under this id. */
export async function isList(sql: Sql, id: string, conversationId: string): Promise<boolean> {
  return await sql.has(listThere, id, conversationId);
}
const listThere = `SELECT 1 FROM outbox WHERE id = ? AND conversation_id = ? AND kind = 'notice' AND buttons IS NOT NULL AND state IN ('queued', 'delivered')`;

/** Puts other words and buttons in place of a list: it is edited where it stands. A new revision starts without failures. */
export async function changeList(
  sql: Sql,
  id: string,
  { markdown, buttons }: Pick<OutboundMessage, 'markdown' | 'buttons'>,
) {
  await sql.run(change, markdown, buttons, id);
}
const change = `UPDATE outbox SET markdown = ?, buttons = ?, revision = revision + 1, state = 'queued',
  failures = 0, failing_since = NULL, parked_at = NULL, kills = 0 WHERE id = ?`;
