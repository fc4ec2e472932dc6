/** What the model said and did, and what people allowed. */
export const working = `
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
    -- Who answered, as the config calls it, and what that took. The cost is in millionths.
    model           TEXT,
    input_tokens    INTEGER NOT NULL,
    cached_tokens   INTEGER NOT NULL DEFAULT 0,
    output_tokens   INTEGER NOT NULL,
    cost            INTEGER NOT NULL DEFAULT 0,
    created_at      INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX turns_by_conversation ON turns (conversation_id, id);
  CREATE INDEX turns_by_run ON turns (conversation_id, run_id);

  -- What stands in requests for the oldest part of a conversation: the rows up to there are kept, and read no more.
  CREATE TABLE summaries (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id TEXT NOT NULL,
    text            TEXT NOT NULL,
    up_to_turn      INTEGER NOT NULL,
    up_to_seq       INTEGER NOT NULL,
    created_at      INTEGER NOT NULL
  ) STRICT;

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
    -- The hook that has made the arguments what they are.
    changed_by      TEXT,
    state           TEXT NOT NULL CHECK (state IN ('ready', 'awaiting', 'begun', 'done')),
    outcome         TEXT,
    result          TEXT,
    -- What a model that sees is shown with the result.
    pictures        TEXT,
    is_deferred     INTEGER NOT NULL DEFAULT 0,
    ready_at        INTEGER,
    begun_at        INTEGER,
    done_at         INTEGER,
    duration        INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX calls_by_turn ON calls (conversation_id, turn_id, position);
  CREATE INDEX open_calls ON calls (conversation_id) WHERE state <> 'done';

  -- What models were paid for on a day: in turns, and in answers that were not kept. The cost is in millionths.
  CREATE TABLE spending (
    day             TEXT NOT NULL,
    principal       TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    model           TEXT NOT NULL,
    tokens          INTEGER NOT NULL,
    cost            INTEGER NOT NULL,
    PRIMARY KEY (day, principal, conversation_id, model)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE approvals (
    id              TEXT PRIMARY KEY,
    -- Missing where a run asks to go on beyond one of its bounds.
    call_id         TEXT REFERENCES calls (id),
    conversation_id TEXT NOT NULL,
    requester       TEXT NOT NULL,
    requester_name  TEXT NOT NULL,
    tool_name       TEXT NOT NULL,
    description     TEXT NOT NULL,
    hash            TEXT NOT NULL,
    grantable       INTEGER NOT NULL,
    -- What the card says of the call.
    asked           TEXT,
    state           TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'answered', 'expired', 'cancelled')),
    -- What the model asks, where it is not a permission.
    question        TEXT,
    -- The run that asks to go on, and how far.
    run_id          TEXT,
    extension       TEXT,
    places          TEXT NOT NULL,
    -- The sub-run whose call it is, where that is not the conversation itself.
    runs_in         TEXT,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL,
    reminded_at     INTEGER,
    decided_by      TEXT,
    decided_at      INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX one_pending_approval ON approvals (call_id) WHERE state = 'pending';
  CREATE INDEX pending_approvals ON approvals (conversation_id) WHERE state = 'pending';
  CREATE INDEX approvals_by_call ON approvals (call_id, created_at);
  CREATE INDEX approvals_by_run ON approvals (conversation_id, run_id) WHERE run_id IS NOT NULL;

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
`;
