import { hash } from 'node:crypto';
import { conversationId } from '../contract.ts';
import {
  accountOf,
  type Device,
  type DeviceCode,
  type DeviceStore,
  deviceChannel,
  type SessionStore,
  type StoredDevice,
} from '../conversation/devices/device-stores.ts';
import type { Origin } from '../engine/message.ts';
import * as audit from './audit.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import * as inbox from './inbox.ts';
import * as outbox from './outbox.ts';
import { columns, oneOf, type Sql, text } from './sql.ts';

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

/** The paired devices, oldest first. */
export function createDeviceStore(database: Database): DeviceStore {
  const { sql } = database;
  return {
    all: async () => sql.all('SELECT * FROM devices WHERE revoked_at IS NULL ORDER BY created_at, id').map(toDevice),
    pair: ({ id, tokenHash, at, words, ...pairing }) =>
      database.write(() => {
        // Looked up by digest, so that timing reveals nothing about the code.
        const row = sql.get(
          'DELETE FROM device_codes WHERE digest = ? AND expires_at > ? RETURNING *',
          ...[digestOf(pairing.code), at],
        );
        if (row === undefined) return undefined;
        const { conversationId: place, deviceName, principal, personName } = toCode(row);
        const name = deviceName ?? pairing.name;
        const device: Device = { id, name, principal, personName, createdAt: at };
        sql.run(
          'INSERT INTO devices (id, name, principal, person_name, token_hash, created_at) VALUES (?, ?, ?, ?, ?, ?)',
          ...[id, name, principal, personName, tokenHash, at],
        );
        outbox.add(sql, { conversationId: place, message: words(device) }, at);
        audit.addBy(sql, 'device-paired', { conversationId: place, principal }, at, { device: id, name });
        return { device, places: [place] };
      }),
    rename: (id, name) => database.write(() => void sql.run('UPDATE devices SET name = ? WHERE id = ?', name, id)),
    seen: (id, at) =>
      database.write(() => void sql.run('UPDATE devices SET last_seen_at = ? WHERE id = ?', at, id), 'relaxed'),
  };
}

const digestOf = (code: string): string => hash('sha256', code);

/** Sets the person's pairing code. Replaces an earlier one. */
export const offerCode = (sql: Sql, { principal, name, conversationId: place }: Origin, code: DeviceCode): number =>
  sql.run(
    `INSERT INTO device_codes (principal, person_name, digest, device_name, conversation_id, expires_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (principal) DO UPDATE SET person_name = excluded.person_name, digest = excluded.digest,
       device_name = excluded.device_name, conversation_id = excluded.conversation_id, expires_at = excluded.expires_at`,
    ...[principal, name, digestOf(code.code), code.name, place, code.expiresAt],
  );

/** Revokes a device; undefined if it was not paired. */
export function revoke(sql: Sql, id: string, origin: Origin, at: number): StoredDevice | undefined {
  const row = sql.get('UPDATE devices SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING *', at, id);
  if (row === undefined) return undefined;
  const device = toDevice(row);
  audit.addBy(sql, 'device-revoked', origin, at, { device: id, name: device.name });
  return device;
}

/** The conversations with open work in which the device has talked. */
export const openWith = (sql: Sql, device: Pick<Device, 'id'>): readonly string[] =>
  sql.texts(
    'id',
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
const counted = `SELECT (SELECT count(*) ${inbound}) + (SELECT count(*) ${outbound}) AS count`;
const toMessage = columns({ role: oneOf('user', 'assistant'), content: 'text', at: 'integer' });

const toSession = columns({ id: 'text', createdAt: 'integer', lastActivity: 'integer' });

/** The sessions of devices. */
export function createSessionStore(database: Database): SessionStore {
  const { sql } = database;
  const ownerOf = (id: string): string | undefined =>
    sql.texts('principal', 'SELECT principal FROM device_sessions WHERE id = ?', id)[0];
  const count = (id: string): number => sql.count(counted, { id: conversationOf(id) });

  return {
    ownerOf: async (id) => ownerOf(id),
    claim: (id, principal, { principals, most, at }) =>
      database.write(() => {
        const person = JSON.stringify(principals);
        // Owned by another person. Ignores case, because file systems may.
        const foreign = sql.get(
          `SELECT principal FROM device_sessions
           WHERE id = ? COLLATE NOCASE AND principal NOT IN (SELECT value FROM json_each(?)) LIMIT 1`,
          ...[id, person],
        );
        if (foreign !== undefined) return text(foreign, 'principal');
        const owned = sql.count(
          'SELECT count(*) AS count FROM device_sessions WHERE principal IN (SELECT value FROM json_each(?))',
          person,
        );
        if (owned < most)
          sql.run(
            'INSERT INTO device_sessions (id, principal, created_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING',
            ...[id, principal, at],
          );
        return ownerOf(id);
      }),
    list: async (principals, most) => {
      const rows = sql.all(
        `SELECT device_sessions.id AS id, created_at, coalesce(max(conversations.seen_at, created_at), created_at) AS last_activity
         FROM device_sessions LEFT JOIN conversations ON conversations.id = 'device:' || device_sessions.id
         WHERE principal IN (SELECT value FROM json_each(?)) ORDER BY last_activity DESC LIMIT ?`,
        ...[JSON.stringify(principals), most],
      );
      return rows.map(toSession).map((session) => ({ ...session, messageCount: count(session.id) }));
    },
    messages: async (id, most) =>
      sql
        .all(messages, { id: conversationOf(id), most })
        .map(toMessage)
        .reverse(),
    count: async (id) => count(id),
    answerAgain: (event) =>
      database.write(() => {
        const { conversationId: id } = event;
        const sinceSeq = conversations.find(sql, id)?.sinceSeq;
        if (sinceSeq === undefined || inbox.newestSeq(sql, id) <= sinceSeq) return false;
        inbox.addEvent(sql, { ...event, wantsAnswer: true });
        conversations.setOpen(sql, id);
        return true;
      }),
  };
}

function conversationOf(sessionId: string): string {
  return conversationId({ channel: deviceChannel, chatId: sessionId, kind: 'direct' });
}
