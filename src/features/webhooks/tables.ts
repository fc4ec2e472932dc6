import type { OutboundMessage } from '../../contract.ts';
import * as audit from '../../store/audit.ts';
import * as conversations from '../../store/conversations.ts';
import type { Transactions } from '../../store/database.ts';
import * as inbox from '../../store/inbox.ts';
import * as outbox from '../../store/outbox.ts';
import { columns, type Row, type Sql } from '../../store/sql.ts';

/** What programs have sent to webhooks. Each delivery is an event in a conversation; its key is that of the inbox row. */
export interface WebhookStore {
  /**
   * Takes a delivery in one transaction, on disk before it resolves: the event for the model, its taint, and the line
   * for people. Rejects if it cannot be stored, soon also if another program has locked the database.
   */
  take(delivery: WebhookDelivery): Promise<TakenDelivery>;
  /** Whether it came before. */
  isKnown(delivery: Pick<WebhookDelivery, 'name' | 'identity' | 'at'>): Promise<boolean>;
  /** How many deliveries each of these has had, and when the last one came. */
  counts(names: readonly string[]): Promise<ReadonlyMap<string, WebhookCount>>;
  /** Whether somebody was ever heard in this chat. */
  knows(chat: string): Promise<boolean>;
}

export function createWebhookStore(database: Transactions): WebhookStore {
  const { sql } = database;
  return {
    take: (delivery) => database.writeIncoming((sql) => take(sql, delivery)),
    isKnown: (delivery) =>
      database.read(async (sql) => {
        const key = await keyFor(sql, delivery);
        return key === undefined || (await inbox.has(sql, key));
      }),
    counts: async (names) => {
      const counts = new Map<string, WebhookCount>();
      for (const name of names) counts.set(name, toCount(await sql.one(countOf, ...rangeOf(prefixOf(name)))));
      return counts;
    },
    knows: (chat) => database.read(async (sql) => (await conversationIdOf(sql, chat)) !== undefined),
  };
}

async function take(sql: Sql, delivery: WebhookDelivery): Promise<TakenDelivery> {
  const { name, principal, event, notice, source, isPrivate, at } = delivery;
  const conversationId = await conversationIdOf(sql, delivery.chat);
  if (conversationId === undefined) return { type: 'no-chat' };
  const key = await keyFor(sql, delivery);
  const draft = { key, conversationId, principal, name: source, text: event, wantsAnswer: true, at };
  if (key === undefined || !(await inbox.addEvent(sql, { ...draft, key }))) return { type: 'repeated' };
  // A card that is open must not become stale with each delivery: its call was made before.
  await conversations.addLabels(sql, conversationId, { sources: [source], isPrivate }, true);
  await conversations.setOpen(sql, conversationId);
  await outbox.add(sql, { conversationId, message: notice }, at);
  await audit.add(sql, { at, kind: 'webhook-taken', conversationId, actor: principal, detail: { webhook: name, key } });
  return { type: 'taken', conversationId };
}

const countOf = 'SELECT count(*) AS deliveries, max(received_at) AS last_at FROM inbox WHERE key >= ? AND key < ?';
const toCount: (row: Row) => WebhookCount = columns({ deliveries: 'integer', lastAt: 'integer?' });

/** The id of the conversation that the config calls so, by its id of now or by a former one. */
async function conversationIdOf(sql: Sql, chat: string): Promise<string | undefined> {
  const [moved] = await sql.texts('SELECT conversation_id FROM moves WHERE id = ?', chat);
  const id = moved ?? chat;
  return (await conversations.find(sql, id)) === undefined ? undefined : id;
}

/** Undefined if it came before. */
async function keyFor(
  sql: Sql,
  { name, identity, at }: Pick<WebhookDelivery, 'name' | 'identity' | 'at'>,
): Promise<string | undefined> {
  const key = `${prefixOf(name)}${identity.id}`;
  if (identity.within === undefined) return key;
  // The same again, but later, is another delivery: its key has its time.
  const [first, end] = rangeOf(`${key}@`);
  const isRepeated = await sql.has(
    'SELECT 1 FROM inbox WHERE key >= ? AND key < ? AND abs(received_at - ?) <= ?',
    ...[first, end, at, identity.within],
  );
  return isRepeated ? undefined : `${key}@${at}`;
}

function prefixOf(name: string): string {
  return `webhook:${name}:`;
}

/** The keys that begin like this: from the first to before the second. */
function rangeOf(prefix: string): readonly [string, string] {
  return [prefix, `${prefix}\u{10ffff}`];
}

export interface WebhookDelivery {
  /** The webhook's name in the config. */
  readonly name: string;
  /** The conversation, as the config names it. */
  readonly chat: string;
  /** `webhook:deploy`. It is nobody's account. */
  readonly principal: string;
  /**
   * What tells it from others. `within`: the same again, so many ms apart at most, is the same delivery; later it is
   * another one. Omitted: it is the same for ever.
   */
  readonly identity: { readonly id: string; readonly within?: number };
  /** What the model reads. */
  readonly event: string;
  /** What people see at once. */
  readonly notice: OutboundMessage;
  /** The untrusted source. */
  readonly source: string;
  readonly isPrivate: boolean;
  readonly at: number;
}

/** `no-chat`: nobody was ever heard in the chat, so nothing can be sent there. */
export type TakenDelivery =
  | { readonly type: 'taken'; readonly conversationId: string }
  | { readonly type: 'repeated' | 'no-chat' };

export interface WebhookCount {
  readonly deliveries: number;
  readonly lastAt: number | undefined;
}
