import type { Places } from '../conversation/access/readers.ts';
import { placeOf } from './conversations.ts';
import type { SqliteSql } from './sqlite-sql.ts';

/** Where conversations are and who talks there, read at once: in the midst of a step, it may be what is not committed yet. */
export function createPlaces(sql: SqliteSql): Places {
  return {
    conversationOf: (id) => sql.kept.conversation(id, () => sql.find(placeOf, placeOfId, id)),
    personIn: (id) => sql.kept.person(id, () => sql.texts(personIn, id)[0]),
    firstIn: (id) => sql.texts(firstPerson, id)[0],
    prepare: async () => {},
  };
}

const placeOfId = 'SELECT channel, tenant, chat_id, thread_id, kind, title FROM conversations WHERE id = ?';

const personIn = `SELECT min(participants.principal) AS principal FROM participants
  JOIN conversations ON conversations.id = participants.conversation_id
  WHERE participants.conversation_id = ? AND conversations.kind = 'direct' HAVING min(participants.principal) IS NOT NULL`;

const firstPerson = `SELECT principal FROM inbox WHERE conversation_id = ? AND kind IN ('message', 'event')
  AND is_person = 1 ORDER BY seq LIMIT 1`;
