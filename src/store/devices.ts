import { hash } from 'node:crypto';
import { conversationId, type OutboundMessage } from '../contract.ts';
import { accountOf, type Device, type DeviceCode, deviceChannel } from '../conversation/access/access.ts';
import type { Doing, Effect } from '../conversation/effects.ts';
import type { Origin } from '../engine/message.ts';
import * as audit from './audit.ts';
import { runIn, stopRun } from './commands.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import * as inbox from './inbox.ts';
import * as outbox from './outbox.ts';
import { columns, insertInto, oneOf, type Sql } from './sql.ts';

const toDevice = columns({
  id: 'text',
  name: 'text',
  principal: 'text',
  personName: 'text',
  tokenHash: 'text',
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
  readonly words: (device: Device) => OutboundMessage;
  readonly at: number;
}

/** Remembers which devices belong to whom. Each method is one transaction. */
export function createDeviceStore(database: Database) {
  const { sql } = database;
  return {
    /** Those that are not revoked, oldest first. */
    all: async (): Promise<readonly StoredDevice[]> =>
      sql.list(toDevice, 'SELECT * FROM devices WHERE revoked_at IS NULL ORDER BY created_at, id'),
    /** Uses the code up, if it is good. Resolves with the device, and with the conversations that have something to show. */
    pair: ({ id, tokenHash, at, words, ...pairing }: DevicePairing) =>
      database.writeIncoming(() => {
        // Looked up by digest, so that timing reveals nothing about the code.
        const used = 'DELETE FROM device_codes WHERE digest = ? AND expires_at > ? RETURNING *';
        const code = sql.find(toCode, used, digestOf(pairing.code), at);
        if (code === undefined) return undefined;
        const { conversationId: place, deviceName, principal, personName } = code;
        const name = deviceName ?? pairing.name;
        const device: Device = { id, name, principal, personName, createdAt: at };
        insertDevice(sql, { ...device, tokenHash });
        outbox.add(sql, { conversationId: place, message: words(device) }, at);
        audit.addBy(sql, 'device-paired', { conversationId: place, principal }, at, { device: id, name });
        return { device, places: [place] };
      }),
    rename: (id: string, name: string) =>
      database.write(() => void sql.run('UPDATE devices SET name = ? WHERE id = ?', name, id)),
    /** The device was connected. */
    seen: (id: string, at: number) =>
      database.write(() => void sql.run('UPDATE devices SET last_seen_at = ? WHERE id = ?', at, id), 'relaxed'),
    /** Shows the sender a code that pairs one of their devices. */
    offer: (code: DeviceCode): Effect<void> => ({
      name: 'offer-device',
      apply: ({ origin }) => void offerCode(sql, origin, code),
    }),
    /** Also ends the runs that the device began: a stolen device must not get their answers. */
    revoke: (id: string): Effect<EndedRuns> => ({
      name: 'revoke-device',
      apply: (doing) => revokeDevice(sql, id, doing),
    }),
    /** The conversations whose run the device has begun, with those of sub-runs. */
    runsOf: (id: string): readonly string[] =>
      begunBy(sql, { id }).flatMap((conversationId) => [
        conversationId,
        ...conversations.runningFor(sql, conversationId),
      ]),
  };
}

/** What ended with a device. */
export interface EndedRuns {
  /** The conversations whose run ended, sub-runs included. */
  readonly ended: readonly string[];
  /** Those of them with nothing left to do. */
  readonly settled: readonly string[];
}

const insertDevice = insertInto(`devices (id, name, principal, person_name, token_hash, created_at)`);

const digestOf = (code: string): string => hash('sha256', code);

/** Sets the person's pairing code. Replaces an earlier one. */
const offerCode = (sql: Sql, origin: Origin, { code, name: deviceName, expiresAt }: DeviceCode): boolean =>
  insertCode(sql, { ...origin, personName: origin.name, digest: digestOf(code), deviceName, expiresAt });
const insertCode = insertInto(`device_codes (principal, person_name, digest, device_name, conversation_id, expires_at)
  ON CONFLICT (principal) DO UPDATE SET person_name = excluded.person_name, digest = excluded.digest,
     device_name = excluded.device_name, conversation_id = excluded.conversation_id, expires_at = excluded.expires_at`);

function revokeDevice(sql: Sql, id: string, { origin, at, places }: Doing): EndedRuns {
  const device = revoked(sql, id, origin, at);
  const principal = accountOf(device);
  const before = openWith(sql, device);
  const begun = begunBy(sql, device);
  const ended = begun.flatMap((conversationId) => [
    conversationId,
    ...stopRun(sql, { origin: { ...origin, conversationId, principal }, at, places }, false).subRuns,
  ]);
  // Its unread messages behind another person's run must not be worked on either.
  for (const conversationId of before)
    inbox.withdrawOf(sql, principal, conversationId, runIn(sql, conversationId).seenSeq);
  places.push(...begun);
  const open = openWith(sql, device);
  return { ended, settled: begun.filter((conversationId) => !open.includes(conversationId)) };
}

/** Marks a device that is paired as revoked. */
function revoked(sql: Sql, id: string, origin: Origin, at: number): StoredDevice {
  const revoke = 'UPDATE devices SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING *';
  const device = toDevice(sql.one(revoke, at, id));
  audit.addBy(sql, 'device-revoked', origin, at, { device: id, name: device.name });
  return device;
}

/** The conversations whose run the device has begun. */
function begunBy(sql: Sql, device: Pick<Device, 'id'>): readonly string[] {
  const principal = accountOf(device);
  return openWith(sql, device).filter((conversationId) => runIn(sql, conversationId).runOf === principal);
}

/** The conversations with open work in which the device has talked. */
const openWith = (sql: Sql, device: Pick<Device, 'id'>): readonly string[] =>
  sql.texts(
    `SELECT id FROM participants JOIN conversations ON conversations.id = participants.conversation_id
     WHERE participants.principal = ? AND is_open = 1`,
    accountOf(device),
  );

/** Messages from and to people; cards and statuses are transient. The conditions match the partial indexes. */
const inbound = `FROM inbox WHERE conversation_id = @id AND kind = 'message'
  AND conversation_id >= 'device:' AND conversation_id < 'device;'`;
const outbound = `FROM outbox WHERE conversation_id = @id AND kind IN ('reply', 'for_user') AND state IN ('queued', 'delivered')
  AND conversation_id >= 'device:' AND conversation_id < 'device;'`;
const messages = `SELECT * FROM (SELECT received_at AS at, seq, 'user' AS role, coalesce(edited_text, text) AS content ${inbound} ORDER BY seq DESC LIMIT @most)
  UNION ALL
  SELECT * FROM (SELECT created_at AS at, seq, 'assistant' AS role, markdown AS content ${outbound} ORDER BY seq DESC LIMIT @most)
  ORDER BY at DESC, role, seq DESC LIMIT @most`;
const counted = `SELECT (SELECT count(*) ${inbound}) + (SELECT count(*) ${outbound})`;
const toMessage = columns({ role: oneOf('user', 'assistant'), content: 'text', at: 'integer' });

const toSession = columns({
  id: 'text',
  createdAt: 'integer',
  /** When the last message came or went. */
  lastActivity: 'integer',
});

/** A chat of a device. It belongs to the person who has first chosen its name. */
export type SessionSummary = ReturnType<typeof toSession> & { readonly messageCount: number };

/** A wish for another answer to the last message. `key`: of the same wish always the same. `text`: for the model. */
export type AnotherAnswer = Omit<inbox.EventDraft, 'pictures' | 'wantsAnswer'>;

/** The sessions of devices, and whose they are. Each method is one transaction. */
export function createSessionStore(database: Database) {
  const { sql } = database;
  const ownerOf = (id: string): string | undefined =>
    sql.texts('SELECT principal FROM device_sessions WHERE id = ?', id)[0];
  const count = (id: string): number => sql.number(counted, { id: conversationOf(id) });

  return {
    /** The account that owns the session; undefined where nobody has talked in it. */
    ownerOf: async (id: string) => ownerOf(id),
    /**
     * Gives the session to the account unless it, or one whose name differs in capitals only, belongs to another person.
     * Resolves with the owner's; undefined if it is nobody's, and the person has as many as they may have. `principals`: all
     * accounts of the person.
     */
    claim: (
      id: string,
      principal: string,
      { principals, most, at }: { readonly principals: readonly string[]; readonly most: number; readonly at: number },
    ) =>
      database.writeIncoming(() => {
        // Owned by another person. Ignores case, because file systems may.
        const [foreign] = sql.texts(
          `SELECT principal FROM device_sessions
           WHERE id = ? COLLATE NOCASE AND principal NOT IN (SELECT value FROM json_each(?)) LIMIT 1`,
          ...[id, principals],
        );
        if (foreign !== undefined) return foreign;
        const owned = sql.number(
          'SELECT count(*) FROM device_sessions WHERE principal IN (SELECT value FROM json_each(?))',
          principals,
        );
        if (owned < most) insertSession(sql, { id, principal, createdAt: at });
        return ownerOf(id);
      }),
    /** The sessions that belong to one of these accounts, the latest first, that many at most. */
    list: async (principals: readonly string[], most: number): Promise<readonly SessionSummary[]> => {
      const sessions = sql.list(
        toSession,
        `SELECT device_sessions.id AS id, created_at, coalesce(max(conversations.seen_at, created_at), created_at) AS last_activity
         FROM device_sessions LEFT JOIN conversations ON conversations.id = 'device:' || device_sessions.id
         WHERE principal IN (SELECT value FROM json_each(?)) ORDER BY last_activity DESC LIMIT ?`,
        ...[principals, most],
      );
      return sessions.map((session) => ({ ...session, messageCount: count(session.id) }));
    },
    /** The newest messages in it that are not taken back, the oldest of them first. */
    messages: async (id: string, most: number) =>
      sql.list(toMessage, messages, { id: conversationOf(id), most }).toReversed(),
    /** How many there are. */
    count: async (id: string) => count(id),
    /** Has the model answer once more. False if nobody has said anything since the conversation began. */
    answerAgain: (event: AnotherAnswer) =>
      database.writeIncoming(() => {
        const { conversationId: id } = event;
        const sinceSeq = conversations.find(sql, id)?.sinceSeq;
        if (sinceSeq === undefined || inbox.newestSeq(sql, id) <= sinceSeq) return false;
        inbox.addEvent(sql, { ...event, wantsAnswer: true });
        conversations.setOpen(sql, id);
        return true;
      }),
  };
}

const insertSession = insertInto(`device_sessions (id, principal, created_at)
  ON CONFLICT (id) DO NOTHING`);

function conversationOf(sessionId: string): string {
  return conversationId({ channel: deviceChannel, chatId: sessionId, kind: 'direct' });
}
