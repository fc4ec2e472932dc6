/* What people were told of something that happens again and again, so that it is said once in a while. */

import type { UnheardPrograms } from '../conversation/access/pairing.ts';
import { columns, type Sql } from './sql.ts';

/** Compare-and-set: whether a hint about the subject is due, and if so records it. */
export async function mayHint(sql: Sql, subject: string, at: number, again: number): Promise<boolean> {
  return await sql.changed(due, { subject, at, before: at - again });
}
const due = `INSERT INTO hints (subject, said_at) VALUES (@subject, @at)
  ON CONFLICT (subject) DO UPDATE SET said_at = @at WHERE said_at <= @before`;

/** After this many consecutive messages by programs, a person must speak before another one is accepted. */
export const mostPrograms = 3;

/** The conversations where programs are not heard, until a person speaks: which were told so, and nobody has spoken since. */
export async function unheardPrograms(sql: Sql): Promise<readonly UnheardPrograms[]> {
  return await sql.list(toUnheard, stillUnheard, mostPrograms);
}
const toUnheard = columns({ conversationId: 'text', title: 'text?', channel: 'text' });
const stillUnheard = `SELECT conversations.id AS conversation_id, conversations.title, conversations.channel FROM hints
    CROSS JOIN conversations ON conversations.id = substr(hints.subject, 10)
  WHERE hints.subject > 'programs ' AND hints.subject < 'programs!' AND NOT EXISTS (SELECT 1 FROM (SELECT is_person FROM inbox
    WHERE conversation_id = conversations.id AND kind IN ('message', 'event') AND kind = 'message' ORDER BY seq DESC LIMIT ?) WHERE is_person = 1)`;
