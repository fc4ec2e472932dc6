import { hash } from 'node:crypto';
import type { Acquaintance, Link } from '../conversation/access/access.ts';
import type { Doing, Effect } from '../conversation/effects.ts';
import { noticeIn } from '../engine/message.ts';
import { newId } from '../lib/ids.ts';
import * as audit from './audit.ts';
import type { Database } from './database.ts';
import * as outbox from './outbox.ts';
import { removeCode, tell, tellRights } from './people.ts';
import { columns, type Eventual, insertInto, type Sql, sqlIn } from './sql.ts';

/** Linked accounts. */
export interface LinkStore {
  /** Oldest first. */
  links(): Promise<readonly Link[]>;
  /** Who asked for this code, if it is valid. */
  codeOf(code: string, now: number): Promise<LinkCode | undefined>;
  /** Lets the account that types the code in time join the sender's person. */
  offer(code: string, expiresAt: number): Effect<void>;
  /** Links the sender with the person who asked for the code. Undefined if the code is not valid. */
  join(joining: Joining): Effect<LinkChange | undefined>;
  /** Invalidates the code, because others have seen it. */
  burn(code: string): Effect<void>;
  /** Unlinks the account, and tells it so. Undefined if it is not linked. */
  unlink(principal: string, notice: string): Effect<LinkChange | undefined>;
}

/** Who asked for a code. */
interface LinkCode extends Acquaintance {
  readonly conversationId: string;
}

export interface LinkChange {
  /** All links. */
  readonly links: readonly Link[];
  /** The account that the sender was linked with, or that was unlinked. */
  readonly linked: Acquaintance;
}

interface Joining {
  readonly code: string;
  /** These people are told in their own chats. */
  readonly told: readonly ToldOfLink[];
  /** For the person whose code it was, about the account that joins. */
  readonly notice: (account: Acquaintance) => string;
}

interface ToldOfLink {
  readonly principal: string;
  readonly notice: (account: Acquaintance, linked: Acquaintance) => string;
}

export function createLinksStore({ sql }: Database): LinkStore {
  return {
    links: async () => links(sql),
    codeOf: async (code, now) => linkCode(sql, code, now),
    offer: (code, expiresAt) => ({
      name: 'offer-link',
      async apply(doing) {
        const { origin, at } = doing;
        const sql = sqlIn(doing);
        // Deletes everybody's expired codes.
        await sql.run('DELETE FROM link_codes WHERE expires_at <= ?', at);
        await insertLinkCode(sql, { ...origin, digest: digestOf(code), expiresAt });
      },
    }),
    join: (joining) => ({ name: 'link', apply: (doing) => link(sqlIn(doing), joining, doing) }),
    burn: (code) => ({
      name: 'burn-link-code',
      apply: async (doing) => void (await sqlIn(doing).run(burnCode, digestOf(code))),
    }),
    unlink: (principal, notice) => ({
      name: 'unlink',
      apply: (doing) => unlink(sqlIn(doing), principal, notice, doing),
    }),
  };
}

const toLink = columns({ principal: 'text', person: 'text', name: 'text', linkedAt: 'integer' });
const toLinkCode = columns({ principal: 'text', name: 'text', conversationId: 'text' });

const links = (sql: Sql): Eventual<readonly Link[]> =>
  sql.list(toLink, 'SELECT * FROM links ORDER BY linked_at, principal');

const linkOf = (sql: Sql, principal: string): Eventual<Link | undefined> =>
  sql.find(toLink, 'SELECT * FROM links WHERE principal = ?', principal);

const linksOfPerson = (sql: Sql, person: string): Eventual<readonly Link[]> =>
  sql.list(toLink, 'SELECT * FROM links WHERE person = ?', person);

/** Looked up by digest, so that timing reveals nothing about the code. */
const linkCode = (sql: Sql, code: string, now: number) =>
  sql.find(toLinkCode, 'SELECT * FROM link_codes WHERE digest = ? AND expires_at > ?', digestOf(code), now);

const removeLinkCodeOf = (sql: Sql, principal: string): Eventual<number> =>
  sql.run('DELETE FROM link_codes WHERE principal = ?', principal);

const digestOf = (code: string): string => hash('sha256', code, 'base64');

const insertLinkCode = insertInto(`link_codes (principal, digest, name, conversation_id, expires_at)
  ON CONFLICT (principal) DO UPDATE SET digest = excluded.digest, name = excluded.name,
     conversation_id = excluded.conversation_id, expires_at = excluded.expires_at`);
const burnCode = 'DELETE FROM link_codes WHERE digest = ?';

/** A linked account cannot join another person: merging two people could not be undone. */
async function link(
  sql: Sql,
  { code, told, notice }: Joining,
  { origin, at, conversationIds }: Doing,
): Promise<LinkChange | undefined> {
  const { principal } = origin;
  const found = await linkCode(sql, code, at);
  if (found === undefined || found.principal === principal || (await linkOf(sql, principal)) !== undefined)
    return undefined;
  await sql.run(burnCode, digestOf(code));
  await removeLinkCodeOf(sql, principal);
  conversationIds.push(...(await removeCode(sql, principal)));
  const person = (await linkOf(sql, found.principal))?.person;
  const joined = { person: person ?? newId(12), linkedAt: at };
  const linked = { principal: found.principal, name: found.name };
  for (const account of person === undefined ? [linked, origin] : [origin])
    await insertLink(sql, { principal: account.principal, name: account.name, ...joined });
  await outbox.add(sql, noticeIn(found.conversationId, notice(origin)), at);
  conversationIds.push(found.conversationId);
  for (const owner of told)
    conversationIds.push(...(await tell(sql, owner.principal, owner.notice(origin, linked), at)));
  await audit.addBy(sql, 'account-linked', origin, at, { with: found.principal });
  tellRights(sql, 'linked', origin.principal, found);
  return { links: await links(sql), linked };
}

const insertLink = insertInto(`links (principal, person, name, linked_at)`);

async function unlink(
  sql: Sql,
  principal: string,
  notice: string,
  { origin, at, conversationIds }: Doing,
): Promise<LinkChange | undefined> {
  const found = await linkOf(sql, principal);
  if (found === undefined) return undefined;
  // An open code of any of these accounts could restore the link.
  for (const account of await linksOfPerson(sql, found.person)) await removeLinkCodeOf(sql, account.principal);
  const remove = 'DELETE FROM links WHERE principal = ?';
  await sql.run(remove, principal);
  const rest = await linksOfPerson(sql, found.person);
  if (rest.length === 1) for (const last of rest) await sql.run(remove, last.principal);
  if (origin.principal !== principal) conversationIds.push(...(await tell(sql, principal, notice, at)));
  await audit.addBy(sql, 'account-unlinked', origin, at, { account: principal });
  tellRights(sql, 'unlinked', principal, origin);
  return { links: await links(sql), linked: { principal, name: found.name } };
}
