/** What stands in an inbox for the model to read: messages of people, and events. */
import { type Rations, unreadToLoad } from './rations.ts';
import { flag, integer, optionalText, type Row, type Sql } from './sql.ts';

const toRead = `SELECT seq, key, kind, principal, name, text, wants_answer, sent_at, received_at, message_id, quote, shared, attachments, pictures, is_person FROM inbox WHERE conversation_id = ? AND kind IN ('message', 'event')`;
/** Up to a sequence, the newest first. */
export const newestOfRead = `${toRead} AND seq > ? AND seq <= ? ORDER BY seq DESC`;
const oldestOfUnread = `${toRead} AND seq > ? ORDER BY seq LIMIT ?`;
const oldestUnanswered = `${toRead} AND seq > ? AND wants_answer = 1 ORDER BY seq LIMIT ?`;

/**
 * The oldest entries beyond a sequence, unread by the model, as `toReadEntry` reads them. If the limit is full of edits and
 * outcomes that want no answer, the oldest entries that do want one are appended.
 */
export async function oldestUnread(
  sql: Sql,
  conversationId: string,
  beyond: number,
  limit: number,
): Promise<readonly Row[]> {
  const rows = await sql.all(oldestOfUnread, conversationId, beyond, limit);
  const last = rows.at(-1);
  const isFull = rows.length === limit && last !== undefined && !rows.some((row) => flag(row, 'wants_answer'));
  const more = isFull ? await sql.all(oldestUnanswered, conversationId, integer(last, 'seq'), limit) : [];
  return [...rows, ...more];
}

/** Behind what was kept stand few messages: those that were seen since, the newest first, and the unread. Undefined if they are many. */
export async function fewBehind(
  sql: Sql,
  conversationId: string,
  { beyond, seenSeq, rations }: { readonly beyond: number; readonly seenSeq: number; readonly rations: Rations },
): Promise<{ readonly seen: readonly Row[]; readonly unread: readonly Row[] } | undefined> {
  const rows = await sql.all(oldestOfUnread, conversationId, Math.min(beyond, seenSeq), unreadToLoad);
  if (rows.length === unreadToLoad) return undefined;
  const isSeen = (row: Row): boolean => integer(row, 'seq') <= seenSeq;
  const seen = rows.filter((row) => isSeen(row) && integer(row, 'seq') > beyond).toReversed();
  const cut = seen.findIndex((row) => !fitting(rations)(row));
  return { seen: cut === -1 ? seen : seen.slice(0, cut), unread: rows.filter((row) => !isSeen(row)) };
}

/** Takes from the ration of messages. */
export function fitting({ messages }: Rations): (message: Row) => boolean {
  return (message) => messages.add(lengthOf(message, 'text', 'quote', 'shared'));
}

export function lengthOf(row: Row, ...names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (optionalText(row, name)?.length ?? 0), 0);
}
