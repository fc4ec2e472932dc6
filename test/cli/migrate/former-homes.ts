/*
 * Homes of other programs as their users have them: the files that each writes, with made-up people and tokens. Where a form
 * comes from is said beside it, by the repository and the file that was read (docs/decisions/0162).
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';

/** Files by their paths from the program's folder. */
export type FormerFiles = Readonly<Record<string, string>>;

/** A token of each form. None of them is anybody's. */
export const formerSecrets = {
  telegram: `7000000001:${'A'.repeat(35)}`,
  slackBot: `xoxb-7-${'b'.repeat(24)}`,
  slackApp: `xapp-1-${'c'.repeat(24)}`,
  discord: `${'D'.repeat(26)}.${'e'.repeat(6)}.${'F'.repeat(38)}`,
  model: 'sk-former-model-key-0123456789',
  server: 'ghp_formerServerToken0123456789abcdef',
} as const;
const { telegram, slackBot, slackApp, discord, model, server } = formerSecrets;

/** In the future of each test. */
const later = Date.parse('2099-05-01T07:30:00Z');

/**
 * openclaw/openclaw: src/config/types.telegram.ts (botToken, dmPolicy, allowFrom, groups), src/cron/types.ts (jobs),
 * src/pairing/pairing-store.ts (credentials/…-allowFrom.json), docs/gateway/configuration-reference.md (JSON5, models, mcp).
 */
const openclaw: FormerFiles = {
  'openclaw.json': `// edited by hand: JSON5
{
  agents: { defaults: {
    model: { primary: 'anthropic/claude-opus-4-6', fallbacks: ['local/qwen3:8b', 'openai-codex/gpt-5.4'] },
    userTimezone: 'Europe/Berlin',
  } },
  models: { providers: {
    anthropic: { apiKey: '\${ANTHROPIC_API_KEY}' },
    local: { baseUrl: 'http://127.0.0.1:8080/v1', api: 'openai-completions', apiKey: 'none-needed' },
  } },
  channels: {
    telegram: {
      enabled: true, botToken: '${telegram}', dmPolicy: 'pairing', allowFrom: [17, 'tg:18'], groupPolicy: 'open',
      groups: { '*': { requireMention: true }, '-1001234567890': { requireMention: false, allowFrom: ['19', '@somebody'] } },
    },
    discord: { token: { source: 'exec', id: 'pass discord' }, allowFrom: ['*', '70001'], guilds: {
      '80001': { users: ['70002'], channels: { '90001': { allow: true, requireMention: false }, '90002': { allow: false } } },
      '80002': { requireMention: true, users: ['70003'] },
    } },
    whatsapp: { allowFrom: ['+15550001111'] },
  },
  commands: { ownerAllowFrom: ['telegram:17'] },
  tools: { exec: { ask: 'off', security: 'full' } },
  mcp: { servers: {
    github: { command: 'npx', args: ['-y', 'server-github'], env: { GITHUB_TOKEN: '${server}', LOG_LEVEL: 'info' },
      tools: { include: ['get_issue', 'list_issues'] } },
    'weather site': { url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer \${WEATHER_KEY}' } },
  } },
  hooks: { enabled: true },
}
`,
  '.env': `ANTHROPIC_API_KEY=${model}\n`,
  'credentials/telegram-default-allowFrom.json': '{ "version": 1, "allowFrom": ["20"] }',
  'exec-approvals.json':
    '{ "version": 1, "defaults": { "security": "allowlist" }, "agents": { "main": { "allowlist": [{ "pattern": "/usr/bin/git" }] } } }',
  'cron/jobs.json': JSON.stringify({
    version: 1,
    jobs: [
      {
        id: '6f1b',
        name: 'Morning brief',
        enabled: true,
        schedule: { kind: 'cron', expr: '0 7 * * 1-5', tz: 'Europe/Berlin' },
        sessionTarget: 'isolated',
        payload: { kind: 'agentTurn', message: 'Sum up what came in overnight.' },
        delivery: { mode: 'announce', channel: 'telegram', to: '17' },
        state: {},
      },
      {
        id: '6f1c',
        name: 'Water the plants',
        enabled: true,
        schedule: { kind: 'at', at: new Date(later).toISOString() },
        payload: { kind: 'systemEvent', text: 'Remind me to water the plants.' },
        delivery: { mode: 'announce', channel: 'last' },
        state: {},
      },
      {
        id: '6f1f',
        name: 'In the group',
        enabled: true,
        schedule: { kind: 'every', everyMs: 604_800_000 },
        payload: { kind: 'agentTurn', message: 'Sum up the week.' },
        delivery: { mode: 'announce', channel: 'telegram', to: '-1001234567890' },
        state: { nextRunAtMs: later },
      },
      {
        id: '6f20',
        name: 'In another group',
        enabled: true,
        schedule: { kind: 'cron', expr: '0 9 * * *' },
        payload: { kind: 'agentTurn', message: 'Tell them.' },
        delivery: { mode: 'announce', channel: 'telegram', to: '-5' },
        state: {},
      },
      {
        id: '6f1d',
        name: 'Every 45 minutes',
        enabled: true,
        schedule: { kind: 'every', everyMs: 2_700_000 },
        payload: { kind: 'agentTurn', message: 'Look at the queue.' },
        state: {},
      },
      {
        id: '6f1e',
        name: 'Of a stranger',
        enabled: true,
        schedule: { kind: 'cron', expr: '0 9 * * *' },
        payload: { kind: 'agentTurn', message: 'Tell them.' },
        delivery: { mode: 'announce', channel: 'telegram', to: '99' },
        state: {},
      },
    ],
  }),
  'workspace/SOUL.md': 'Be brief. Never guess a number.\n',
  'workspace/AGENTS.md': '# Each session\n\nRead SOUL.md and memory/YYYY-MM-DD.md, and answer HEARTBEAT_OK.\n',
  'workspace/USER.md': '# About your human\n\n- **Name:** Ada\n- Lives in Berlin with two cats\n',
  'workspace/MEMORY.md':
    '# Memory\n\n## Preferences\n\n- Drinks tea, no sugar\n- 喜欢周五下午开会\n\nThe boat is called Möwe.\n',
  'workspace/memory/2026-11-02.md': 'Talked about the boat.\n',
  'workspace/skills/invoices/SKILL.md': '---\nname: invoices\n---\nMakes invoices.\n',
  'agents/main/sessions/one.jsonl': '{}\n',
};

/**
 * NousResearch/hermes-agent: .env.example and cli-config.yaml.example (model, providers, approvals), gateway/pairing.py
 * (platforms/pairing/…-approved.json), cron/jobs.py (jobs.json), docs/user-guide/configuration.md (memories with `§`).
 */
const hermes: FormerFiles = {
  'config.yaml': `_config_version: 50
model:
  default: anthropic/claude-opus-4.6
  provider: auto
  base_url: https://openrouter.ai/api/v1
fallback_providers:
  - { provider: nous, model: hermes-4-405b }
timezone: Asia/Shanghai
approvals:
  mode: off
command_allowlist:
  - git push
mcp_servers:
  files:
    command: npx
    args: ["-y", "server-filesystem", "/srv/files"]
    tools:
      exclude: [write_file]
`,
  '.env': `OPENROUTER_API_KEY=${model}
TELEGRAM_BOT_TOKEN=${telegram}
TELEGRAM_ALLOWED_USERS=17, 18
TELEGRAM_HOME_CHANNEL=17
TELEGRAM_ALLOWED_CHATS=-1009
TELEGRAM_GROUP_ALLOWED_CHATS=-1008
SLACK_BOT_TOKEN=${slackBot}
SLACK_APP_TOKEN=${slackApp}
SLACK_ALLOWED_USERS=U0123ABCD
`,
  'SOUL.md': 'You are calm.\n',
  'memories/MEMORY.md': 'The server is called juno.\n§\nDeploys are on Tuesdays.\nNever on Fridays.\n§\n',
  'memories/USER.md': 'Prefers short answers.\n',
  'platforms/pairing/telegram-approved.json': '{ "21": { "user_name": "Bo", "approved_at": 1764000000.5 } }',
  'cron/jobs.json': JSON.stringify({
    jobs: [
      {
        id: 'a1b2c3d4e5f6',
        name: 'Daily briefing',
        prompt: "Summarise today's news.",
        schedule: { kind: 'cron', expr: '0 9 * * *', display: '0 9 * * *' },
        deliver: 'telegram',
        repeat: { times: null, completed: 42 },
        state: 'scheduled',
        enabled: true,
      },
      {
        id: 'a1b2c3d4e5f7',
        name: 'Each hour',
        prompt: 'Look at the mail.',
        schedule: { kind: 'interval', minutes: 60 },
        next_run_at: '2099-05-01T07:15:00Z',
        deliver: 'origin',
        origin: { platform: 'telegram', chat_id: '17', user_id: '17' },
        state: 'scheduled',
        enabled: true,
      },
      {
        id: 'a1b2c3d4e5f8',
        name: 'Watchdog',
        script: 'watch.sh',
        no_agent: true,
        schedule: { kind: 'interval', minutes: 2 },
        deliver: 'origin',
        enabled: true,
      },
      {
        id: 'a1b2c3d4e5f9',
        name: 'Paused',
        prompt: 'Nothing.',
        schedule: { kind: 'cron', expr: '0 1 * * *' },
        state: 'paused',
        enabled: true,
      },
    ],
  }),
  'skills/notes/SKILL.md': 'Keeps notes.\n',
};

/**
 * zeroclaw-labs/zeroclaw: docs/book/src/channels/peer-groups.md, docs/book/src/providers/configuration.md,
 * crates/zeroclaw-config/src/schema.rs (version 3), crates/zeroclaw-memory/src/sqlite.rs and
 * crates/zeroclaw-runtime/src/cron/store.rs (their tables).
 */
const zeroclaw: FormerFiles = {
  'config.toml': `schema_version = 3

[providers.models.anthropic.home]
api_key = "${model}"
model = "claude-sonnet-4-6"

[agents.primary]
enabled = true
model_provider = "anthropic.home"
channels = ["telegram.home"]

[channels.telegram.home]
enabled = true
bot_token = "${telegram}"

[channels.discord.guild]
enabled = true
bot_token = "${discord}"
guild_ids = ["900000000000000001"]
mention_only = true

[peer_groups.family]
channel = "telegram.home"
agents = ["primary"]
external_peers = ["17", "@grandma"]

[risk_profiles.default]
level = "full"
auto_approve = ["file_read", "shell"]

[[mcp.servers]]
name = "clock"
transport = "http"
url = "https://clock.example.com/mcp"
tool_timeout_secs = 20
`,
  'agents/primary/workspace/IDENTITY.md': 'You are called Zed.\n',
};

/** crates/zeroclaw-config/fixtures/v1.toml: the first version has one key, and channels without names. */
const oldZeroclaw: FormerFiles = {
  'config.toml': `api_key = "${model}"
default_provider = "openrouter"
default_model = "anthropic/claude-sonnet-4-6"

[autonomy]
level = "supervised"

[channels_config.telegram]
bot_token = "${telegram}"
allowed_users = ["*"]
`,
};

/** qhkm/zeptoclaw: src/config/types.rs, src/cron/mod.rs, src/memory/longterm.rs. */
const zeptoclaw: FormerFiles = {
  'config.json': JSON.stringify({
    agents: {
      defaults: { model: 'claude-sonnet-4-5', timezone: 'Asia/Kuala_Lumpur', system_prompt: 'Answer in one line.' },
    },
    providers: { anthropic: { api_key: 'ENC[1:c2FsdA==:bm9uY2U=:dGV4dA==]' } },
    channels: {
      telegram: { enabled: true, token: telegram, allow_from: [], deny_by_default: false },
      slack: { enabled: false, bot_token: slackBot, app_token: slackApp, allow_from: ['T0123ABCD/U0123ABCD'] },
    },
    approval: { enabled: true, policy: 'always_allow' },
    agent_mode: { mode: 'autonomous' },
    mcp: {
      servers: [{ name: 'search', command: 'uvx', args: ['mcp-search', '--api-key=sk-of-the-search-0123456789'] }],
    },
  }),
  'memory/longterm.json': JSON.stringify({
    'user:name': {
      key: 'user:name',
      value: 'Ada',
      category: 'user',
      created_at: 1764000000,
      last_accessed: 1764000000,
      access_count: 3,
      tags: ['person'],
      importance: 1,
    },
  }),
  'cron/jobs.json': JSON.stringify({
    version: 1,
    jobs: [
      {
        id: 'z1',
        name: 'Weekly',
        enabled: true,
        schedule: { kind: 'cron', expr: '0 8 * * 1' },
        payload: { message: 'Plan the week.', channel: 'telegram', chat_id: '17' },
        state: {},
        created_at_ms: 1,
        updated_at_ms: 1,
        delete_after_run: false,
      },
    ],
  }),
  'workspace/SOUL.md': 'Be kind.\n',
};

/** HKUDS/nanobot: nanobot/config/schema.py, nanobot/cron/types.py, nanobot/pairing/store.py, docs/memory.md. */
const nanobot: FormerFiles = {
  'config.json': JSON.stringify({
    agents: {
      defaults: { workspace: '~/.nanobot/workspace', model: 'deepseek-chat', provider: 'deepseek', timezone: 'UTC' },
    },
    providers: { deepseek: { apiKey: model }, openai: { apiKey: '' } },
    channels: {
      telegram: { enabled: true, token: telegram, allowFrom: [] },
      slack: { enabled: false, botToken: '', appToken: '', allowFrom: [] },
      discord: { enabled: true, token: discord, allowFrom: ['70001'], allowChannels: ['90001'], groupPolicy: 'open' },
      feishu: { enabled: true, appId: 'x' },
    },
    tools: { mcpServers: { notes: { command: 'notes-mcp', enabledTools: ['*'] } }, exec: { timeout: 60 } },
  }),
  'pairing.json': '{ "approved": { "telegram": ["17"] }, "pending": {} }',
  'workspace/cron/jobs.json': JSON.stringify({
    version: 1,
    jobs: [
      {
        id: 'n1',
        name: 'tides',
        enabled: true,
        schedule: { kind: 'every', everyMs: 86_400_000 },
        payload: { kind: 'agent_turn', message: 'Tell me the tides.', originChannel: 'telegram', originChatId: '17' },
        state: { nextRunAtMs: later },
      },
      {
        id: 'dream',
        name: 'dream',
        enabled: true,
        schedule: { kind: 'every', everyMs: 7_200_000 },
        payload: { kind: 'system_event', message: '' },
        state: {},
      },
    ],
  }),
  'workspace/SOUL.md': 'You are curious.\n',
  'workspace/USER.md': '# User\n\n## Profile\n\n- Is a sailor\n',
  'workspace/memory/MEMORY.md': `# Long-term Memory

This file stores important information that should persist across sessions.

## Preferences

(User preferences learned over time)

- Wants metric units

---

*This file is automatically updated by nanobot when important information should be remembered.*
`,
};

export const formerHomes = { openclaw, hermes, zeroclaw, zeptoclaw, nanobot } as const;
export const olderZeroclaw = oldZeroclaw;

/** Writes these files into a folder. */
export function writeFormer(folder: string, files: FormerFiles): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** The two databases of ZeroClaw, as its third version has them. What is remembered stands in the log: its process was killed. */
export function writeZeroclawData(folder: string): void {
  for (const name of ['memory', 'cron']) mkdirSync(join(folder, 'data', name), { recursive: true });
  const brain = new Sqlite(join(folder, 'data/memory/brain.db'));
  brain.pragma('journal_mode = WAL');
  brain.exec(`CREATE TABLE memories (id TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE, content TEXT NOT NULL,
      category TEXT NOT NULL DEFAULT 'core', embedding BLOB, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, superseded_by TEXT);
    INSERT INTO memories VALUES ('1', 'favourite_port', 'Likes Lisbon', 'core', x'00ff', '2026-01-01', '2026-01-01', NULL),
      ('2', 'chat_1', 'hello', 'conversation', NULL, '2026-01-01', '2026-01-01', NULL),
      ('3', 'old_port', 'Likes Porto', 'core', NULL, '2026-01-01', '2026-01-01', '1');`);
  const files = ['brain.db', 'brain.db-wal'].map((name) => join(folder, 'data/memory', name));
  const contents = files.map((file) => readFileSync(file));
  brain.close();
  for (const [index, file] of files.entries()) writeFileSync(file, contents[index] ?? '');
  const jobs = new Sqlite(join(folder, 'data/cron/jobs.db'));
  jobs.exec(`CREATE TABLE cron_jobs (id TEXT PRIMARY KEY, expression TEXT NOT NULL, command TEXT NOT NULL, schedule TEXT,
      job_type TEXT NOT NULL DEFAULT 'shell', prompt TEXT, name TEXT, enabled INTEGER NOT NULL DEFAULT 1, delivery TEXT,
      created_at TEXT NOT NULL, next_run TEXT NOT NULL, source TEXT DEFAULT 'imperative');
    INSERT INTO cron_jobs VALUES
      ('1', '30 6 * * *', '', '{"kind":"cron","expr":"30 6 * * *","tz":"Europe/Lisbon"}', 'agent', 'Tell me the wind.', 'wind', 1,
        '{"mode":"announce","channel":"telegram.home","to":"17"}', '2026-01-01', '2099-01-01', 'imperative'),
      ('2', '* * * * *', 'df -h', NULL, 'shell', NULL, 'disk', 1, NULL, '2026-01-01', '2099-01-01', 'imperative');`);
  jobs.close();
}
