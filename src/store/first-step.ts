/** Conversations, participants and incoming messages. */
export const talking = `
  CREATE TABLE conversations (
    id TEXT PRIMARY KEY, channel TEXT NOT NULL, tenant TEXT, chat_id TEXT NOT NULL, thread_id TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('direct', 'group')), title TEXT,
    -- Entries up to here belong to an earlier conversation, which /new has ended.
    since_seq INTEGER NOT NULL DEFAULT 0, since_turn INTEGER NOT NULL DEFAULT 0,
    -- When somebody was last heard there; 0 for never.
    seen_at INTEGER NOT NULL,
    -- There is work left. Looked for at start.
    is_open INTEGER NOT NULL DEFAULT 0,
    tainted INTEGER NOT NULL DEFAULT 0, private INTEGER NOT NULL DEFAULT 0, taint_sources TEXT NOT NULL DEFAULT '[]',
    -- The model chosen there; NULL for the default.
    model TEXT,
    -- Pinned facts, oldest first.
    pinned TEXT NOT NULL DEFAULT '[]',
    -- What the current run has spent so far. The cost is in millionths.
    spent_run TEXT, spent_tokens INTEGER NOT NULL DEFAULT 0, spent_cost INTEGER NOT NULL DEFAULT 0,
    -- The run that has asked to go beyond one of its limits.
    asking_run TEXT,
    -- The summary of its oldest part, and the person who waits for a new one.
    summary_id INTEGER, summary_for TEXT,
    -- Set for a sub-run, in whose conversation nobody talks: its task, and the root, where people see it.
    sub_run TEXT,
    root_id TEXT
  ) STRICT;
  CREATE INDEX running_sub_runs ON conversations (root_id) WHERE root_id IS NOT NULL AND is_open = 1;
  CREATE INDEX open_conversations ON conversations (id) WHERE is_open = 1;

  CREATE TABLE participants (
    conversation_id TEXT NOT NULL, principal TEXT NOT NULL, name TEXT NOT NULL,
    -- Their roles on the platform when they were last heard there.
    roles TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (conversation_id, principal)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX participants_by_principal ON participants (principal);

  -- Everything that came in, once. The model reads messages and events; commands and presses were obeyed. What was
  -- declined could not be used. What was withdrawn was taken back unread, and its content is erased.
  CREATE TABLE inbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, conversation_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('message', 'event', 'command', 'press', 'declined', 'withdrawn')),
    principal TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, edited_text TEXT, wants_answer INTEGER NOT NULL,
    sent_at INTEGER NOT NULL, received_at INTEGER NOT NULL, is_person INTEGER NOT NULL DEFAULT 1,
    -- The platform's id of the message.
    message_id TEXT,
    quote TEXT,
    -- How many: they are rows of a table of their own.
    attachments INTEGER NOT NULL DEFAULT 0,
    -- Pictures of the result that the event reports.
    pictures TEXT
  ) STRICT;
  CREATE INDEX inbox_to_read ON inbox (conversation_id, seq) WHERE kind IN ('message', 'event');

  -- Files that came with messages. They are fetched before the model is asked.
  CREATE TABLE attachments (
    inbox_key TEXT NOT NULL REFERENCES inbox (key),
    position INTEGER NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('image', 'voice', 'audio', 'video', 'file')),
    handle TEXT NOT NULL, name TEXT, media_type TEXT, size INTEGER,
    state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'saved', 'missing')),
    -- Its path in the workspace.
    path TEXT,
    -- The words spoken in it.
    transcript TEXT,
    -- Why it is missing, or could not be transcribed.
    note TEXT,
    PRIMARY KEY (inbox_key, position)
  ) STRICT, WITHOUT ROWID;

  -- Chats whose id the platform has changed: under the new id, the older conversation goes on.
  CREATE TABLE moves (
    id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** Turns, calls, approvals, grants and the audit. */
export const working = `
  -- What the model said; a closing is a run's end without an answer.
  CREATE TABLE turns (
    id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id TEXT NOT NULL, run_id TEXT NOT NULL,
    principal TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('turn', 'closing')), reason TEXT,
    seen_seq INTEGER NOT NULL, parts TEXT NOT NULL,
    -- The model's name in the config, and what the turn used. The cost is in millionths.
    model TEXT,
    input_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL,
    cost INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX turns_by_conversation ON turns (conversation_id, id);
  CREATE INDEX turns_by_run ON turns (conversation_id, run_id);

  -- A summary replaces the oldest part of a conversation in requests. The rows up to there are kept but not read.
  CREATE TABLE summaries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id TEXT NOT NULL, text TEXT NOT NULL,
    up_to_turn INTEGER NOT NULL, up_to_seq INTEGER NOT NULL, created_at INTEGER NOT NULL
  ) STRICT;

  -- The journal of tool calls.
  CREATE TABLE calls (
    id TEXT PRIMARY KEY, turn_id INTEGER NOT NULL REFERENCES turns (id), position INTEGER NOT NULL,
    conversation_id TEXT NOT NULL, run_id TEXT NOT NULL, principal TEXT NOT NULL, name TEXT NOT NULL,
    arguments TEXT NOT NULL, hash TEXT, category TEXT,
    -- The hook that has changed the arguments.
    changed_by TEXT,
    state TEXT NOT NULL CHECK (state IN ('ready', 'awaiting', 'begun', 'done')), outcome TEXT, result TEXT,
    -- Pictures of the result, for models that see.
    pictures TEXT,
    is_deferred INTEGER NOT NULL DEFAULT 0, ready_at INTEGER, begun_at INTEGER, done_at INTEGER, duration INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX calls_by_turn ON calls (conversation_id, turn_id, position);
  CREATE INDEX open_calls ON calls (conversation_id) WHERE state <> 'done';

  -- Spending per day, with that of answers that were not kept. The cost is in millionths.
  CREATE TABLE spending (
    day TEXT NOT NULL, principal TEXT NOT NULL, conversation_id TEXT NOT NULL, model TEXT NOT NULL,
    tokens INTEGER NOT NULL, cost INTEGER NOT NULL,
    PRIMARY KEY (day, principal, conversation_id, model)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    -- NULL if a run asks to go beyond one of its limits.
    call_id TEXT REFERENCES calls (id),
    conversation_id TEXT NOT NULL, requester TEXT NOT NULL, requester_name TEXT NOT NULL, tool_name TEXT NOT NULL,
    description TEXT NOT NULL, hash TEXT NOT NULL, grantable INTEGER NOT NULL,
    -- What the card says about the call.
    asked TEXT,
    state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'answered', 'expired', 'cancelled')),
    -- What the model asks, if it is a question.
    question TEXT,
    -- The run that asks to go on, and how far.
    run_id TEXT,
    extension TEXT, places TEXT NOT NULL,
    -- The sub-run that made the call; NULL if it was the conversation itself.
    runs_in TEXT,
    created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, reminded_at INTEGER, decided_by TEXT, decided_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX one_pending_approval ON approvals (call_id) WHERE state = 'pending';
  CREATE INDEX pending_approvals ON approvals (conversation_id) WHERE state = 'pending';
  CREATE INDEX approvals_by_call ON approvals (call_id, created_at);
  CREATE INDEX approvals_by_run ON approvals (conversation_id, run_id) WHERE run_id IS NOT NULL;

  CREATE TABLE grants (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('window', 'always')), conversation_id TEXT NOT NULL,
    requester TEXT NOT NULL, tool_name TEXT NOT NULL, description TEXT NOT NULL, hash TEXT, granted_by TEXT NOT NULL,
    created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX standing_grants ON grants (conversation_id, requester) WHERE revoked_at IS NULL;

  -- Who asked, what ran, who approved, and the outcome. Rows are only added.
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, kind TEXT NOT NULL, conversation_id TEXT NOT NULL,
    actor TEXT NOT NULL, call_id TEXT, approval_id TEXT, detail TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
  CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq)
    BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
  CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
`;

/** Outgoing messages. */
export const showing = `
  -- Messages to people. A change of the text is a new revision, shown by an edit.
  CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, lane TEXT NOT NULL, conversation_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('reply', 'for_user', 'card', 'notice', 'status')), markdown TEXT NOT NULL,
    buttons TEXT,
    -- Its files: name, media type, size and origin. Copies are in the folder named after its id.
    files TEXT,
    -- The files that the platform has refused.
    refused_files TEXT NOT NULL DEFAULT '[]',
    -- The message of a person that it answers.
    reply_to TEXT,
    -- The only person who may see it, by their id on the channel.
    private_to TEXT,
    call_id TEXT, approval_id TEXT,
    state TEXT NOT NULL CHECK (state IN ('streaming', 'queued', 'delivered', 'failed', 'abandoned')),
    revision INTEGER NOT NULL DEFAULT 1, delivered_revision INTEGER NOT NULL DEFAULT 0,
    refs TEXT NOT NULL DEFAULT '[]',
    -- Where it was shown before it was complete: the message replaces that.
    previews TEXT,
    -- What its first part says about its lateness, while others are unsent.
    late_note TEXT,
    -- For messages that are sent at most once: whether one is being sent. NULL: it is retried until it arrives.
    at_most_once TEXT CHECK (at_most_once IN ('unsent', 'sending')),
    failure TEXT, created_at INTEGER NOT NULL, delivered_at INTEGER
  ) STRICT;
  CREATE INDEX outbox_to_deliver ON outbox (lane, seq) WHERE state = 'queued';
  CREATE INDEX outbox_streaming ON outbox (seq) WHERE state = 'streaming';
  CREATE INDEX outbox_failed ON outbox (created_at) WHERE state = 'failed';
  CREATE INDEX outbox_by_approval ON outbox (approval_id) WHERE approval_id IS NOT NULL;
  CREATE INDEX outbox_by_call ON outbox (call_id) WHERE call_id IS NOT NULL;
`;

/** People's rights, and the daemon's own state. */
export const knowing = `
  CREATE TABLE owners (
    principal TEXT PRIMARY KEY, name TEXT NOT NULL, claimed_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- People whom an owner has let in.
  CREATE TABLE paired (
    principal TEXT PRIMARY KEY, name TEXT NOT NULL, paired_by TEXT NOT NULL, paired_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Codes that strangers were given, to be told to an owner.
  CREATE TABLE pairing_codes (
    principal TEXT PRIMARY KEY, code TEXT NOT NULL UNIQUE, name TEXT NOT NULL, conversation_id TEXT NOT NULL,
    created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Accounts that people have linked with codes: those with the same person belong together.
  CREATE TABLE links (
    principal TEXT PRIMARY KEY, person TEXT NOT NULL, name TEXT NOT NULL, linked_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX links_of_person ON links (person);

  -- Codes that link accounts, with the account that has asked for each. Only digests are stored.
  CREATE TABLE link_codes (
    principal TEXT PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT NULL, conversation_id TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- When a process was last known to be alive, and the absence that owners have not been told about: its start, its end,
  -- and the newest sequence of the inbox at its end.
  CREATE TABLE lifetime (
    id INTEGER PRIMARY KEY CHECK (id = 1), alive_at INTEGER NOT NULL, away_from INTEGER, away_until INTEGER,
    away_seq INTEGER
  ) STRICT;

  -- Until when everything on a channel was received.
  CREATE TABLE heard (
    channel TEXT PRIMARY KEY, heard_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Hints that are given at most once in a while, by subject.
  CREATE TABLE hints (
    subject TEXT PRIMARY KEY, said_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
