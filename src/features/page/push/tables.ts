import { columns, insertInto, type Sql } from '../../../store/sql.ts';
import type { Subscription } from './subscription.ts';

const toSubscription = columns({ endpoint: 'text', p256dh: 'text', auth: 'text' });

/** Where the messages for this browser go. `principal`: its account. */
export function subscriptionOf(sql: Sql, principal: string): Subscription | undefined {
  return sql.find(toSubscription, 'SELECT endpoint, p256dh, auth FROM page_push WHERE principal = ?', principal);
}

interface NewSubscription extends Subscription {
  readonly principal: string;
  readonly createdAt: number;
}

/** Takes the place of the browser's former one. `most` stay of the person with these accounts: the oldest go. */
export function keepSubscription(
  sql: Sql,
  subscription: NewSubscription,
  { accounts, most }: { readonly accounts: readonly string[]; readonly most: number },
): void {
  // The same browser, as somebody else or from before.
  sql.run('DELETE FROM page_push WHERE endpoint = ? AND principal <> ?', subscription.endpoint, subscription.principal);
  insertSubscription(sql, subscription);
  for (const principal of sql.texts(newestFirst, JSON.stringify(accounts)).slice(most))
    removeSubscription(sql, principal);
}

const insertSubscription = insertInto(`page_push (principal, endpoint, p256dh, auth, created_at)
  ON CONFLICT (principal) DO UPDATE SET endpoint = excluded.endpoint, p256dh = excluded.p256dh, auth = excluded.auth,
     created_at = excluded.created_at`);

const newestFirst = `SELECT principal FROM page_push WHERE principal IN (SELECT value FROM json_each(?))
  ORDER BY created_at DESC, principal`;

export function removeSubscription(sql: Sql, principal: string): void {
  sql.run('DELETE FROM page_push WHERE principal = ?', principal);
}

/** Removes that very one: the browser may have a newer one by now. */
export function removeGone(sql: Sql, principal: string, { endpoint }: Subscription): void {
  sql.run('DELETE FROM page_push WHERE principal = ? AND endpoint = ?', principal, endpoint);
}

/** The key that messages are signed with: PKCS #8 in base64url. Undefined: none was needed yet. */
export function signingKey(sql: Sql): string | undefined {
  return sql.texts('SELECT private_key FROM page_push_key WHERE id = 1')[0];
}

/** Keeps it, unless there is one. Returns the one that counts. */
export function keepSigningKey(sql: Sql, made: string): string {
  sql.run('INSERT INTO page_push_key (id, private_key) VALUES (1, ?) ON CONFLICT (id) DO NOTHING', made);
  return signingKey(sql) ?? made;
}
