import * as audit from '../../store/audit.ts';
import type { Transactions } from '../../store/database.ts';
import * as inbox from '../../store/inbox.ts';
import type { FeatureTables } from '../../store/migrate.ts';
import { type OwnMessage, ownMessage } from '../../store/own-message.ts';
import { columns, insertInto, json, oneOf, optional, type Row, type Sql, text } from '../../store/sql.ts';
import type { FileChange, FileFacts, Files, KeptLabel } from './file-facts.ts';

/** Calls that changed files, and what the files were before. The contents stand in files: see `copies.ts`. */
export const undoTables: FeatureTables = {
  steps: [
    `
  CREATE TABLE kept_calls (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, conversation_id TEXT NOT NULL, principal TEXT NOT NULL,
    workspace TEXT NOT NULL,
    -- Markdown, in the language of the conversation.
    what TEXT NOT NULL,
    -- 'all': any file of the workspace · 'paths': those that stand in kept_changes · 'none': it changes no file.
    reach TEXT NOT NULL CHECK (reach IN ('all', 'paths', 'none')),
    -- It also did something that no copy brings back.
    is_outside INTEGER NOT NULL, is_shared INTEGER NOT NULL DEFAULT 0,
    -- Why nothing of it can be undone.
    shortfall TEXT CHECK (shortfall IN ('many-files', 'many-changes')),
    began_at INTEGER NOT NULL,
    -- NULL while it runs, and after a kill until the next start.
    ended_at INTEGER,
    change_count INTEGER NOT NULL DEFAULT 0,
    -- The labels of untrusted files that were in its workspace, as JSON.
    labels TEXT NOT NULL,
    -- It put back what this call had changed.
    undoes INTEGER, undone_by INTEGER
  ) STRICT;
  CREATE INDEX kept_calls_here ON kept_calls (conversation_id, seq);
  CREATE INDEX kept_calls_open ON kept_calls (ended_at, seq) WHERE ended_at IS NULL;
  CREATE INDEX kept_calls_ended ON kept_calls (ended_at) WHERE ended_at IS NOT NULL;

  CREATE TABLE kept_changes (
    call_seq INTEGER NOT NULL, path TEXT NOT NULL, before TEXT, after TEXT, digest TEXT,
    PRIMARY KEY (call_seq, path)
  ) STRICT, WITHOUT ROWID;

  -- Workspaces as they were when they were looked at last.
  CREATE TABLE kept_workspaces (workspace TEXT PRIMARY KEY, seen_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX kept_workspaces_seen ON kept_workspaces (seen_at);
  CREATE TABLE kept_files (
    workspace TEXT NOT NULL, path TEXT NOT NULL, facts TEXT NOT NULL, digest TEXT,
    PRIMARY KEY (workspace, path)
  ) STRICT, WITHOUT ROWID;

  -- The contents that there are copies of, by how many rows they are used, and how much they take together.
  CREATE TABLE kept_contents (
    digest TEXT PRIMARY KEY, size INTEGER NOT NULL, uses INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX kept_contents_unused ON kept_contents (uses) WHERE uses = 0;
  CREATE TABLE kept_size (one INTEGER PRIMARY KEY CHECK (one = 1), bytes INTEGER NOT NULL) STRICT;
  INSERT INTO kept_size VALUES (1, 0);
  CREATE TRIGGER kept_content_added AFTER INSERT ON kept_contents
    BEGIN UPDATE kept_size SET bytes = bytes + NEW.size WHERE one = 1; END;
  CREATE TRIGGER kept_content_removed AFTER DELETE ON kept_contents
    BEGIN UPDATE kept_size SET bytes = bytes - OLD.size WHERE one = 1; END;
  CREATE TRIGGER kept_change_added AFTER INSERT ON kept_changes
    BEGIN UPDATE kept_contents SET uses = uses + 1 WHERE digest = NEW.digest; END;
  CREATE TRIGGER kept_change_removed AFTER DELETE ON kept_changes
    BEGIN UPDATE kept_contents SET uses = uses - 1 WHERE digest = OLD.digest; END;
  CREATE TRIGGER kept_file_added AFTER INSERT ON kept_files
    BEGIN UPDATE kept_contents SET uses = uses + 1 WHERE digest = NEW.digest; END;
  CREATE TRIGGER kept_file_removed AFTER DELETE ON kept_files
    BEGIN UPDATE kept_contents SET uses = uses - 1 WHERE digest = OLD.digest; END;
  CREATE TRIGGER kept_file_changed AFTER UPDATE OF digest ON kept_files
    BEGIN
      UPDATE kept_contents SET uses = uses + 1 WHERE digest = NEW.digest;
      UPDATE kept_contents SET uses = uses - 1 WHERE digest = OLD.digest;
    END;
`,
    `
  -- The call that it was; NULL for an undoing.
  ALTER TABLE kept_calls ADD COLUMN call_id TEXT;
  CREATE INDEX kept_calls_of_call ON kept_calls (call_id) WHERE call_id IS NOT NULL;
`,
  ],
  ofPeople: {
    forgets: [
      `DELETE FROM kept_changes WHERE call_seq IN (
         SELECT seq FROM kept_calls WHERE principal IN (SELECT value FROM json_each(@accounts)))`,
    ],
  },
};

/** A call as it begins. */
export interface KeptCallDraft {
  readonly id: string;
  /** The call that it is; undefined for an undoing. */
  readonly callId: string | undefined;
  readonly conversationId: string;
  readonly principal: string;
  readonly workspace: string;
  readonly what: string;
  readonly reach: 'all' | 'paths' | 'none';
  readonly isOutside: boolean;
  readonly beganAt: number;
  /** The call that it undoes, by its sequence. */
  readonly undoes: number | undefined;
  readonly shortfall: Shortfall | undefined;
  /** The untrusted files of the workspace when it began. */
  readonly labels: readonly KeptLabel[];
}

/** Why nothing of a call can be undone: the workspace has too many files, or it changed too many. */
export type Shortfall = 'many-files' | 'many-changes';

export interface KeptCall extends KeptCallDraft {
  readonly seq: number;
  /** Another call worked in the workspace at the same time. */
  readonly isShared: boolean;
  readonly endedAt: number | undefined;
  readonly undoneBy: number | undefined;
  readonly changeCount: number;
}

/** What was found out about a workspace. */
export interface Stock {
  readonly workspace: string;
  /** All of it was looked at, and is known from now on. */
  readonly isKnown: boolean;
  /** What is different from what is stored. Undefined: gone. */
  readonly changed: ReadonlyMap<string, FileFacts | undefined>;
  /** Contents that were copied: their sizes by digests. */
  readonly copied: ReadonlyMap<string, number>;
  readonly at: number;
}

/** How a call ended. */
export interface KeptEnd {
  readonly seq: number;
  readonly changes: readonly FileChange[];
  readonly shortfall: Shortfall | undefined;
  readonly isShared: boolean;
  /** Its effects outside count. */
  readonly isOutside: boolean;
  readonly at: number;
  /** For the model, if it was an undoing. */
  readonly event?: { readonly text: string; readonly name: string } | undefined;
}

/** Calls and files. Each method is one transaction. */
export interface UndoStore {
  filesIn(workspace: string): Promise<Files>;
  /** Resolves with the sequence of the call. `before`: its files, if it can change no others. */
  began(call: KeptCallDraft, before: Files, paths: readonly string[], stock: Stock): Promise<number>;
  ended(end: KeptEnd, stock: Stock): Promise<void>;
  /** Calls that a killed process left, the oldest first. */
  open(): Promise<readonly KeptCall[]>;
  /** The calls of a conversation that have ended, the newest first. */
  newest(conversationId: string, most: number): Promise<readonly KeptCall[]>;
  find(conversationId: string, id: string): Promise<KeptCall | undefined>;
  bySeq(seq: number): Promise<KeptCall | undefined>;
  /** Those of these calls, by their ids in the journal, that have ended in the conversation, the newest first. */
  ofCalls(conversationId: string, callIds: readonly string[]): Promise<readonly KeptCall[]>;
  ownMessage(conversationId: string, messageId: string): Promise<OwnMessage | undefined>;
  changesOf(seq: number): Promise<readonly FileChange[]>;
  /** Forgets calls and workspaces from before an instant, then the oldest until the contents fit. Resolves with what to remove. */
  prune(before: number, mostBytes: number): Promise<readonly string[]>;
  /** Forgets all that has ended. */
  clear(): Promise<void>;
  /** Those of these contents that there are copies of. */
  contentsAmong(digests: readonly string[]): Promise<ReadonlySet<string>>;
  isEmpty(): Promise<boolean>;
  /** How much the contents take, in bytes. */
  size(): Promise<number>;
}

export function createUndoStore(database: Transactions): UndoStore {
  const { sql } = database;
  return {
    filesIn: (workspace) => database.read(async (sql) => filesIn(workspace, sql)),
    began: (call, before, paths, stock) => database.writeNow((sql) => began(call, before, paths, stock, sql)),
    // Nobody is told of a call that changed nothing: after a power failure, what it left is compared once more.
    ended: (end, stock) => database.write((sql) => ended(end, stock, sql), isNothing(end) ? 'relaxed' : 'full'),
    open: async () => sql.list(toCall, `SELECT * FROM kept_calls WHERE ended_at IS NULL ORDER BY seq`),
    newest: async (conversationId, most) =>
      sql.list(
        toCall,
        `SELECT * FROM kept_calls WHERE conversation_id = ? AND ended_at IS NOT NULL ORDER BY seq DESC LIMIT ?`,
        conversationId,
        most,
      ),
    find: async (conversationId, id) => sql.find(toCall, byId, id, conversationId),
    bySeq: async (seq) => sql.find(toCall, bySeq, seq),
    ofCalls: async (conversationId, callIds) => sql.list(toCall, byCallIds, conversationId, callIds),
    ownMessage: (conversationId, messageId) => database.read(async (sql) => ownMessage(sql, conversationId, messageId)),
    changesOf: async (seq) => sql.list(toChange, 'SELECT * FROM kept_changes WHERE call_seq = ? ORDER BY path', seq),
    prune: (before, mostBytes) => database.write((sql) => prune(before, mostBytes, sql), 'relaxed'),
    clear: () => database.write(async (sql) => void (await prune(Number.MAX_SAFE_INTEGER, -1, sql))),
    isEmpty: () =>
      database.read(
        async (sql) => !(await sql.has(anyOpen)) && !(await sql.has(anyEnded)) && !(await sql.has(anyWorkspace)),
      ),
    contentsAmong: async (digests) => new Set(await sql.texts(contentsAmong, digests)),
    size: async () => sql.number(usedBytes),
  };
}

const anyOpen = 'SELECT 1 FROM kept_calls WHERE ended_at IS NULL LIMIT 1';
const anyEnded = 'SELECT 1 FROM kept_calls WHERE ended_at >= 0 LIMIT 1';
const anyWorkspace = 'SELECT 1 FROM kept_workspaces WHERE seen_at >= 0 LIMIT 1';
const byId = 'SELECT * FROM kept_calls WHERE id = ? AND conversation_id = ? AND ended_at IS NOT NULL';
const bySeq = 'SELECT * FROM kept_calls WHERE seq = ?';
const byCallIds = `SELECT * FROM kept_calls WHERE conversation_id = ? AND ended_at IS NOT NULL
  AND call_id IN (SELECT value FROM json_each(?)) ORDER BY seq DESC`;

const contentsAmong = 'SELECT digest FROM kept_contents WHERE digest IN (SELECT value FROM json_each(?))';

const labels = json<readonly KeptLabel[]>();
const toCall: (row: Row) => KeptCall = columns({
  labels,
  seq: 'integer',
  id: 'text',
  callId: 'text?',
  conversationId: 'text',
  principal: 'text',
  workspace: 'text',
  what: 'text',
  reach: oneOf('all', 'paths', 'none'),
  isOutside: 'flag',
  isShared: 'flag',
  shortfall: optional(oneOf('many-files', 'many-changes')),
  beganAt: 'integer',
  endedAt: 'integer?',
  undoes: 'integer?',
  undoneBy: 'integer?',
  changeCount: 'integer',
});

const facts = json<FileFacts>();
const toChange: (row: Row) => FileChange = columns({
  path: 'text',
  before: optional(facts),
  after: optional(facts),
});

async function filesIn(workspace: string, sql: Sql): Promise<Files> {
  const rows = await sql.all('SELECT path, facts FROM kept_files WHERE workspace = ?', workspace);
  return new Map(rows.map((row) => [text(row, 'path'), facts(row, 'facts')] as const));
}

const addCall = insertInto(
  'kept_calls (id, call_id, conversation_id, principal, workspace, what, reach, is_outside, began_at, undoes, shortfall, labels)',
);
const addChange = insertInto('kept_changes (call_seq, path, before, after, digest)');

async function began(
  call: KeptCallDraft,
  before: Files,
  paths: readonly string[],
  stock: Stock,
  sql: Sql,
): Promise<number> {
  await store(stock, sql);
  await addCall(sql, call);
  const seq = await sql.number('SELECT seq FROM kept_calls WHERE id = ?', call.id);
  for (const path of paths) {
    const found = before.get(path);
    await addChange(sql, { callSeq: seq, path, before: found, digest: found?.digest });
  }
  return seq;
}

/** Copies may have been switched off meanwhile: then the call is gone. */
async function ended(end: KeptEnd, stock: Stock, sql: Sql): Promise<void> {
  const { seq, changes, shortfall, isShared, isOutside, at, event } = end;
  await sql.run('DELETE FROM kept_changes WHERE call_seq = ?', seq);
  const isThere = isNothing(end)
    ? await sql.changed('DELETE FROM kept_calls WHERE seq = ?', seq)
    : await sql.changed(endCall, at, shortfall, isShared, isOutside, changes.length, seq);
  if (!isThere) return;
  await store(stock, sql);
  if (isNothing(end)) return;
  for (const change of changes) await addChange(sql, { callSeq: seq, ...change, digest: change.before?.digest });
  await noteUndoing(seq, event, at, sql);
}

const endCall =
  'UPDATE kept_calls SET ended_at = ?, shortfall = ?, is_shared = ?, is_outside = ?, change_count = ? WHERE seq = ?';

/** It changed nothing, and did nothing outside: it is not kept. */
function isNothing({ changes, shortfall, isOutside }: KeptEnd): boolean {
  return changes.length === 0 && shortfall === undefined && !isOutside;
}

/** What this call undid is undone, if it was an undoing; and what that had undone is done again. */
async function noteUndoing(seq: number, event: KeptEnd['event'], at: number, sql: Sql): Promise<void> {
  const call = await sql.find(toCall, bySeq, seq);
  if (call?.undoes === undefined) return;
  const { id, conversationId, principal } = call;
  await sql.run('UPDATE kept_calls SET undone_by = ? WHERE seq = ?', seq, call.undoes);
  await sql.run(
    'UPDATE kept_calls SET undone_by = NULL WHERE seq = (SELECT undoes FROM kept_calls WHERE seq = ?)',
    call.undoes,
  );
  const undone = await sql.find(toCall, bySeq, call.undoes);
  const detail = { what: undone?.id ?? null, undoing: id, files: call.changeCount };
  await audit.add(sql, { at, kind: 'call-undone', conversationId, actor: principal, callId: undone?.callId, detail });
  if (event === undefined) return;
  await inbox.addEvent(sql, { key: `undo:${id}`, conversationId, principal, ...event, wantsAnswer: false, at });
}

const setFile = insertInto(
  'kept_files (workspace, path, facts, digest) ON CONFLICT DO UPDATE SET facts = excluded.facts, digest = excluded.digest',
);
const setWorkspace = insertInto(
  'kept_workspaces (workspace, seen_at) ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at',
);
const addContent = insertInto('kept_contents (digest, size) ON CONFLICT DO NOTHING');

async function store({ workspace, isKnown, changed, copied, at }: Stock, sql: Sql): Promise<void> {
  for (const [digest, size] of copied) await addContent(sql, { digest, size });
  if (isKnown) await setWorkspace(sql, { workspace, seenAt: at });
  for (const [path, found] of changed) {
    if (found === undefined) await sql.run('DELETE FROM kept_files WHERE workspace = ? AND path = ?', workspace, path);
    else await setFile(sql, { workspace, path, facts: found, digest: found.digest });
  }
}

const usedBytes = 'SELECT bytes FROM kept_size WHERE one = 1';
const unused = 'DELETE FROM kept_contents WHERE uses = 0 RETURNING digest';

async function prune(before: number, mostBytes: number, sql: Sql): Promise<readonly string[]> {
  await sql.run('DELETE FROM kept_changes WHERE call_seq IN (SELECT seq FROM kept_calls WHERE ended_at < ?)', before);
  await sql.run('DELETE FROM kept_calls WHERE ended_at < ?', before);
  for (const workspace of await sql.texts('SELECT workspace FROM kept_workspaces WHERE seen_at < ?', before))
    await forgetWorkspace(workspace, sql);
  const removed = [...(await sql.texts(unused))];
  while ((await sql.number(usedBytes)) > mostBytes && (await forgetOldest(sql)))
    removed.push(...(await sql.texts(unused)));
  return removed;
}

async function forgetWorkspace(workspace: string, sql: Sql): Promise<void> {
  await sql.run('DELETE FROM kept_files WHERE workspace = ?', workspace);
  await sql.run('DELETE FROM kept_workspaces WHERE workspace = ?', workspace);
}

/** The oldest call, or the workspace that was used least recently. False if there is neither. */
async function forgetOldest(sql: Sql): Promise<boolean> {
  const oldest = (await sql.get('SELECT seq FROM kept_calls WHERE ended_at IS NOT NULL ORDER BY ended_at LIMIT 1'))
    ?.seq;
  if (typeof oldest === 'number') {
    await sql.run('DELETE FROM kept_changes WHERE call_seq = ?', oldest);
    return await sql.changed('DELETE FROM kept_calls WHERE seq = ?', oldest);
  }
  const workspace = (await sql.get('SELECT workspace FROM kept_workspaces WHERE seen_at >= 0 ORDER BY seen_at LIMIT 1'))
    ?.workspace;
  if (typeof workspace !== 'string') return false;
  await forgetWorkspace(workspace, sql);
  return true;
}
