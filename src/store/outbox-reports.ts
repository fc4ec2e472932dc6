import type { OutboxReports } from '../conversation/commands/reports.ts';
import type { Database } from './database.ts';
import { integer, optionalInteger, optionalText, type Row, text } from './sql.ts';

/** What `/status` says of messages that have not arrived. */
export function createOutboxReports({ sql }: Database): OutboxReports {
  return {
    parked: async () => {
      const rows = sql.all(
        `SELECT stub.id AS stub_id, outbox.conversation_id, outbox.parked_at, outbox.failure FROM outbox
         JOIN outbox AS stub ON stub.stub_of = outbox.id AND stub.buttons IS NOT NULL
         WHERE outbox.parked_at IS NOT NULL ORDER BY outbox.parked_at DESC`,
      );
      return rows.map((row) => ({
        stubId: text(row, 'stub_id'),
        conversationId: text(row, 'conversation_id'),
        at: integer(row, 'parked_at'),
        reason: reasonOf(row),
      }));
    },
    unsent: async (channels) => {
      const { count, at: since, ...rest } = toReport(sql.one(unsentRows, JSON.stringify(channels)));
      return count === 0 ? undefined : { count, oldest: { since, ...rest } };
    },
    refusedSince: async (at) => {
      const { count, ...newest } = toReport(sql.one(refusedSince, at));
      return count === 0 ? undefined : { count, newest };
    },
  };
}

const unsentRows = `SELECT count(*) AS count, min(failing_since) AS at, conversation_id, failure FROM outbox
  JOIN conversations ON conversations.id = conversation_id
  WHERE state = 'queued' AND failing_since IS NOT NULL AND channel IN (SELECT value FROM json_each(?))`;
const refusedSince = `SELECT count(*) AS count, max(created_at) AS at, conversation_id, failure FROM outbox
  WHERE state = 'failed' AND created_at > ? AND parked_at IS NULL`;

/** Of no messages, there is no place. */
function toReport(row: Row) {
  const conversationId = optionalText(row, 'conversation_id') ?? '';
  return { count: integer(row, 'count'), at: optionalInteger(row, 'at') ?? 0, conversationId, reason: reasonOf(row) };
}

function reasonOf(row: Row): string {
  return optionalText(row, 'failure') ?? '';
}
