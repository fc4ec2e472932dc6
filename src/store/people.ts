import type { Acquaintance } from '../conversation/access/access.ts';
import type { GroupStore } from '../conversation/access/group-requests.ts';
import type { GivenCode, Knock, Knocked, PeopleStore } from '../conversation/access/pairing.ts';
import { requestWords } from '../conversation/access/words.ts';
import type { Doing, Whom } from '../conversation/effects.ts';
import { noticeIn, type Origin } from '../engine/message.ts';
import { sameSecret } from '../lib/ids.ts';
import { nameCode } from '../lib/plain-text.ts';
import type { InLanguage } from '../lib/words.ts';
import type { RightsChanged } from '../telemetry.ts';
import * as audit from './audit.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import * as groupChoices from './group-choices.ts';
import { mayHint, unheardPrograms } from './hints.ts';
import * as outbox from './outbox.ts';
import { addCards, endCards } from './request-cards.ts';
import { columns, insertInto, type Sql } from './sql.ts';

/** The people who may talk, and those who ask for access. */
export function createPeopleStore(database: Database): PeopleStore & GroupStore {
  const { sql } = database;
  return {
    paired: async () => sql.list(toPaired, 'SELECT * FROM paired ORDER BY paired_at, principal'),
    codeHolders: (now) =>
      database.read(async (sql) =>
        (await codes(sql, now)).map(({ principal, name, expiresAt }) => ({ principal, name, expiresAt })),
      ),
    refused: async (now) =>
      sql.list(toRefused, 'SELECT * FROM refused_people WHERE until > ? ORDER BY refused_at', now),
    dropCodes: (principals) => database.write((sql) => removeCodes(sql, principals), 'relaxed'),
    groups: async () => groupChoices.groups(sql),
    askOfGroup: (asking) => database.writeIncoming((sql) => groupChoices.askOfGroup(sql, asking), 'relaxed'),
    leftGroup: (id) => database.writeIncoming((sql) => groupChoices.leftGroup(sql, id), 'relaxed'),
    knock: (knocked) => database.writeIncoming((sql) => knock(sql, knocked), 'relaxed'),
    endLate: (now) =>
      database.write(async (sql) => {
        const conversationIds = await removeLateCodes(sql, now);
        const next = (await sql.list(toCode, allCodes)).map(({ expiresAt }) => expiresAt);
        return { conversationIds, next: next.length === 0 ? undefined : Math.min(...next) };
      }, 'relaxed'),
    unheardPrograms: () => database.read(async (sql) => unheardPrograms(sql)),
    hint: ({ subject, origin, message, at, again }) =>
      database.writeIncoming(async (sql) => {
        if (!(await mayHint(sql, subject, at, again))) return false;
        await conversations.addUnheard(sql, origin);
        await outbox.add(sql, { conversationId: origin.conversationId, message }, at);
        return true;
      }, 'relaxed'),
  };
}

async function knock(sql: Sql, { origin, offer, request, words, at, again }: Knock): Promise<Knocked> {
  const { principal, conversationId } = origin;
  const ended = offer === undefined ? [] : await removeLateCodes(sql, at);
  if (!(await mayHint(sql, principal, at, again))) return { type: 'silent', conversationIds: ended };
  const isRefused = await sql.has('SELECT 1 FROM refused_people WHERE principal = ? AND until > ?', principal, at);
  const isOffered = offer !== undefined && !isRefused;
  const given = isOffered
    ? ((await askOwners(sql, origin, { offer, request, at })) ?? (await giveCode(sql, origin, offer, at)))
    : undefined;
  await conversations.addUnheard(sql, origin);
  await outbox.add(sql, { conversationId, message: words(given) }, at);
  const cards = given === 'asked' ? (request?.cards ?? []).map((card) => card.conversationId) : [];
  const conversationIds = [conversationId, ...ended, ...cards];
  const type = given === undefined ? 'refused' : given === 'asked' ? 'asked' : 'given-code';
  await audit.addBy(
    sql,
    { refused: 'stranger-refused', asked: 'owners-asked', 'given-code': 'code-given' }[type],
    origin,
    at,
  );
  return { type, conversationIds };
}

const toPaired = columns({ principal: 'text', name: 'text', pairedBy: 'text', pairedAt: 'integer' });

const toRefused = columns({ principal: 'text', name: 'text', conversationId: 'text', until: 'integer' });

const toCode = columns({
  principal: 'text',
  code: 'text',
  name: 'text',
  conversationId: 'text',
  expiresAt: 'integer',
  requestId: 'text?',
});

const allCodes = 'SELECT * FROM pairing_codes ORDER BY created_at, principal';

/** The valid codes, oldest first. */
const codes = async (sql: Sql, now: number) =>
  (await sql.list(toCode, allCodes)).filter(({ expiresAt }) => expiresAt > now);

interface Asked extends Pick<Knock, 'request' | 'at'> {
  readonly offer: NonNullable<Knock['offer']>;
}

/** Shows the owners a card about them, unless one is open; undefined if the owners cannot be asked now. */
async function askOwners(sql: Sql, origin: Origin, { offer, request, at }: Asked): Promise<'asked' | undefined> {
  const { principal, name, conversationId } = origin;
  const open = await codes(sql, at);
  const own = open.find((one) => one.principal === principal);
  if (own?.requestId !== undefined) return 'asked';
  const asking = open.filter(({ requestId }) => requestId !== undefined);
  const hasRoom = own !== undefined || open.length < offer.most;
  if (request === undefined || asking.length >= request.most || !hasRoom) return undefined;
  const code = own?.code ?? offer.code;
  if (open.some((other) => other !== own && other.code === code)) return undefined;
  const { id: requestId, expiresAt } = request;
  await insertCode(sql, { principal, code, name, conversationId, createdAt: at, expiresAt, requestId });
  await addCards(sql, requestId, request.cards, at);
  return 'asked';
}

/** The person's valid code, or else a new one; undefined if the limit of open codes is reached. */
async function giveCode(
  sql: Sql,
  { principal, name, conversationId }: Origin,
  { code, expiresAt, most }: NonNullable<Knock['offer']>,
  at: number,
): Promise<GivenCode | undefined> {
  const open = await codes(sql, at);
  const own = open.find((one) => one.principal === principal);
  if (own !== undefined) return own;
  // An identical code would admit the wrong person.
  if (open.length >= most || open.some((other) => other.code === code)) return undefined;
  await insertCode(sql, { principal, code, name, conversationId, createdAt: at, expiresAt });
  return { code, expiresAt };
}
const insertCode =
  insertInto(`pairing_codes (principal, code, name, conversation_id, created_at, expires_at, request_id)
  ON CONFLICT (principal) DO UPDATE SET expires_at = excluded.expires_at, request_id = excluded.request_id`);

/** What the cards of a request say once it is over. */
type EndWords = (asking: { readonly name: string; readonly id: string }) => InLanguage;

const noLongerWaits: EndWords = (asking) => (language) => requestWords[language].personOver(asking);
const tooLate: EndWords = (asking) => (language) => requestWords[language].personExpired(asking);

/**
 * Deletes the person's code, and their hint, so that they can be spoken to again, and ends the request about them. Returns
 * the conversations that show it.
 */
export async function removeCode(
  sql: Sql,
  principal: string,
  words: EndWords = noLongerWaits,
): Promise<readonly string[]> {
  const code = await sql.find(toCode, 'DELETE FROM pairing_codes WHERE principal = ? RETURNING *', principal);
  await sql.run('DELETE FROM hints WHERE subject = ?', principal);
  if (code === undefined) return [];
  return await endCards(sql, code.requestId, words({ name: nameCode(code.name), id: principal }));
}

/** Deletes those of several people in the same way. */
async function removeCodes(sql: Sql, principals: readonly string[], words?: EndWords): Promise<readonly string[]> {
  const places: string[] = [];
  for (const principal of principals) places.push(...(await removeCode(sql, principal, words)));
  return places;
}

/** Deletes all expired codes in the same way. */
async function removeLateCodes(sql: Sql, now: number): Promise<readonly string[]> {
  const late = (await sql.list(toCode, allCodes)).filter(({ expiresAt }) => expiresAt <= now);
  const principals = late.map(({ principal }) => principal);
  return await removeCodes(sql, principals, tooLate);
}

/** Makes the sender an owner, if there is none. */
export async function claim(sql: Sql, { origin, at, conversationIds }: Doing): Promise<boolean> {
  const isFirst = await sql.changed(
    'INSERT INTO owners (principal, name, claimed_at) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM owners)',
    ...[origin.principal, origin.name, at],
  );
  if (!isFirst) return false;
  conversationIds.push(...(await removeCode(sql, origin.principal)));
  await audit.addBy(sql, 'owner-claimed', origin, at);
  tellRights(sql, 'claimed', origin.principal, origin);
  return true;
}

/** Lets in whom this names, tells them, and consumes their code. */
export async function pair(
  sql: Sql,
  whom: Whom,
  welcome: (principal: string) => string,
  { origin, at, conversationIds }: Doing,
): Promise<Acquaintance | undefined> {
  const found = await personOf(sql, whom, at);
  if (found === undefined) return undefined;
  const { principal, name, conversationId } = found;
  const by = nameCode(origin.name);
  const letIn: EndWords = (asking) => (language) => requestWords[language].letIn({ ...asking, by, at });
  conversationIds.push(...(await removeCode(sql, principal, letIn)));
  await sql.run('DELETE FROM refused_people WHERE principal = ?', principal);
  await insertPaired(sql, { principal, name, pairedBy: origin.principal, pairedAt: at });
  await outbox.add(sql, noticeIn(conversationId, welcome(principal)), at);
  conversationIds.push(conversationId);
  await audit.addBy(sql, 'person-paired', origin, at, { person: principal });
  tellRights(sql, 'code' in whom ? 'paired' : 'let_in', principal, origin);
  return { principal, name };
}

/** Who asks to be let in, or was refused. Compares all codes in constant time. */
async function personOf(sql: Sql, whom: Whom, at: number) {
  if ('principal' in whom)
    return (
      (await codes(sql, at)).find(({ principal }) => principal === whom.principal) ??
      (await sql.find(toRefused, 'SELECT * FROM refused_people WHERE principal = ? AND until > ?', whom.principal, at))
    );
  if ('requestId' in whom) return (await codes(sql, at)).find(({ requestId }) => requestId === whom.requestId);
  return (await codes(sql, at)).filter((open) => sameSecret(whom.code, open.code))[0];
}

/** Lets nobody be asked about them until then. Undefined if they do not ask, or the request is over. */
export async function refuse(
  sql: Sql,
  { whom, until }: { readonly whom: Whom; readonly until: number },
  { origin, at, conversationIds }: Doing,
): Promise<Acquaintance | undefined> {
  const found = await personOf(sql, whom, at);
  if (found === undefined) return undefined;
  const { principal, name, conversationId } = found;
  const decided = { by: nameCode(origin.name), at, days: Math.round((until - at) / 86_400_000) };
  const refused: EndWords = (asking) => (language) => requestWords[language].refused({ ...asking, ...decided });
  conversationIds.push(...(await removeCode(sql, principal, refused)));
  await insertRefused(sql, { principal, name, conversationId, refusedBy: origin.principal, refusedAt: at, until });
  await audit.addBy(sql, 'person-refused', origin, at, { person: principal });
  tellRights(sql, 'refused', principal, origin);
  return { principal, name };
}

const insertRefused = insertInto(`refused_people (principal, name, conversation_id, refused_by, refused_at, until)
  ON CONFLICT (principal) DO UPDATE SET name = excluded.name, refused_by = excluded.refused_by, refused_at = excluded.refused_at, until = excluded.until`);

const insertPaired = insertInto(`paired (principal, name, paired_by, paired_at)
  ON CONFLICT (principal) DO NOTHING`);

/** Revokes a person's access. */
export async function unpair(sql: Sql, principal: string, { origin, at }: Doing): Promise<Acquaintance | undefined> {
  const person = await sql.find(toPaired, 'DELETE FROM paired WHERE principal = ? RETURNING *', principal);
  if (person === undefined) return undefined;
  await sql.run('DELETE FROM link_codes WHERE principal = ?', principal);
  await audit.addBy(sql, 'person-unpaired', origin, at, { person: principal });
  tellRights(sql, 'removed', principal, origin);
  return person;
}

/** Somebody's rights have changed, by a person. */
export function tellRights(
  sql: Sql,
  change: RightsChanged['change'],
  subject: string,
  { principal: by }: { readonly principal: string },
): void {
  sql.told.tell({ type: 'rights_changed', change, subject, by });
}

/** Sends to the person's direct chats. */
export const tell = async (sql: Sql, principal: string, markdown: string, at: number): Promise<readonly string[]> =>
  await outbox.sayTo(sql, await conversations.directConversationsOf(sql, [principal]), markdown, at);
