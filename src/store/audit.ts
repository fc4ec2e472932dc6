import type { Origin } from '../engine/message.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Database } from './database.ts';
import { columns, insertInto, json, type Sql } from './sql.ts';

export interface AuditEntry {
  readonly at: number;
  readonly kind: AuditKind;
  readonly conversationId: string;
  /** The person who did it, or `keyturn`. */
  readonly actor: string;
  readonly callId?: string | undefined;
  readonly approvalId?: string | undefined;
  readonly detail: JsonObject;
}

export type AuditKind =
  | 'call-proposed'
  | 'call-begun'
  | 'call-ended'
  | 'sub-run-begun'
  | 'approval-asked'
  | 'approval-decided'
  | 'approval-expired'
  | 'approval-cancelled'
  | 'question-answered'
  | 'extension-asked'
  | 'grant-given'
  | 'grant-revoked'
  | 'command'
  | 'owner-claimed'
  | 'stranger-refused'
  | 'code-given'
  | 'person-paired'
  | 'person-unpaired'
  | 'account-linked'
  | 'account-unlinked'
  | 'device-paired'
  | 'device-revoked'
  | 'trust-given'
  | 'trust-ended'
  | 'schedule-made'
  | 'schedule-cancelled'
  | 'schedule-due'
  | 'webhook-taken'
  | 'config-changed';

/** Appends to the audit: who asked, who allowed, and the outcome. Triggers in the database prevent changes. */
export const add: (sql: Sql, entry: AuditEntry) => void = insertInto(
  `audit (at, kind, conversation_id, actor, call_id, approval_id, detail)`,
);

/** Appends what a person did by a command, in the conversation where they gave it. */
export const addBy = (
  sql: Sql,
  kind: AuditKind,
  { conversationId, principal: actor }: Pick<Origin, 'conversationId' | 'principal'>,
  at: number,
  detail: JsonObject = {},
): void => add(sql, { at, kind, conversationId, actor, detail });

/** One change by an edit of the config. */
export interface ConfigEdit {
  /** As messages about the config spell it. Empty if it concerns several. */
  readonly path: string;
  /** One line of markdown. Contains no secret. */
  readonly words: string;
  /** The effect on people's rights. */
  readonly effect: 'widens' | 'narrows' | 'other';
}

export interface NotedEdit extends ConfigEdit {
  readonly at: number;
}

/** The changes by config edits, stored only in the audit. */
export function createEditStore(database: Database) {
  const { sql } = database;
  return {
    add: (edits: readonly ConfigEdit[], at: number): Promise<void> =>
      database.write(() => {
        for (const { path, words, effect } of edits)
          add(sql, {
            ...{ at, kind: 'config-changed', conversationId: '', actor: 'keyturn' },
            detail: { path, words, effect },
          });
      }),
    /** Newest first: at most `most`. */
    newest: async (most: number): Promise<readonly NotedEdit[]> => {
      const noted = sql.list(
        toNoted,
        `SELECT at, detail FROM audit WHERE kind = 'config-changed' ORDER BY seq DESC LIMIT ?`,
        most,
      );
      return noted.map(({ at, detail }) => ({ ...detail, at }));
    },
  };
}

const toNoted = columns({ at: 'integer', detail: json<ConfigEdit>() });
