import type { Grant } from '../../approval/grants.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';

/** Standing permissions. Its methods belong inside a write. */
export class GrantsTable {
  readonly #insert: Statement;
  readonly #ofRequester: Statement;
  readonly #here: Statement;
  readonly #revoke: Statement;
  readonly #endWindows: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO grants (id, kind, conversation_id, requester, tool_name, description, hash, granted_by, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const standing = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)';
    this.#ofRequester = database.prepare(
      `SELECT * FROM grants WHERE conversation_id = ? AND requester = ? AND ${standing}`,
    );
    this.#here = database.prepare(
      `SELECT * FROM grants WHERE conversation_id = ? AND ${standing} ORDER BY created_at, id`,
    );
    this.#revoke = database.prepare(
      'UPDATE grants SET revoked_at = ? WHERE id = ? AND conversation_id = ? AND revoked_at IS NULL',
    );
    this.#endWindows = database.prepare(
      `UPDATE grants SET revoked_at = ? WHERE conversation_id = ? AND kind = 'window' AND revoked_at IS NULL`,
    );
  }

  add(grant: Grant): void {
    const { id, kind, conversationId, requester, toolName, description, grantedBy, createdAt } = grant;
    const hash = grant.kind === 'always' ? grant.hash : null;
    const expiresAt = grant.kind === 'window' ? grant.expiresAt : null;
    this.#insert.run(id, kind, conversationId, requester, toolName, description, hash, grantedBy, createdAt, expiresAt);
  }

  ofRequester(conversationId: string, requester: string, now: number): readonly Grant[] {
    return this.#ofRequester.all(conversationId, requester, now).map((found) => toGrant(new Row(found)));
  }

  here(conversationId: string, now: number): readonly Grant[] {
    return this.#here.all(conversationId, now).map((found) => toGrant(new Row(found)));
  }

  revoke(id: string, conversationId: string, at: number): boolean {
    return this.#revoke.run(at, id, conversationId).changes === 1;
  }

  endWindows(conversationId: string, at: number): void {
    this.#endWindows.run(at, conversationId);
  }
}

function toGrant(row: Row): Grant {
  const fields = {
    id: row.text('id'),
    conversationId: row.text('conversation_id'),
    requester: row.text('requester'),
    toolName: row.text('tool_name'),
    description: row.text('description'),
    grantedBy: row.text('granted_by'),
    createdAt: row.integer('created_at'),
  };
  switch (row.word('kind', ['window', 'always'])) {
    case 'window':
      return { ...fields, kind: 'window', expiresAt: row.integer('expires_at') };
    case 'always':
      return { ...fields, kind: 'always', hash: row.text('hash') };
  }
}
