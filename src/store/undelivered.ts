/*
 * Messages that did not reach their chat: those that are parked, with the stub in their place or kept for later, those
 * that are retried, and those that a chat with another id has left behind.
 */

import type { OutboxReports } from '../conversation/commands/reports/report-parts.ts';
import type { Unparked, Unparking } from '../conversation/effects.ts';
import { laneOf, type OutboxStore } from '../delivery/outbox.ts';
import type { Database } from './database.ts';
import { columns, type Eventual, oneOf, optionalText, type Row, type Sql, text } from './sql.ts';

type Undelivered = Pick<OutboxStore, 'hold' | 'stubRefused' | 'offerHeld' | 'leaveBehind'> & OutboxReports;

export function createUndelivered(database: Database): Undelivered {
  const { sql } = database;
  return {
    hold: (id, revision, reason, offer, at) =>
      database.write(async (sql) => {
        if (!(await sql.changed(holdMessage, reason, at, id, revision))) return;
        await sql.run(keepStub, offer.markdown, JSON.stringify(offer.buttons), offer.id);
      }),
    stubRefused: (id) => database.write(async (sql) => void (await sql.run(refuseStub, id)), 'relaxed'),
    offerHeld: (conversationId, most) =>
      database.write(async (sql) => void (await sql.run(offerStubs, conversationId, most)), 'relaxed'),
    leaveBehind: (conversationId) => database.write((sql) => leaveBehind(sql, conversationId), 'relaxed'),
    undeliveredMessages: async () => sql.list(toUndelivered, undelivered),
  };
}

const holdMessage = `UPDATE outbox SET state = 'failed', failure = ?, parked_at = ? WHERE id = ? AND revision = ? AND state = 'queued'`;
const keepStub = `UPDATE outbox SET state = 'failed', markdown = ?, buttons = ?, is_silent = 1 WHERE id = ? AND delivered_revision = 0`;
const refuseStub = `UPDATE outbox SET state = 'failed' WHERE id = ? AND stub_of IS NOT NULL`;

/** SQLite takes the partial index `outbox_to_deliver` only where its own condition stands as it is; the second one narrows it. */
const isQueued = `state IN ('streaming', 'queued') AND state = 'queued'`;
const isStreaming = `state IN ('streaming', 'queued') AND state = 'streaming'`;

/** The stubs that nobody has seen, of parked messages. */
const heldStubs = `FROM outbox AS parked INDEXED BY outbox_parked CROSS JOIN outbox AS stub ON stub.stub_of = parked.id
  WHERE parked.parked_at IS NOT NULL AND stub.state = 'failed' AND stub.buttons IS NOT NULL AND stub.delivered_revision = 0`;
const offerStubs = `UPDATE outbox SET state = 'queued', failures = 0, failing_since = NULL, kills = 0
  WHERE id IN (SELECT stub.id ${heldStubs} AND parked.conversation_id = ? ORDER BY parked.seq DESC LIMIT ?)`;

/** The conversations with held messages. */
export const placesOfHeld = (sql: Sql): Eventual<readonly string[]> => sql.texts(heldPlaces);
const heldPlaces = `SELECT DISTINCT parked.conversation_id ${heldStubs}`;

/** Retries or drops the parked message behind a stub. Adds conversations with something to show to `places`. */
export async function unpark(
  sql: Sql,
  { stubId, verb, anywhere, words }: Unparking,
  conversationId: string,
  places: string[],
): Promise<Unparked | undefined> {
  const row = await sql.get(
    `SELECT outbox.id, outbox.conversation_id, iif(outbox.buttons IS NULL, NULL, outbox.approval_id) AS approval_id
     FROM outbox AS stub JOIN outbox ON outbox.id = stub.stub_of
     WHERE stub.id = ? AND stub.buttons IS NOT NULL AND (outbox.parked_at IS NOT NULL OR outbox.state = 'queued')`,
    stubId,
  );
  if (row === undefined || (!anywhere && text(row, 'conversation_id') !== conversationId)) return undefined;
  await sql.run(verb === 'retry' ? retry : drop, text(row, 'id'));
  await sql.run(
    `UPDATE outbox SET markdown = ?, buttons = NULL, revision = revision + 1, state = iif(state = 'failed', 'failed', 'queued') WHERE id = ?`,
    ...[words(text(row, 'conversation_id')), stubId],
  );
  places.push(text(row, 'conversation_id'));
  return { approvalId: verb === 'retry' ? undefined : optionalText(row, 'approval_id') };
}
/** A message that killed processes gets one more try. */
const retry = `UPDATE outbox SET state = 'queued', at_most_once = iif(at_most_once IS NULL, NULL, 'unsent'), failures = 0, failing_since = NULL, parked_at = NULL, kills = min(kills, 2) WHERE id = ?`;
const drop = `UPDATE outbox SET parked_at = NULL, state = 'failed' WHERE id = ?`;

const undelivered = `SELECT stub.id AS stub_id, message.kind AS message_kind, message.conversation_id, conversations.channel, message.created_at AS at,
    coalesce(message.failure, '') AS reason, iif(message.parked_at IS NULL, 'retried', iif(stub.delivered_revision > 0, 'asks', 'held')) AS fate
  FROM (SELECT id FROM outbox INDEXED BY outbox_parked WHERE parked_at IS NOT NULL
    UNION ALL SELECT id FROM outbox INDEXED BY outbox_to_deliver WHERE ${isQueued} AND failing_since IS NOT NULL AND stub_of IS NULL) AS found
    CROSS JOIN outbox AS message ON message.id = found.id JOIN conversations ON conversations.id = message.conversation_id
    LEFT JOIN outbox AS stub ON stub.stub_of = message.id AND stub.buttons IS NOT NULL
  ORDER BY message.seq DESC`;

const kindIn = oneOf('reply', 'for_user', 'card', 'notice', 'status');
export const kindOf = (row: Row) => kindIn(row, 'message_kind');
const toUndelivered = columns({
  stubId: 'text?',
  kind: kindOf,
  conversationId: 'text',
  channel: 'text',
  at: 'integer',
  reason: 'text',
  fate: oneOf('asks', 'held', 'retried'),
});

/**
 * The chat has another id: what stands under the old one can't be changed any more, and its numbers may belong to other
 * messages now. Cards and stubs that still ask are shown again.
 */
export async function leaveBehind(sql: Sql, id: string): Promise<void> {
  await sql.run(askAgain, { id });
  await sql.run(forgetShown, { id, lane: laneOf(id) });
}
/** The cards and stubs that still ask. */
const asking = `SELECT card.id FROM approvals INDEXED BY pending_approvals CROSS JOIN outbox AS card ON card.approval_id = approvals.id WHERE approvals.state = 'pending'
  UNION ALL SELECT stub.id FROM outbox AS parked INDEXED BY outbox_parked CROSS JOIN outbox AS stub ON stub.stub_of = parked.id WHERE parked.parked_at IS NOT NULL`;
const askAgain = `UPDATE outbox SET state = 'queued', revision = revision + 1
  WHERE id IN (${asking}) AND conversation_id = @id AND state = 'delivered' AND buttons IS NOT NULL`;
/** What may still be changed there. The first parts of a message, once shown, are not sent again. */
const forgetShown = `UPDATE outbox SET previews = NULL, twins = '[]', refs = iif(delivered_revision = 0 AND revision = 1 AND buttons IS NULL, refs, '[]')
  WHERE conversation_id = @id AND id IN (SELECT id FROM outbox WHERE lane = @lane AND ${isQueued}
    UNION ALL SELECT id FROM outbox INDEXED BY outbox_to_deliver WHERE ${isStreaming}
    UNION ALL SELECT card.id FROM calls INDEXED BY open_calls CROSS JOIN outbox AS card ON card.approval_id = calls.approval_id WHERE calls.state <> 'done'
    UNION ALL SELECT id FROM outbox WHERE seq > (SELECT max(seq) FROM outbox) - 1000 AND state = 'delivered' AND kind = 'reply')`;
