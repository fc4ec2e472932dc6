import type { MessageRef } from '../contract.ts';
import type { ChangeableMessages } from '../conversation/message-changes.ts';
import { languages } from '../lib/words.ts';
import { messageWords } from '../words/words.ts';
import { placeOf } from './conversations.ts';
import type { Database } from './database.ts';
import { columns, json, oneOf } from './sql.ts';

/** The messages that a run may react to, and edit. */
export function createMessageChangeStore(database: Database): ChangeableMessages {
  const { sql } = database;
  return {
    newestRead: async (callId) => sql.find(toMessage, newestRead, callId),
    newestAnswer: async (conversationId) => sql.find(toAnswer, newestAnswer, { conversationId, interrupted }),
    answerEdited: (id, markdown) => database.write(async (sql) => void (await sql.run(answerEdited, markdown, id))),
  };
}

const toMessage = columns({ messageId: 'text', conversation: placeOf });
const toAnswer = columns({
  id: 'text',
  conversation: placeOf,
  createdAt: 'integer',
  refs: json<readonly MessageRef[]>(),
  state: oneOf('queued', 'delivered', 'failed', 'abandoned'),
  isInterrupted: 'flag',
  isPrivate: 'flag',
  hasFiles: 'flag',
  givenTo: 'texts',
});

const place =
  'conversations.channel, conversations.tenant, conversations.chat_id, conversations.thread_id, conversations.kind, conversations.title';

/** The index holds messages and events only; an event has no id on the platform. */
const newestRead = `SELECT inbox.message_id, ${place} FROM calls JOIN turns ON turns.id = calls.turn_id
    JOIN inbox ON inbox.conversation_id = calls.conversation_id AND inbox.seq <= turns.seen_seq AND inbox.principal = calls.principal
    JOIN conversations ON conversations.id = calls.conversation_id
  WHERE calls.id = ? AND inbox.kind IN ('message', 'event') AND inbox.message_id IS NOT NULL ORDER BY inbox.seq DESC LIMIT 1`;

/** How an answer ends that broke off, in each language, as JSON. */
const interrupted = JSON.stringify(languages.map((language) => messageWords[language].ended('interrupted')));
const isInterrupted =
  'EXISTS (SELECT 1 FROM json_each(@interrupted) WHERE substr(outbox.markdown, -length(value)) = value)';

/** Whose message it answers; without one, whose run it ended: a turn is stored with its answer. */
const givenTo = `coalesce(
    (SELECT json_array(principal) FROM inbox WHERE conversation_id = outbox.conversation_id AND kind IN ('message', 'event')
       AND message_id = outbox.reply_to ORDER BY seq DESC LIMIT 1),
    (SELECT json_group_array(DISTINCT principal) FROM turns WHERE conversation_id = outbox.conversation_id AND created_at = outbox.created_at AND outbox.reply_to IS NULL))`;

/** What comes before other calls is silent, as what broke off is: only the end of a run is an answer. */
const newestAnswer = `SELECT outbox.id, ${place}, outbox.created_at, outbox.refs, outbox.state, ${isInterrupted} AS is_interrupted,
    outbox.private_to IS NOT NULL AS is_private, outbox.files IS NOT NULL AS has_files, ${givenTo} AS given_to FROM outbox
    JOIN conversations ON conversations.id = outbox.conversation_id
  WHERE seq > (SELECT max(seq) FROM outbox) - 1000 AND outbox.conversation_id = @conversationId AND outbox.kind = 'reply'
    AND outbox.state <> 'streaming' AND (outbox.is_silent IS NULL OR ${isInterrupted}) ORDER BY outbox.seq DESC LIMIT 1`;

const answerEdited = `UPDATE outbox SET markdown = ? WHERE id = ? AND state = 'delivered'`;
