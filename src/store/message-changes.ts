import type { MessageRef } from '../contract.ts';
import type { ChangeableMessages } from '../conversation/message-changes.ts';
import { placeOf } from './conversations.ts';
import type { Database } from './database.ts';
import { columns, json } from './sql.ts';

/** The messages that a run may react to, and edit. */
export function createMessageChangeStore(database: Database): ChangeableMessages {
  const { sql } = database;
  return {
    newestRead: async (callId) => sql.find(toMessage, newestRead, callId),
    lastAnswer: async (conversationId, since) => sql.find(toAnswer, lastAnswer, { conversationId, since }),
    answerEdited: (id, markdown) => database.write(() => void sql.run(answerEdited, markdown, id)),
  };
}

const toMessage = columns({ messageId: 'text', conversation: placeOf });
const toAnswer = columns({
  id: 'text',
  conversation: placeOf,
  createdAt: 'integer',
  refs: json<readonly MessageRef[]>(),
});

const place =
  'conversations.channel, conversations.tenant, conversations.chat_id, conversations.thread_id, conversations.kind, conversations.title';

/** The index holds messages and events only; an event has no id on the platform. */
const newestRead = `SELECT inbox.message_id, ${place} FROM calls JOIN turns ON turns.id = calls.turn_id
    JOIN inbox ON inbox.conversation_id = calls.conversation_id AND inbox.seq <= turns.seen_seq AND inbox.principal = calls.principal
    JOIN conversations ON conversations.id = calls.conversation_id
  WHERE calls.id = ? AND inbox.kind IN ('message', 'event') AND inbox.message_id IS NOT NULL ORDER BY inbox.seq DESC LIMIT 1`;

/** What comes before other calls is silent: only the end of a run is an answer. */
const lastAnswer = `SELECT outbox.id, ${place}, outbox.created_at, outbox.refs FROM outbox
    JOIN conversations ON conversations.id = outbox.conversation_id
  WHERE seq > (SELECT max(seq) FROM outbox) - 1000 AND outbox.conversation_id = @conversationId AND outbox.kind = 'reply'
    AND outbox.state = 'delivered' AND outbox.is_silent IS NULL AND outbox.files IS NULL AND outbox.private_to IS NULL
    AND outbox.created_at >= @since ORDER BY outbox.seq DESC LIMIT 1`;

const answerEdited = `UPDATE outbox SET markdown = ? WHERE id = ? AND state = 'delivered'`;
