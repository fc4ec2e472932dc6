import type { Transactions } from '../../../store/database.ts';
import { columns, type Row } from '../../../store/sql.ts';

/** An account of a person in a conversation, as they were last heard there. */
export interface HeardThere {
  readonly principal: string;
  readonly name: string;
  readonly roles: readonly string[];
}

const toHeard: (row: Row) => HeardThere = columns({ principal: 'text', name: 'text', roles: 'texts' });

/** The accounts are a JSON array. */
const heardIn = `SELECT principal, name, roles FROM participants
  WHERE conversation_id = ? AND principal IN (SELECT value FROM json_each(?)) ORDER BY principal LIMIT 1`;

/** Which of these accounts has talked in the conversation; undefined if none has. */
export async function heardThere(
  { sql }: Transactions,
  conversationId: string,
  accounts: readonly string[],
): Promise<HeardThere | undefined> {
  return await sql.find(toHeard, heardIn, conversationId, accounts);
}
