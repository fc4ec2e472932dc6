import type { Conversation } from '../contract.ts';
import type { Address } from '../tools/builtin/messages/courier.ts';
import type { Database, Statement } from './database.ts';
import { Row } from './row.ts';
import { toConversation } from './tables/conversations.ts';

const address = `conversations.id, channel, thread_id, title, person.principal AS person, person.name AS person_name`;
/** In a direct conversation there is one person. */
const withPerson = `LEFT JOIN participants AS person ON conversations.kind = 'direct' AND person.conversation_id = conversations.id
  AND person.principal = (SELECT min(principal) FROM participants WHERE conversation_id = conversations.id)`;

/** A conversation in which a person has taken part, with what he was when he was last heard there. */
export interface Acquaintance {
  readonly address: Address;
  readonly conversation: Conversation;
  readonly name: string;
  readonly roles: readonly string[];
  /** When somebody was last heard there. */
  readonly seenAt: number;
}

/** The conversations that can be written to, in SQLite: those in which somebody was heard, the latest first. */
export class SqliteAddressBook {
  readonly #ofPerson: Statement;
  readonly #all: Statement;

  constructor(database: Database) {
    this.#ofPerson = database.prepare(
      `SELECT ${address}, tenant, chat_id, conversations.kind AS kind, participants.name AS name, participants.roles AS roles, seen_at
       FROM participants JOIN conversations ON conversations.id = participants.conversation_id ${withPerson}
       WHERE participants.principal = ? AND seen_at > 0 ORDER BY seen_at DESC, conversations.id`,
    );
    this.#all = database.prepare(
      `SELECT ${address} FROM conversations ${withPerson} WHERE seen_at > 0 ORDER BY seen_at DESC, conversations.id`,
    );
  }

  /** Those in which he has taken part himself. */
  async acquaintancesOf(principal: string): Promise<readonly Acquaintance[]> {
    return this.#ofPerson.all(principal).map((values) => {
      const row = new Row(values);
      const roles = row.json<readonly string[]>('roles');
      return {
        address: toAddress(values),
        conversation: toConversation(row),
        name: row.text('name'),
        roles,
        seenAt: row.integer('seen_at'),
      };
    });
  }

  async all(): Promise<readonly Address[]> {
    return this.#all.all().map(toAddress);
  }
}

function toAddress(values: unknown): Address {
  const row = new Row(values);
  const [title, person] = [row.optionalText('title'), row.optionalText('person')];
  return {
    id: row.text('id'),
    channel: row.text('channel'),
    isThread: row.optionalText('thread_id') !== undefined,
    ...(title === undefined ? {} : { title }),
    ...(person === undefined ? {} : { person: { principal: person, name: row.text('person_name') } }),
  };
}
