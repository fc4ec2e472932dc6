import type { AskedGroup, Choosing } from '../conversation/access/group-choices.ts';
import type { GroupAsking } from '../conversation/access/group-requests.ts';
import { groupWords } from '../conversation/access/words.ts';
import type { Doing } from '../conversation/effects.ts';
import { nameCode } from '../lib/plain-text.ts';
import * as audit from './audit.ts';
import { addCards, endCards } from './request-cards.ts';
import { columns, type Eventual, insertInto, oneOf, optional, type Sql } from './sql.ts';

const toGroup = columns({
  conversationId: 'text',
  channel: 'text',
  tenant: 'text?',
  chatId: 'text',
  title: 'text?',
  requestId: 'text',
  choice: optional(oneOf('mentioned', 'everything', 'leave')),
  isOpen: 'flag',
  chosenBy: 'text?',
  chosenByName: 'text?',
  chosenAt: 'integer?',
});

/** All groups of which the owners were asked, the oldest first. */
export const groups = (sql: Sql): Eventual<readonly AskedGroup[]> =>
  sql.list(toGroup, 'SELECT * FROM group_choices ORDER BY asked_at, conversation_id');

const groupOf = (sql: Sql, conversationId: string) =>
  sql.find(toGroup, 'SELECT * FROM group_choices WHERE conversation_id = ?', conversationId);

/** Asks the owners about a group. Undefined if they were asked a short time ago, or about too many groups already. */
export async function askOfGroup(
  sql: Sql,
  { group, requestId, cards, addedBy, again, most, at }: GroupAsking,
): Promise<readonly string[] | undefined> {
  const recent = 'SELECT 1 FROM group_choices WHERE conversation_id = ? AND choice IS NULL AND asked_at > ?';
  if (await sql.has(recent, group.conversationId, at - again)) return undefined;
  const open = await sql.list(
    toGroup,
    'SELECT * FROM group_choices WHERE choice IS NULL AND asked_at > ?',
    at - 86_400_000,
  );
  if (most !== undefined && open.length >= most) return undefined;
  const former = await groupOf(sql, group.conversationId);
  const ended = await endCards(sql, former?.requestId, (language) => groupWords[language].askedAgain(titleOf(group)));
  await insertGroup(sql, { ...group, requestId, askedAt: at, addedBy });
  await addCards(sql, requestId, cards, at);
  return [...ended, ...cards.map(({ conversationId }) => conversationId)];
}
const insertGroup =
  insertInto(`group_choices (conversation_id, channel, tenant, chat_id, title, request_id, asked_at, added_by)
  ON CONFLICT (conversation_id) DO UPDATE SET title = coalesce(excluded.title, title), chat_id = excluded.chat_id,
    request_id = excluded.request_id, asked_at = excluded.asked_at, added_by = excluded.added_by,
    choice = NULL, chosen_by = NULL, chosen_by_name = NULL, chosen_at = NULL`);

/** Stores an owner's choice. Undefined if there is no such group, or the request is over. */
export async function choose(
  sql: Sql,
  { of, choice, isOpen }: Choosing,
  { origin, at, conversationIds }: Doing,
): Promise<AskedGroup | undefined> {
  const found =
    'requestId' in of
      ? await sql.find(toGroup, 'SELECT * FROM group_choices WHERE request_id = ? AND choice IS NULL', of.requestId)
      : await groupOf(sql, of.conversationId);
  if (found === undefined) return undefined;
  const chosen = { ...found, choice, isOpen, chosenBy: origin.principal, chosenByName: origin.name, chosenAt: at };
  await sql.run(
    `UPDATE group_choices SET choice = ?, is_open = ?, chosen_by = ?, chosen_by_name = ?, chosen_at = ? WHERE conversation_id = ?`,
    ...[choice, isOpen, origin.principal, origin.name, at, found.conversationId],
  );
  const decided = { ...titleOf(found), choice, by: nameCode(origin.name), at };
  conversationIds.push(...(await endCards(sql, found.requestId, (language) => groupWords[language].chosen(decided))));
  await audit.addBy(sql, 'group-chosen', origin, at, { group: found.conversationId, choice });
  return chosen;
}

/** The bot is not there any more: nobody needs to choose. The group stays known, so that nobody can have it asked again and again. */
export async function leftGroup(sql: Sql, conversationId: string): Promise<readonly string[]> {
  const found = await groupOf(sql, conversationId);
  if (found === undefined || found.choice !== undefined) return [];
  return await endCards(sql, found.requestId, (language) => groupWords[language].takenOut(titleOf(found)));
}

function titleOf({ title, channel }: Pick<AskedGroup, 'title' | 'channel'>) {
  return { title: nameCode(title ?? '?'), channel };
}
