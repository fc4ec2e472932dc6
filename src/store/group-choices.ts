import type { AskedGroup, Choosing } from '../conversation/access/group-choices.ts';
import type { GroupAsking } from '../conversation/access/group-requests.ts';
import { groupWords } from '../conversation/access/words.ts';
import type { Doing } from '../conversation/effects.ts';
import { nameCode } from '../lib/plain-text.ts';
import * as audit from './audit.ts';
import { addCards, endCards } from './request-cards.ts';
import { columns, insertInto, oneOf, optional, type Sql } from './sql.ts';

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
export const groups = (sql: Sql): readonly AskedGroup[] =>
  sql.list(toGroup, 'SELECT * FROM group_choices ORDER BY asked_at, conversation_id');

const groupOf = (sql: Sql, conversationId: string) =>
  sql.find(toGroup, 'SELECT * FROM group_choices WHERE conversation_id = ?', conversationId);

/** Asks the owners about a group. Undefined if they were asked a short time ago, or about too many groups already. */
export function askOfGroup(
  sql: Sql,
  { group, requestId, cards, addedBy, again, most, at }: GroupAsking,
): readonly string[] | undefined {
  const recent = 'SELECT 1 FROM group_choices WHERE conversation_id = ? AND choice IS NULL AND asked_at > ?';
  if (sql.has(recent, group.conversationId, at - again)) return undefined;
  const open = sql.list(toGroup, 'SELECT * FROM group_choices WHERE choice IS NULL AND asked_at > ?', at - 86_400_000);
  if (most !== undefined && open.length >= most) return undefined;
  const former = groupOf(sql, group.conversationId);
  const ended = endCards(sql, former?.requestId, (language) => groupWords[language].askedAgain(titleOf(group)));
  insertGroup(sql, { ...group, requestId, askedAt: at, addedBy });
  addCards(sql, requestId, cards, at);
  return [...ended, ...cards.map(({ conversationId }) => conversationId)];
}
const insertGroup =
  insertInto(`group_choices (conversation_id, channel, tenant, chat_id, title, request_id, asked_at, added_by)
  ON CONFLICT (conversation_id) DO UPDATE SET title = coalesce(excluded.title, title), chat_id = excluded.chat_id,
    request_id = excluded.request_id, asked_at = excluded.asked_at, added_by = excluded.added_by,
    choice = NULL, chosen_by = NULL, chosen_by_name = NULL, chosen_at = NULL`);

/** Stores an owner's choice. Undefined if there is no such group, or the request is over. */
export function choose(
  sql: Sql,
  { of, choice, isOpen }: Choosing,
  { origin, at, conversationIds }: Doing,
): AskedGroup | undefined {
  const found =
    'requestId' in of
      ? sql.find(toGroup, 'SELECT * FROM group_choices WHERE request_id = ? AND choice IS NULL', of.requestId)
      : groupOf(sql, of.conversationId);
  if (found === undefined) return undefined;
  const chosen = { ...found, choice, isOpen, chosenBy: origin.principal, chosenByName: origin.name, chosenAt: at };
  sql.run(
    `UPDATE group_choices SET choice = ?, is_open = ?, chosen_by = ?, chosen_by_name = ?, chosen_at = ? WHERE conversation_id = ?`,
    ...[choice, isOpen, origin.principal, origin.name, at, found.conversationId],
  );
  const decided = { ...titleOf(found), choice, by: nameCode(origin.name), at };
  conversationIds.push(...endCards(sql, found.requestId, (language) => groupWords[language].chosen(decided)));
  audit.addBy(sql, 'group-chosen', origin, at, { group: found.conversationId, choice });
  return chosen;
}

/** The bot is not there any more: nobody needs to choose. The group stays known, so that nobody can have it asked again and again. */
export function leftGroup(sql: Sql, conversationId: string): readonly string[] {
  const found = groupOf(sql, conversationId);
  if (found === undefined || found.choice !== undefined) return [];
  return endCards(sql, found.requestId, (language) => groupWords[language].takenOut(titleOf(found)));
}

function titleOf({ title, channel }: Pick<AskedGroup, 'title' | 'channel'>) {
  return { title: nameCode(title ?? '?'), channel };
}
