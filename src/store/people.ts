import { hash } from 'node:crypto';
import type { Acquaintance, Link } from '../conversation/access/access.ts';
import type { GivenCode, Knock, PeopleStore } from '../conversation/access/pairing.ts';
import type { Doing, Effect } from '../conversation/effects.ts';
import { noticeIn, type Origin } from '../engine/message.ts';
import { newId, sameSecret } from '../lib/ids.ts';
import * as audit from './audit.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import * as outbox from './outbox.ts';
import { columns, insertInto, type Sql } from './sql.ts';

/** The people who may talk, and those who ask for access. */
export function createPeopleStore(database: Database): PeopleStore {
  const { sql } = database;
  return {
    paired: async () => sql.list(toPaired, 'SELECT * FROM paired ORDER BY paired_at, principal'),
    codeHolders: async (now) =>
      codes(sql, now).map(({ principal, name, expiresAt }) => ({ principal, name, expiresAt })),
    dropCodes: (principals) =>
      database.write(() => {
        for (const principal of principals) removeCode(sql, principal);
      }, 'relaxed'),
    knock: ({ origin, offer, words, at, again }) =>
      database.writeIncoming(() => {
        const { principal, conversationId } = origin;
        if (offer !== undefined) removeLateCodes(sql, at);
        if (!mayHint(sql, principal, at, again)) return 'silent';
        const given = offer && giveCode(sql, origin, offer, at);
        conversations.addUnheard(sql, origin);
        outbox.add(sql, { conversationId, message: words(given) }, at);
        audit.addBy(sql, given === undefined ? 'stranger-refused' : 'code-given', origin, at);
        return given === undefined ? 'refused' : 'given-code';
      }, 'relaxed'),
    hint: ({ subject, origin, message, at, again }) =>
      database.writeIncoming(() => {
        if (!mayHint(sql, subject, at, again)) return false;
        conversations.addUnheard(sql, origin);
        outbox.add(sql, { conversationId: origin.conversationId, message }, at);
        return true;
      }, 'relaxed'),
  };
}

const toPaired = columns({ principal: 'text', name: 'text', pairedBy: 'text', pairedAt: 'integer' });

const toCode = columns({ principal: 'text', code: 'text', name: 'text', conversationId: 'text', expiresAt: 'integer' });

/** The valid codes, oldest first. */
const codes = (sql: Sql, now: number) =>
  sql.list(toCode, 'SELECT * FROM pairing_codes WHERE expires_at > ? ORDER BY created_at, principal', now);

/** The person's valid code, or else a new one; undefined if the limit of open codes is reached. */
function giveCode(
  sql: Sql,
  { principal, name, conversationId }: Origin,
  { code, expiresAt, most }: NonNullable<Knock['offer']>,
  at: number,
): GivenCode | undefined {
  const open = codes(sql, at);
  const own = open.find((one) => one.principal === principal);
  if (own !== undefined) return own;
  // An identical code would admit the wrong person.
  if (open.length >= most || open.some((other) => other.code === code)) return undefined;
  insertCode(sql, { principal, code, name, conversationId, createdAt: at, expiresAt });
  return { code, expiresAt };
}
const insertCode = insertInto(`pairing_codes (principal, code, name, conversation_id, created_at, expires_at)`);

/** Deletes the person's code, and their hint, so that they can be spoken to again. */
function removeCode(sql: Sql, principal: string): void {
  sql.run('DELETE FROM pairing_codes WHERE principal = ?', principal);
  sql.run('DELETE FROM hints WHERE subject = ?', principal);
}

/** Deletes all expired codes in the same way. */
function removeLateCodes(sql: Sql, now: number): void {
  sql.run('DELETE FROM hints WHERE subject IN (SELECT principal FROM pairing_codes WHERE expires_at <= ?)', now);
  sql.run('DELETE FROM pairing_codes WHERE expires_at <= ?', now);
}

/** Compare-and-set: whether a hint about the subject is due, and if so records it. */
const mayHint = (sql: Sql, subject: string, at: number, again: number): boolean =>
  sql.changed(
    `INSERT INTO hints (subject, said_at) VALUES (@subject, @at)
     ON CONFLICT (subject) DO UPDATE SET said_at = @at WHERE said_at <= @before`,
    { subject, at, before: at - again },
  );

/** Makes the sender an owner, if there is none. */
export function claim(sql: Sql, origin: Origin, at: number): boolean {
  const isFirst = sql.changed(
    'INSERT INTO owners (principal, name, claimed_at) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM owners)',
    ...[origin.principal, origin.name, at],
  );
  if (!isFirst) return false;
  removeCode(sql, origin.principal);
  audit.addBy(sql, 'owner-claimed', origin, at);
  return true;
}

/** Admits the holder of a valid code, tells them, and consumes the code. Compares all codes in constant time. */
export function pair(
  sql: Sql,
  { code, welcome }: { readonly code: string; readonly welcome: (principal: string) => string },
  { origin, at, conversationIds }: Doing,
): Acquaintance | undefined {
  const [found] = codes(sql, at).filter((open) => sameSecret(code, open.code));
  if (found === undefined) return undefined;
  const { principal, name, conversationId } = found;
  removeCode(sql, principal);
  insertPaired(sql, { principal, name, pairedBy: origin.principal, pairedAt: at });
  outbox.add(sql, noticeIn(conversationId, welcome(principal)), at);
  conversationIds.push(conversationId);
  audit.addBy(sql, 'person-paired', origin, at, { person: principal });
  return { principal, name };
}

const insertPaired = insertInto(`paired (principal, name, paired_by, paired_at)
  ON CONFLICT (principal) DO NOTHING`);

/** Revokes a person's access. */
export function unpair(sql: Sql, principal: string, { origin, at }: Doing): Acquaintance | undefined {
  const person = sql.find(toPaired, 'DELETE FROM paired WHERE principal = ? RETURNING *', principal);
  if (person === undefined) return undefined;
  removeLinkCodeOf(sql, principal);
  audit.addBy(sql, 'person-unpaired', origin, at, { person: principal });
  return person;
}

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
      apply({ origin, at }) {
        // Deletes everybody's expired codes.
        sql.run('DELETE FROM link_codes WHERE expires_at <= ?', at);
        insertLinkCode(sql, { ...origin, digest: digestOf(code), expiresAt });
      },
    }),
    join: (joining) => ({ name: 'link', apply: (doing) => link(sql, joining, doing) }),
    burn: (code) => ({ name: 'burn-link-code', apply: () => void sql.run(burnCode, digestOf(code)) }),
    unlink: (principal, notice) => ({ name: 'unlink', apply: (doing) => unlink(sql, principal, notice, doing) }),
  };
}

const toLink = columns({ principal: 'text', person: 'text', name: 'text', linkedAt: 'integer' });
const toLinkCode = columns({ principal: 'text', name: 'text', conversationId: 'text' });

const links = (sql: Sql): readonly Link[] => sql.list(toLink, 'SELECT * FROM links ORDER BY linked_at, principal');

const linkOf = (sql: Sql, principal: string): Link | undefined =>
  sql.find(toLink, 'SELECT * FROM links WHERE principal = ?', principal);

const linksOfPerson = (sql: Sql, person: string): readonly Link[] =>
  sql.list(toLink, 'SELECT * FROM links WHERE person = ?', person);

/** Looked up by digest, so that timing reveals nothing about the code. */
const linkCode = (sql: Sql, code: string, now: number) =>
  sql.find(toLinkCode, 'SELECT * FROM link_codes WHERE digest = ? AND expires_at > ?', digestOf(code), now);

const removeLinkCodeOf = (sql: Sql, principal: string): number =>
  sql.run('DELETE FROM link_codes WHERE principal = ?', principal);

const digestOf = (code: string): string => hash('sha256', code, 'base64');

const insertLinkCode = insertInto(`link_codes (principal, digest, name, conversation_id, expires_at)
  ON CONFLICT (principal) DO UPDATE SET digest = excluded.digest, name = excluded.name,
     conversation_id = excluded.conversation_id, expires_at = excluded.expires_at`);
const burnCode = 'DELETE FROM link_codes WHERE digest = ?';

/** A linked account cannot join another person: merging two people could not be undone. */
function link(
  sql: Sql,
  { code, told, notice }: Joining,
  { origin, at, conversationIds }: Doing,
): LinkChange | undefined {
  const { principal } = origin;
  const found = linkCode(sql, code, at);
  if (found === undefined || found.principal === principal || linkOf(sql, principal) !== undefined) return undefined;
  sql.run(burnCode, digestOf(code));
  removeLinkCodeOf(sql, principal);
  removeCode(sql, principal);
  const person = linkOf(sql, found.principal)?.person;
  const joined = { person: person ?? newId(12), linkedAt: at };
  const linked = { principal: found.principal, name: found.name };
  for (const account of person === undefined ? [linked, origin] : [origin])
    insertLink(sql, { principal: account.principal, name: account.name, ...joined });
  outbox.add(sql, noticeIn(found.conversationId, notice(origin)), at);
  conversationIds.push(found.conversationId);
  for (const owner of told) conversationIds.push(...tell(sql, owner.principal, owner.notice(origin, linked), at));
  audit.addBy(sql, 'account-linked', origin, at, { with: found.principal });
  return { links: links(sql), linked };
}

const insertLink = insertInto(`links (principal, person, name, linked_at)`);

function unlink(
  sql: Sql,
  principal: string,
  notice: string,
  { origin, at, conversationIds }: Doing,
): LinkChange | undefined {
  const found = linkOf(sql, principal);
  if (found === undefined) return undefined;
  // An open code of any of these accounts could restore the link.
  for (const account of linksOfPerson(sql, found.person)) removeLinkCodeOf(sql, account.principal);
  const remove = 'DELETE FROM links WHERE principal = ?';
  sql.run(remove, principal);
  const rest = linksOfPerson(sql, found.person);
  if (rest.length === 1) for (const last of rest) sql.run(remove, last.principal);
  if (origin.principal !== principal) conversationIds.push(...tell(sql, principal, notice, at));
  audit.addBy(sql, 'account-unlinked', origin, at, { account: principal });
  return { links: links(sql), linked: { principal, name: found.name } };
}

/** Sends to the person's direct chats. */
const tell = (sql: Sql, principal: string, markdown: string, at: number): readonly string[] =>
  outbox.sayTo(sql, conversations.directConversationsOf(sql, [principal]), markdown, at);
