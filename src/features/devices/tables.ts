import { hash } from 'node:crypto';
import { type Conversation, conversationId, type OutboundMessage } from '../../contract.ts';
import { accountOf, type Device, type DeviceCode, deviceChannel } from '../../conversation/access/access.ts';
import type { Doing, Effect } from '../../conversation/effects.ts';
import type { Origin } from '../../engine/message.ts';
import * as audit from '../../store/audit.ts';
import { runIn, stopRun } from '../../store/commands.ts';
import * as conversations from '../../store/conversations.ts';
import type { Transactions } from '../../store/database.ts';
import * as inbox from '../../store/inbox.ts';
import type { FeatureTables } from '../../store/migrate.ts';
import * as outbox from '../../store/outbox.ts';
import { tellRights } from '../../store/people.ts';
import { columns, type Eventual, insertInto, type Sql, sqlIn } from '../../store/sql.ts';

/** Paired devices and their sessions. */
export const deviceTables: FeatureTables = {
  steps: [
    `
  CREATE TABLE devices (
    id TEXT PRIMARY KEY, name TEXT NOT NULL,
    -- The account that it was paired under, and that person's name.
    principal TEXT NOT NULL,
    person_name TEXT NOT NULL,
    -- SHA-256 of its token, in hex.
    token_hash TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL, last_seen_at INTEGER, revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;

  -- Codes shown to people, to be typed on a device: at most one per person.
  CREATE TABLE device_codes (
    principal TEXT PRIMARY KEY, person_name TEXT NOT NULL,
    -- SHA-256 of the code, in hex.
    digest TEXT NOT NULL UNIQUE,
    device_name TEXT, conversation_id TEXT NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The chats of devices, and the account that talked in each first.
  CREATE TABLE device_sessions (
    id TEXT PRIMARY KEY, principal TEXT NOT NULL, created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX device_sessions_by_principal ON device_sessions (principal);

  -- Files shown in them. Copies are kept beside this database for a while.
  CREATE TABLE device_files (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, name TEXT NOT NULL, media_type TEXT NOT NULL,
    size INTEGER NOT NULL, created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX device_files_by_session ON device_files (session_id, created_at);

  -- What is shown of sessions. Other channels keep that themselves, so their rows are left out.
  CREATE INDEX inbox_of_sessions ON inbox (conversation_id, seq)
    WHERE kind = 'message' AND conversation_id >= 'device:' AND conversation_id < 'device;';
  CREATE INDEX outbox_of_sessions ON outbox (conversation_id, seq, state)
    WHERE kind IN ('reply', 'for_user') AND conversation_id >= 'device:' AND conversation_id < 'device;';
`,
    // 1: a browser where the person has signed in, instead of pairing it.
    `ALTER TABLE devices ADD COLUMN is_browser INTEGER NOT NULL DEFAULT 0;`,
  ],
  ofPeople: {
    accounts: `SELECT 'device:' || id FROM devices WHERE principal IN (SELECT value FROM json_each(@accounts))`,
    forgets: [
      `DELETE FROM device_files WHERE session_id IN (
         SELECT id FROM device_sessions WHERE principal IN (SELECT value FROM json_each(@accounts)))`,
    ],
  },
};

const toDevice = columns({
  id: 'text',
  name: 'text',
  principal: 'text',
  personName: 'text',
  tokenHash: 'text',
  isBrowser: 'flag',
  createdAt: 'integer',
  lastSeenAt: 'integer?',
});

const toCode = columns({ principal: 'text', personName: 'text', conversationId: 'text', deviceName: 'text?' });

/** With the hash by which its token is recognised. The token cannot be computed from it. */
export interface StoredDevice extends Device {
  readonly tokenHash: string;
}

/** A device that shows a code. */
export interface DevicePairing {
  readonly code: string;
  readonly id: string;
  readonly tokenHash: string;
  /** Its own name for itself, where the code gives it none. */
  readonly name: string;
  /** The message to the person in the chat where they got the code. Called inside the transaction. */
  readonly words: (device: Device, conversationId: string) => OutboundMessage;
  readonly at: number;
}

/** A browser where somebody signs in. */
export interface NewBrowser extends Omit<StoredDevice, 'isBrowser' | 'lastSeenAt'> {
  /** Those that it takes the place of. */
  readonly inPlaceOf: readonly string[];
}

/** Remembers which devices belong to whom. Each method is one transaction, and each effect is part of one. */
export interface DeviceStore {
  /** Those that are not revoked, oldest first. */
  all(): Promise<readonly StoredDevice[]>;
  /** Uses the code up, if it is good. Resolves with the device, and with the conversations that have something to show. */
  pair(pairing: DevicePairing): Promise<NewlyPaired | undefined>;
  rename(id: string, name: string): Promise<void>;
  /** The device was connected. */
  seen(id: string, at: number): Promise<void>;
  /** Shows the sender a code that pairs one of their devices. */
  offer(code: DeviceCode): Effect<void>;
  /** Resolves with what ended with the browsers that it takes the place of. */
  admit(browser: NewBrowser): Promise<EndedRuns>;
  /** As `revoke`, by these devices themselves: their person signs out there, or has not been there for long. */
  dismiss(ids: readonly string[], at: number): Promise<EndedRuns>;
  /** Also ends the runs that the device began: a stolen device must not get their answers. */
  revoke(id: string): Effect<EndedRuns>;
  /** The codes that still hold, the first to expire first. */
  codes(at: number): Promise<readonly WaitingCode[]>;
  /** Results in whether that very code was still there. */
  cancelCode(code: Pick<WaitingCode, 'principal' | 'expiresAt'>): Effect<boolean>;
  /** The conversations whose run one of these devices has begun, with those of sub-runs. */
  runsOf(ids: readonly string[]): Promise<readonly string[]>;
}

export function createDeviceStore(database: Transactions): DeviceStore {
  const { sql } = database;
  return {
    all: async () => sql.list(toDevice, 'SELECT * FROM devices WHERE revoked_at IS NULL ORDER BY created_at, id'),
    pair: (pairing) => database.writeIncoming((sql) => pair(sql, pairing)),
    rename: (id, name) =>
      database.write(async (sql) => void (await sql.run('UPDATE devices SET name = ? WHERE id = ?', name, id))),
    seen: (id, at) =>
      database.write(
        async (sql) => void (await sql.run('UPDATE devices SET last_seen_at = ? WHERE id = ?', at, id)),
        'relaxed',
      ),
    admit: (browser) => database.writeIncoming((sql) => admit(sql, browser)),
    dismiss: (ids, at) => database.writeIncoming((sql) => dismiss(sql, ids, at)),
    offer: (code) => ({
      name: 'offer-device',
      apply: async (doing) => void (await offerCode(sqlIn(doing), doing.origin, code)),
    }),
    codes: async (at) => sql.list(toWaitingCode, waitingCodes, at),
    cancelCode: ({ principal, expiresAt }) => ({
      name: 'cancel-device-code',
      apply: (doing) => sqlIn(doing).changed(deleteCode, principal, expiresAt),
    }),
    revoke: (id) => ({ name: 'revoke-device', apply: (doing) => revokeDevice(sqlIn(doing), id, doing) }),
    runsOf: (ids) => database.read(async (sql) => runsOf(sql, ids)),
  };
}

/** A code that was given and not used yet. */
export interface WaitingCode {
  readonly principal: string;
  readonly personName: string;
  readonly deviceName: string | undefined;
  readonly expiresAt: number;
}

const deleteCode = 'DELETE FROM device_codes WHERE principal = ? AND expires_at = ?';
const waitingCodes =
  'SELECT principal, person_name, device_name, expires_at FROM device_codes WHERE expires_at > ? ORDER BY expires_at';
const toWaitingCode = columns({ principal: 'text', personName: 'text', deviceName: 'text?', expiresAt: 'integer' });

interface NewlyPaired {
  readonly device: Device;
  readonly conversationIds: readonly string[];
}

async function pair(
  sql: Sql,
  { id, tokenHash, at, words, ...pairing }: DevicePairing,
): Promise<NewlyPaired | undefined> {
  // Looked up by digest, so that timing reveals nothing about the code.
  const used = 'DELETE FROM device_codes WHERE digest = ? AND expires_at > ? RETURNING *';
  const code = await sql.find(toCode, used, digestOf(pairing.code), at);
  if (code === undefined) return undefined;
  const { conversationId, deviceName, principal, personName } = code;
  const name = deviceName ?? pairing.name;
  const device: Device = { id, name, principal, personName, isBrowser: false, createdAt: at };
  await insertDevice(sql, { ...device, tokenHash });
  await outbox.add(sql, { conversationId, message: words(device, conversationId) }, at);
  await audit.addBy(sql, 'device-paired', { conversationId, principal }, at, { device: id, name });
  tellRights(sql, 'device_paired', id, { principal });
  return { device, conversationIds: [conversationId] };
}

/** What ended with a device. */
export interface EndedRuns {
  /** The conversations whose run ended, sub-runs included. */
  readonly ended: readonly string[];
  /** Those of them with nothing left to do. */
  readonly settled: readonly string[];
  /** The conversations that have something to show. */
  readonly conversationIds: readonly string[];
}

const insertDevice = insertInto(`devices (id, name, principal, person_name, token_hash, is_browser, created_at)`);

async function admit(sql: Sql, { inPlaceOf, ...browser }: NewBrowser): Promise<EndedRuns> {
  const { id, name, createdAt: at } = browser;
  const ended = await dismiss(sql, inPlaceOf, at);
  const device = { ...browser, isBrowser: true };
  await insertDevice(sql, device);
  await audit.addBy(sql, 'browser-signed-in', { ...byItself(device), principal: device.principal }, at, {
    device: id,
    name,
  });
  tellRights(sql, 'device_paired', id, device);
  return ended;
}

async function dismiss(sql: Sql, ids: readonly string[], at: number): Promise<EndedRuns> {
  const conversationIds: string[] = [];
  const ended: string[] = [];
  const settled: string[] = [];
  for (const id of ids) {
    const device = await sql.find(toDevice, 'SELECT * FROM devices WHERE id = ? AND revoked_at IS NULL', id);
    if (device === undefined) continue;
    const runs = await revokeDevice(sql, id, { origin: byItself(device), at, conversationIds, transaction: sql });
    ended.push(...runs.ended);
    settled.push(...runs.settled);
  }
  return { ended, settled, conversationIds };
}

/** Where a device does something for its person that no chat has asked for. */
function byItself(device: Device): Origin {
  const conversation: Conversation = { channel: deviceChannel, chatId: device.id, kind: 'direct' };
  const [id, principal] = [conversationId(conversation), accountOf(device)];
  return { key: `${principal}:itself`, conversation, conversationId: id, principal, name: device.personName };
}

const digestOf = (code: string): string => hash('sha256', code);

/** Sets the person's pairing code. Replaces an earlier one. */
const offerCode = (sql: Sql, origin: Origin, { code, name: deviceName, expiresAt }: DeviceCode): Eventual<boolean> =>
  insertCode(sql, { ...origin, personName: origin.name, digest: digestOf(code), deviceName, expiresAt });
const insertCode = insertInto(`device_codes (principal, person_name, digest, device_name, conversation_id, expires_at)
  ON CONFLICT (principal) DO UPDATE SET person_name = excluded.person_name, digest = excluded.digest,
     device_name = excluded.device_name, conversation_id = excluded.conversation_id, expires_at = excluded.expires_at`);

async function revokeDevice(sql: Sql, id: string, doing: Doing): Promise<EndedRuns> {
  const { origin, at, conversationIds } = doing;
  const device = await revoked(sql, id, origin, at);
  const principal = accountOf(device);
  const before = await openWith(sql, device);
  const begun = await begunBy(sql, device);
  const ended: string[] = [];
  for (const conversationId of begun) {
    const { subRuns } = await stopRun(sql, { ...doing, origin: { ...origin, conversationId, principal } }, false);
    ended.push(conversationId, ...subRuns);
  }
  // Its unread messages behind another person's run must not be worked on either.
  for (const conversationId of before)
    await inbox.withdrawOf(sql, principal, conversationId, (await runIn(sql, conversationId)).seenSeq);
  conversationIds.push(...begun);
  const open = await openWith(sql, device);
  return { ended, settled: begun.filter((id) => !open.includes(id)), conversationIds };
}

/** Marks a device that is paired as revoked. */
async function revoked(sql: Sql, id: string, origin: Origin, at: number): Promise<StoredDevice> {
  const revoke = 'UPDATE devices SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING *';
  const device = toDevice(await sql.one(revoke, at, id));
  await audit.addBy(sql, 'device-revoked', origin, at, { device: id, name: device.name });
  tellRights(sql, 'device_removed', id, origin);
  return device;
}

/** The conversations whose run one of the devices has begun, with those of sub-runs. */
async function runsOf(sql: Sql, ids: readonly string[]): Promise<readonly string[]> {
  const runs: string[] = [];
  for (const id of ids)
    for (const conversationId of await begunBy(sql, { id }))
      runs.push(conversationId, ...(await conversations.runningFor(sql, conversationId)));
  return runs;
}

/** The conversations whose run the device has begun. */
async function begunBy(sql: Sql, device: Pick<Device, 'id'>): Promise<readonly string[]> {
  const principal = accountOf(device);
  const begun: string[] = [];
  for (const conversationId of await openWith(sql, device))
    if ((await runIn(sql, conversationId)).runOf === principal) begun.push(conversationId);
  return begun;
}

/** The conversations with open work in which the device has talked. */
const openWith = (sql: Sql, device: Pick<Device, 'id'>): Eventual<readonly string[]> =>
  sql.texts(
    `SELECT id FROM participants JOIN conversations ON conversations.id = participants.conversation_id
     WHERE participants.principal = ? AND is_open = 1`,
    accountOf(device),
  );
