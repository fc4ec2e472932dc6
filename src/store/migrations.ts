/**
 * The schema, as the steps that lead to it. A step that was released is never changed: a new one is added behind it.
 * Instants are milliseconds since 1970.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE conversations (
    id            TEXT PRIMARY KEY,
    channel       TEXT NOT NULL,
    tenant        TEXT,
    chat_id       TEXT NOT NULL,
    thread_id     TEXT,
    kind          TEXT NOT NULL CHECK (kind IN ('direct', 'group')),
    title         TEXT,
    -- What is older belongs to a conversation that /new has ended.
    since_seq     INTEGER NOT NULL DEFAULT 0,
    since_turn    INTEGER NOT NULL DEFAULT 0,
    -- Something is left to do: looked for at start.
    is_open       INTEGER NOT NULL DEFAULT 0,
    tainted       INTEGER NOT NULL DEFAULT 0,
    private       INTEGER NOT NULL DEFAULT 0,
    taint_sources TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  CREATE INDEX open_conversations ON conversations (id) WHERE is_open = 1;

  CREATE TABLE participants (
    conversation_id TEXT NOT NULL,
    principal       TEXT NOT NULL,
    name            TEXT NOT NULL,
    PRIMARY KEY (conversation_id, principal)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX participants_by_principal ON participants (principal);

  -- Whatever came in, once: messages and events are read by the model, commands and presses were obeyed. Nothing could
  -- be done with what was declined.
  CREATE TABLE inbox (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    key             TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL,
    kind            TEXT NOT NULL CHECK (kind IN ('message', 'event', 'command', 'press', 'declined')),
    principal       TEXT NOT NULL,
    name            TEXT NOT NULL,
    text            TEXT NOT NULL,
    edited_text     TEXT,
    wants_answer    INTEGER NOT NULL,
    sent_at         INTEGER NOT NULL,
    received_at     INTEGER NOT NULL,
    is_person       INTEGER NOT NULL DEFAULT 1,
    -- The platform's name of the message in its chat.
    message_id      TEXT,
    quote           TEXT,
    -- How many it has: they stand in a table of their own.
    attachments     INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX inbox_to_read ON inbox (conversation_id, seq) WHERE kind IN ('message', 'event');

  -- What came in beside the text. It is fetched before the model is asked.
  CREATE TABLE attachments (
    inbox_key  TEXT NOT NULL REFERENCES inbox (key),
    position   INTEGER NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('image', 'voice', 'audio', 'video', 'file')),
    handle     TEXT NOT NULL,
    name       TEXT,
    media_type TEXT,
    size       INTEGER,
    state      TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'saved', 'missing')),
    -- Where it stands in the workspace.
    path       TEXT,
    -- What was spoken in it.
    transcript TEXT,
    -- Why it is missing, or could not be transcribed.
    note       TEXT,
    PRIMARY KEY (inbox_key, position)
  ) STRICT, WITHOUT ROWID;

  -- Chats that the platform has given another id: under the name that this makes, an older conversation goes on.
  CREATE TABLE moves (
    id              TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What the model said; a closing is a run's end without an answer.
  CREATE TABLE turns (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id TEXT NOT NULL,
    run_id          TEXT NOT NULL,
    principal       TEXT NOT NULL,
    kind            TEXT NOT NULL CHECK (kind IN ('turn', 'closing')),
    reason          TEXT,
    seen_seq        INTEGER NOT NULL,
    parts           TEXT NOT NULL,
    input_tokens    INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    created_at      INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX turns_by_conversation ON turns (conversation_id, id);
  CREATE INDEX turns_by_run ON turns (conversation_id, run_id);

  -- The journal of tool calls.
  CREATE TABLE calls (
    id              TEXT PRIMARY KEY,
    turn_id         INTEGER NOT NULL REFERENCES turns (id),
    position        INTEGER NOT NULL,
    conversation_id TEXT NOT NULL,
    run_id          TEXT NOT NULL,
    principal       TEXT NOT NULL,
    name            TEXT NOT NULL,
    arguments       TEXT NOT NULL,
    hash            TEXT,
    category        TEXT,
    state           TEXT NOT NULL CHECK (state IN ('ready', 'awaiting', 'begun', 'done')),
    outcome         TEXT,
    result          TEXT,
    is_deferred     INTEGER NOT NULL DEFAULT 0,
    ready_at        INTEGER,
    begun_at        INTEGER,
    done_at         INTEGER,
    duration        INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX calls_by_turn ON calls (conversation_id, turn_id, position);
  CREATE INDEX open_calls ON calls (conversation_id) WHERE state <> 'done';

  CREATE TABLE approvals (
    id              TEXT PRIMARY KEY,
    call_id         TEXT NOT NULL REFERENCES calls (id),
    conversation_id TEXT NOT NULL,
    requester       TEXT NOT NULL,
    requester_name  TEXT NOT NULL,
    tool_name       TEXT NOT NULL,
    description     TEXT NOT NULL,
    hash            TEXT NOT NULL,
    grantable       INTEGER NOT NULL,
    state           TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'expired', 'cancelled')),
    places          TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL,
    reminded_at     INTEGER,
    decided_by      TEXT,
    decided_at      INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX one_pending_approval ON approvals (call_id) WHERE state = 'pending';
  CREATE INDEX pending_approvals ON approvals (conversation_id) WHERE state = 'pending';
  CREATE INDEX approvals_by_call ON approvals (call_id, created_at);

  CREATE TABLE grants (
    id              TEXT PRIMARY KEY,
    kind            TEXT NOT NULL CHECK (kind IN ('window', 'always')),
    conversation_id TEXT NOT NULL,
    requester       TEXT NOT NULL,
    tool_name       TEXT NOT NULL,
    description     TEXT NOT NULL,
    hash            TEXT,
    granted_by      TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER,
    revoked_at      INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX standing_grants ON grants (conversation_id, requester) WHERE revoked_at IS NULL;

  -- What people are to see. A change of the text is a new revision, and is shown by editing.
  CREATE TABLE outbox (
    seq                INTEGER PRIMARY KEY AUTOINCREMENT,
    id                 TEXT NOT NULL UNIQUE,
    lane               TEXT NOT NULL,
    conversation_id    TEXT NOT NULL,
    kind               TEXT NOT NULL CHECK (kind IN ('reply', 'for_user', 'card', 'notice', 'status')),
    markdown           TEXT NOT NULL,
    buttons            TEXT,
    -- Files that belong to it: name, media type, size, and where they came from. Copies stand in the folder of its id.
    files              TEXT,
    -- Which of its files the platform has refused.
    refused_files      TEXT NOT NULL DEFAULT '[]',
    -- The message of a person that it answers.
    reply_to           TEXT,
    call_id            TEXT,
    approval_id        TEXT,
    state              TEXT NOT NULL CHECK (state IN ('streaming', 'queued', 'delivered', 'failed', 'abandoned')),
    revision           INTEGER NOT NULL DEFAULT 1,
    delivered_revision INTEGER NOT NULL DEFAULT 0,
    refs               TEXT NOT NULL DEFAULT '[]',
    -- Where it was shown before its text was known: what the message takes the place of.
    previews           TEXT,
    -- What its first part said of its lateness, while others are still to come.
    late_note          TEXT,
    failure            TEXT,
    created_at         INTEGER NOT NULL,
    delivered_at       INTEGER
  ) STRICT;
  CREATE INDEX outbox_to_deliver ON outbox (lane, seq) WHERE state = 'queued';
  CREATE INDEX outbox_streaming ON outbox (seq) WHERE state = 'streaming';
  CREATE INDEX outbox_by_approval ON outbox (approval_id) WHERE approval_id IS NOT NULL;
  CREATE INDEX outbox_by_call ON outbox (call_id) WHERE call_id IS NOT NULL;

  CREATE TABLE owners (
    principal  TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    claimed_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- People whom an owner has let in.
  CREATE TABLE paired (
    principal TEXT PRIMARY KEY,
    name      TEXT NOT NULL,
    paired_by TEXT NOT NULL,
    paired_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Codes that strangers were given, to be told to an owner.
  CREATE TABLE pairing_codes (
    principal       TEXT PRIMARY KEY,
    code            TEXT NOT NULL UNIQUE,
    name            TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- When the process was last known to be alive, and the time without one that owners are still to be told of: from when
  -- until when, and the newest sequence of the inbox at its end.
  CREATE TABLE lifetime (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    alive_at   INTEGER NOT NULL,
    away_from  INTEGER,
    away_until INTEGER,
    away_seq   INTEGER
  ) STRICT;

  -- What is said at most once in a while: to whom or about what.
  CREATE TABLE hints (
    subject TEXT PRIMARY KEY,
    said_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Who asked, what ran, who approved, what came of it. Only ever added to.
  CREATE TABLE audit (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    at              INTEGER NOT NULL,
    kind            TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    actor           TEXT NOT NULL,
    call_id         TEXT,
    approval_id     TEXT,
    detail          TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
  CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq)
    BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
  CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
  `,
];
