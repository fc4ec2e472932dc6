/** Conversations, participants and incoming messages. */
export const talking = `
  CREATE TABLE conversations (
    id TEXT PRIMARY KEY, channel TEXT NOT NULL, tenant TEXT, chat_id TEXT NOT NULL, thread_id TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('direct', 'group')), title TEXT,
    -- What is older belongs to a conversation that /new has ended.
    since_seq INTEGER NOT NULL DEFAULT 0, since_turn INTEGER NOT NULL DEFAULT 0,
    -- When somebody was last heard there; 0 where nobody was yet.
    seen_at INTEGER NOT NULL,
    -- Something is left to do: looked for at start.
    is_open INTEGER NOT NULL DEFAULT 0,
    tainted INTEGER NOT NULL DEFAULT 0, private INTEGER NOT NULL DEFAULT 0, taint_sources TEXT NOT NULL DEFAULT '[]',
    -- The model that somebody has chosen there; NULL for the default.
    model TEXT,
    -- Facts that people want kept in mind there, the oldest first.
    pinned TEXT NOT NULL DEFAULT '[]',
    -- What the run that is not over has taken until now. The cost is in millionths.
    spent_run TEXT, spent_tokens INTEGER NOT NULL DEFAULT 0, spent_cost INTEGER NOT NULL DEFAULT 0,
    -- The run that has asked to go on beyond one of its bounds, if one has.
    asking_run TEXT,
    -- What is read in place of its oldest part, and who waits for another summary, if somebody does.
    summary_id INTEGER, summary_for TEXT,
    -- Where nobody talks, since a run has begun it for one of its calls: what it is, and where people see it.
    sub_run TEXT,
    root_id TEXT
  ) STRICT;
  CREATE INDEX running_sub_runs ON conversations (root_id) WHERE root_id IS NOT NULL AND is_open = 1;
  CREATE INDEX open_conversations ON conversations (id) WHERE is_open = 1;

  CREATE TABLE participants (
    conversation_id TEXT NOT NULL, principal TEXT NOT NULL, name TEXT NOT NULL,
    -- The groups of people that they were counted among there when they were last heard.
    roles TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (conversation_id, principal)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX participants_by_principal ON participants (principal);

  -- Whatever came in, once: messages and events are read by the model, commands and presses were obeyed. Nothing could
  -- be done with what was declined; what was withdrawn was taken back unread, and nothing of it is kept.
  CREATE TABLE inbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, conversation_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('message', 'event', 'command', 'press', 'declined', 'withdrawn')),
    principal TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, edited_text TEXT, wants_answer INTEGER NOT NULL,
    sent_at INTEGER NOT NULL, received_at INTEGER NOT NULL, is_person INTEGER NOT NULL DEFAULT 1,
    -- The platform's name of the message in its chat.
    message_id TEXT,
    quote TEXT,
    -- How many it has: they stand in a table of their own.
    attachments INTEGER NOT NULL DEFAULT 0,
    -- Those of the result that an event tells of.
    pictures TEXT
  ) STRICT;
  CREATE INDEX inbox_to_read ON inbox (conversation_id, seq) WHERE kind IN ('message', 'event');

  -- What came in beside the text. It is fetched before the model is asked.
  CREATE TABLE attachments (
    inbox_key TEXT NOT NULL REFERENCES inbox (key),
    position INTEGER NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('image', 'voice', 'audio', 'video', 'file')),
    handle TEXT NOT NULL, name TEXT, media_type TEXT, size INTEGER,
    state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'saved', 'missing')),
    -- Where it stands in the workspace.
    path TEXT,
    -- What was spoken in it.
    transcript TEXT,
    -- Why it is missing, or could not be transcribed.
    note TEXT,
    PRIMARY KEY (inbox_key, position)
  ) STRICT, WITHOUT ROWID;

  -- Chats that the platform has given another id: under the name that this makes, an older conversation goes on.
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
    -- Who answered, as the config calls it, and what that took. The cost is in millionths.
    model TEXT,
    input_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL,
    cost INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX turns_by_conversation ON turns (conversation_id, id);
  CREATE INDEX turns_by_run ON turns (conversation_id, run_id);

  -- What stands in requests for the oldest part of a conversation: the rows up to there are kept, and read no more.
  CREATE TABLE summaries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id TEXT NOT NULL, text TEXT NOT NULL,
    up_to_turn INTEGER NOT NULL, up_to_seq INTEGER NOT NULL, created_at INTEGER NOT NULL
  ) STRICT;

  -- The journal of tool calls.
  CREATE TABLE calls (
    id TEXT PRIMARY KEY, turn_id INTEGER NOT NULL REFERENCES turns (id), position INTEGER NOT NULL,
    conversation_id TEXT NOT NULL, run_id TEXT NOT NULL, principal TEXT NOT NULL, name TEXT NOT NULL,
    arguments TEXT NOT NULL, hash TEXT, category TEXT,
    -- The hook that has made the arguments what they are.
    changed_by TEXT,
    state TEXT NOT NULL CHECK (state IN ('ready', 'awaiting', 'begun', 'done')), outcome TEXT, result TEXT,
    -- What a model that sees is shown with the result.
    pictures TEXT,
    is_deferred INTEGER NOT NULL DEFAULT 0, ready_at INTEGER, begun_at INTEGER, done_at INTEGER, duration INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX calls_by_turn ON calls (conversation_id, turn_id, position);
  CREATE INDEX open_calls ON calls (conversation_id) WHERE state <> 'done';

  -- What models were paid for on a day: in turns, and in answers that were not kept. The cost is in millionths.
  CREATE TABLE spending (
    day TEXT NOT NULL, principal TEXT NOT NULL, conversation_id TEXT NOT NULL, model TEXT NOT NULL,
    tokens INTEGER NOT NULL, cost INTEGER NOT NULL,
    PRIMARY KEY (day, principal, conversation_id, model)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    -- Missing where a run asks to go on beyond one of its bounds.
    call_id TEXT REFERENCES calls (id),
    conversation_id TEXT NOT NULL, requester TEXT NOT NULL, requester_name TEXT NOT NULL, tool_name TEXT NOT NULL,
    description TEXT NOT NULL, hash TEXT NOT NULL, grantable INTEGER NOT NULL,
    -- What the card says of the call.
    asked TEXT,
    state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'answered', 'expired', 'cancelled')),
    -- What the model asks, where it is not a permission.
    question TEXT,
    -- The run that asks to go on, and how far.
    run_id TEXT,
    extension TEXT, places TEXT NOT NULL,
    -- The sub-run whose call it is, where that is not the conversation itself.
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

  -- Who asked, what ran, who approved, what came of it. Only ever added to.
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
  -- What people are to see. A change of the text is a new revision, and is shown by editing.
  CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, lane TEXT NOT NULL, conversation_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('reply', 'for_user', 'card', 'notice', 'status')), markdown TEXT NOT NULL,
    buttons TEXT,
    -- Files that belong to it: name, media type, size, and where they came from. Copies stand in the folder of its id.
    files TEXT,
    -- Which of its files the platform has refused.
    refused_files TEXT NOT NULL DEFAULT '[]',
    -- The message of a person that it answers.
    reply_to TEXT,
    -- Whom alone it is for, as the channel names them.
    private_to TEXT,
    call_id TEXT, approval_id TEXT,
    state TEXT NOT NULL CHECK (state IN ('streaming', 'queued', 'delivered', 'failed', 'abandoned')),
    revision INTEGER NOT NULL DEFAULT 1, delivered_revision INTEGER NOT NULL DEFAULT 0,
    refs TEXT NOT NULL DEFAULT '[]',
    -- Where it was shown before its text was known: what the message takes the place of.
    previews TEXT,
    -- What its first part said of its lateness, while others are still to come.
    late_note TEXT,
    -- Of what is sent once at most: whether it is being sent, and only who sends it knows the end. NULL: sent until it arrives.
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

  -- Codes with which accounts can be linked, each with the one that has asked for it. What stands here is no code.
  CREATE TABLE link_codes (
    principal TEXT PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT NULL, conversation_id TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- When the process was last known to be alive, and the time without one that owners are still to be told of: from when
  -- until when, and the newest sequence of the inbox at its end.
  CREATE TABLE lifetime (
    id INTEGER PRIMARY KEY CHECK (id = 1), alive_at INTEGER NOT NULL, away_from INTEGER, away_until INTEGER,
    away_seq INTEGER
  ) STRICT;

  -- Until when all that was said on a channel was heard.
  CREATE TABLE heard (
    channel TEXT PRIMARY KEY, heard_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What is said at most once in a while: to whom or about what.
  CREATE TABLE hints (
    subject TEXT PRIMARY KEY, said_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What others have written, and whether owners trust it, exactly as it is: what they trust, and what they are asked for
  -- or have refused. trusted_by is NULL where the config's word was enough.
  CREATE TABLE trusted (
    kind TEXT NOT NULL, name TEXT NOT NULL, trusted_id TEXT UNIQUE, trusted_fingerprint TEXT, trusted_what TEXT,
    trusted_by TEXT, trusted_at INTEGER, asked_id TEXT UNIQUE, asked_fingerprint TEXT, asked_what TEXT,
    asked_at INTEGER, is_told INTEGER NOT NULL DEFAULT 0, is_refused INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, name)
  ) STRICT, WITHOUT ROWID;

  -- Tools that people described in chats. The tools are patterns of those that each may use.
  CREATE TABLE composed_tools (
    name TEXT PRIMARY KEY, description TEXT NOT NULL, action TEXT NOT NULL, parameters TEXT NOT NULL,
    tools TEXT NOT NULL, author TEXT NOT NULL, created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
