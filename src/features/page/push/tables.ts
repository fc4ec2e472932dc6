import type { Transactions } from '../../../store/database.ts';
import { columns, insertInto, type Sql } from '../../../store/sql.ts';
import type { Subscription } from './subscription.ts';

const toSubscription = columns({ endpoint: 'text', p256dh: 'text', auth: 'text' });

/** Where the messages for this browser go. `principal`: its account. */
export async function subscriptionOf(sql: Sql, principal: string): Promise<Subscription | undefined> {
  return await sql.find(toSubscription, 'SELECT endpoint, p256dh, auth FROM page_push WHERE principal = ?', principal);
}

interface NewSubscription extends Subscription {
  readonly principal: string;
  readonly createdAt: number;
}

/** Takes the place of the browser's former one. `most` stay of the person with these accounts: the oldest go. */
export function keepSubscription(
  { write }: Transactions,
  subscription: NewSubscription,
  { accounts, most }: { readonly accounts: readonly string[]; readonly most: number },
): Promise<void> {
  const { endpoint, principal } = subscription;
  return write(async (sql) => {
    // The same browser, as somebody else or from before.
    await sql.run('DELETE FROM page_push WHERE endpoint = ? AND principal <> ?', endpoint, principal);
    await insertSubscription(sql, subscription);
    for (const old of (await sql.texts(newestFirst, JSON.stringify(accounts))).slice(most)) await sql.run(removal, old);
  });
}

const insertSubscription = insertInto(`page_push (principal, endpoint, p256dh, auth, created_at)
  ON CONFLICT (principal) DO UPDATE SET endpoint = excluded.endpoint, p256dh = excluded.p256dh, auth = excluded.auth,
     created_at = excluded.created_at`);

const newestFirst = `SELECT principal FROM page_push WHERE principal IN (SELECT value FROM json_each(?))
  ORDER BY created_at DESC, principal`;

const removal = 'DELETE FROM page_push WHERE principal = ?';

export function removeSubscription({ write }: Transactions, principal: string): Promise<void> {
  return write(async (sql) => void (await sql.run(removal, principal)));
}

/** Removes that very one: the browser may have a newer one by now. */
export function removeGone({ write }: Transactions, principal: string, { endpoint }: Subscription): Promise<void> {
  return write(
    async (sql) =>
      void (await sql.run('DELETE FROM page_push WHERE principal = ? AND endpoint = ?', principal, endpoint)),
  );
}

/** The key that messages are signed with: PKCS #8 in base64url. Undefined: none was needed yet. */
export async function signingKey(sql: Sql): Promise<string | undefined> {
  return (await sql.texts(keptKey))[0];
}

const keptKey = 'SELECT private_key FROM page_push_key WHERE id = 1';

/** Keeps it, unless there is one. Resolves with the one that counts. */
export function keepSigningKey({ write }: Transactions, made: string): Promise<string> {
  return write(async (sql) => {
    await sql.run('INSERT INTO page_push_key (id, private_key) VALUES (1, ?) ON CONFLICT (id) DO NOTHING', made);
    return (await sql.texts(keptKey))[0] ?? made;
  });
}
