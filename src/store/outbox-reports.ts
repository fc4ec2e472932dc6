import type { OutboxReports } from '../conversation/commands/reports.ts';
import type { Database } from './database.ts';
import { columns } from './sql.ts';

/** The part of `/status` about undelivered messages. */
export function createOutboxReports({ sql }: Database): OutboxReports {
  return {
    parked: async () =>
      sql
        .all(
          `SELECT stub.id AS stub_id, outbox.conversation_id, outbox.parked_at AS at, coalesce(outbox.failure, '') AS reason FROM outbox
           JOIN outbox AS stub ON stub.stub_of = outbox.id AND stub.buttons IS NOT NULL
           WHERE outbox.parked_at IS NOT NULL ORDER BY outbox.parked_at DESC`,
        )
        .map(toParked),
    unsent: async (channels) => {
      const { count, at: since = 0, ...rest } = toReport(sql.one(unsentRows, JSON.stringify(channels)));
      return count === 0 ? undefined : { count, oldest: { since, ...rest } };
    },
    refusedSince: async (after) => {
      const { count, at = 0, ...newest } = toReport(sql.one(refusedSince, after));
      return count === 0 ? undefined : { count, newest: { at, ...newest } };
    },
  };
}

const toParked = columns({ stubId: 'text', conversationId: 'text', at: 'integer', reason: 'text' });
// Without messages there is no conversation.
const unsentRows = `SELECT count(*) AS count, min(failing_since) AS at, coalesce(conversation_id, '') AS conversation_id, coalesce(failure, '') AS reason FROM outbox
  JOIN conversations ON conversations.id = conversation_id
  WHERE state = 'queued' AND failing_since IS NOT NULL AND channel IN (SELECT value FROM json_each(?))`;
const refusedSince = `SELECT count(*) AS count, max(created_at) AS at, coalesce(conversation_id, '') AS conversation_id, coalesce(failure, '') AS reason FROM outbox
  WHERE state = 'failed' AND created_at > ? AND parked_at IS NULL`;
const toReport = columns({ count: 'integer', at: 'integer?', conversationId: 'text', reason: 'text' });
