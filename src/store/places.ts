import type { Places } from '../conversation/access/readers.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';

/** Where conversations are and who talks there, read at once: in the midst of a step, it may be what is not committed yet. */
export function createPlaces({ sql }: Pick<Database, 'sql'>): Places {
  return {
    conversationOf: (id) => sql.kept.conversation(id, () => conversations.find(sql, id)?.conversation),
    personIn: (id) => sql.kept.person(id, () => sql.texts(personIn, id)[0]),
    firstIn: (id) => sql.texts(firstPerson, id)[0],
    prepare: async () => {},
  };
}

const personIn = `SELECT min(participants.principal) AS principal FROM participants
  JOIN conversations ON conversations.id = participants.conversation_id
  WHERE participants.conversation_id = ? AND conversations.kind = 'direct' HAVING min(participants.principal) IS NOT NULL`;

const firstPerson = `SELECT principal FROM inbox WHERE conversation_id = ? AND kind IN ('message', 'event')
  AND is_person = 1 ORDER BY seq LIMIT 1`;
