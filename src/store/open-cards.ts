import type { Doing, ShownCard } from '../conversation/effects.ts';
import { laneOf } from '../delivery/outbox.ts';
import type { AskingCard, CardStore } from '../engine/open-cards.ts';
import { newId } from '../lib/ids.ts';
import { languages } from '../lib/words.ts';
import type { Database } from './database.ts';
import * as outbox from './outbox.ts';
import { columns, json, oneOf, type Sql } from './sql.ts';

/** The cards of open approvals, and where they go. */
export function createCardStore(database: Database): CardStore {
  const { sql } = database;
  return {
    cards: async (approvalId) => sql.list(toAskingCard, askingCards, approvalId),

    offer: ({ approvalId, conversationIds, cards, ended, notice, at }) =>
      database.write(async (sql) => {
        if (!(await sql.changed(moveTo, conversationIds, approvalId))) return false;
        for (const { conversationId, markdown, isForgotten } of ended) {
          // What nobody has seen there is no news.
          const unseen = isForgotten ? await sql.texts(dropUnseenCard, approvalId, conversationId) : [];
          for (const id of unseen) await outbox.endStubs(sql, id, () => markdown);
          await sql.run(endCard, markdown, isForgotten, approvalId, conversationId);
        }
        await outbox.addAll(sql, cards, at, { approvalId });
        if (notice === undefined) return true;
        await outbox.add(sql, notice, at);
        await outbox.startClockOf(sql, approvalId, at);
        return true;
      }),

    refuseCards: (conversationId, reason) =>
      database.write((sql) => sql.run(refuse, { conversationId, lane: laneOf(conversationId), reason })),
  };
}

const toAskingCard = columns({
  conversationId: 'text',
  markdown: 'text',
  language: oneOf(...languages),
  buttons: json<AskingCard['buttons']>(),
  isRefused: 'flag',
  wasShown: 'flag',
});
// A parked one can be pressed once it is tried again.
const askingCards = `SELECT conversation_id, markdown, coalesce(language, 'en') AS language, buttons, state NOT IN ('queued', 'delivered') AND parked_at IS NULL AS is_refused,
    delivered_revision > 0 AS was_shown FROM outbox WHERE approval_id = ? AND buttons IS NOT NULL ORDER BY seq`;

/** Adds a card like the newest one that was shown there, which ends. Returns the number of cards. */
export async function showCardAgain(
  sql: Sql,
  { approvalId, conversationIds, ended }: ShownCard,
  { at, conversationIds: changed }: Pick<Doing, 'at' | 'conversationIds'>,
): Promise<number> {
  let count = 0;
  for (const conversationId of conversationIds) {
    const card = await sql.find(toShownCard, newestShown, approvalId, conversationId);
    if (card === undefined) continue;
    await sql.run(endCard, ended(conversationId), true, approvalId, conversationId);
    const message = { ...card, id: newId(20), kind: 'card' } as const;
    await outbox.add(sql, { conversationId, message }, at, { approvalId });
    changed.push(conversationId);
    count += 1;
  }
  return count;
}
const toShownCard = columns({
  markdown: 'text',
  language: oneOf(...languages),
  buttons: json<AskingCard['buttons']>(),
});
const newestShown = `SELECT markdown, coalesce(outbox.language, 'en') AS language, buttons FROM outbox JOIN approvals ON approvals.id = approval_id AND approvals.state = 'pending'
  WHERE approval_id = ? AND outbox.conversation_id = ? AND outbox.kind = 'card' AND buttons IS NOT NULL AND delivered_revision > 0 ORDER BY outbox.seq DESC LIMIT 1`;

const moveTo = `UPDATE approvals SET places = ? WHERE id = ? AND state = 'pending'`;

const dropUnseenCard = `UPDATE outbox SET buttons = NULL, approval_id = NULL, state = 'abandoned', parked_at = NULL
  WHERE approval_id = ? AND conversation_id = ? AND kind = 'card' AND buttons IS NOT NULL
    AND delivered_revision = 0 AND refs = '[]' AND twins = '[]' RETURNING id`;

/** A new revision starts without failures. Without its approval, it does not show the outcome later. */
const endCard = `UPDATE outbox SET markdown = ?, buttons = NULL, approval_id = iif(?, NULL, approval_id), revision = revision + 1, state = 'queued',
    failures = 0, failing_since = NULL, parked_at = NULL, kills = 0
  WHERE approval_id = ? AND conversation_id = ? AND kind = 'card' AND buttons IS NOT NULL`;

/** Only those that may move: see `mayMove`. A direct chat is refused with all its threads. */
const refuse = `UPDATE outbox SET state = 'failed', failure = @reason, parked_at = NULL WHERE lane = @lane
    AND (state = 'delivered' OR parked_at IS NOT NULL) AND buttons IS NOT NULL
  AND (conversation_id = @conversationId OR EXISTS (SELECT 1 FROM conversations WHERE id = outbox.conversation_id AND kind = 'direct'))
  AND approval_id IN (SELECT id FROM approvals WHERE state = 'pending' AND question IS NULL AND coalesce(extension ->> '$.bound', '') <> 'turns')`;
