import { z } from 'zod';
import { agentModes, approvalPolicies, taintRules } from '../approval/verdict.ts';
import { languages } from '../lib/words.ts';
import { toolCategories } from '../tools/tool.ts';
import { customToolSettings, workerSettings } from './extension-settings.ts';
import { modelSettings, transcriptionSettings } from './model-settings.ts';
import {
  approver,
  block,
  bytes,
  choice,
  conversation,
  count,
  listOf,
  mapOf,
  off,
  on,
  pathIn,
  principal,
  type SettingsContext,
  seconds,
  settingText,
  text,
  timeZone,
  toolNamePattern,
  toolPattern,
  toolPlace,
  toolWords,
  whole,
  workspaceIn,
} from './setting-kinds.ts';
import { toolSettings } from './tool-settings.ts';

/** The settings schema of each channel, by name. Each must accept `{}`, which gives its defaults. */
export type ChannelSettings = Readonly<Record<string, z.ZodType>>;

/** A valid config, with defaults and absolute paths: the core's keys. Channels and features read their own (`SettingsPart`). */
export type Config = z.output<ReturnType<typeof coreSettings>>;

/** The core's keys. Every key has a default or is optional. */
export function coreSettings(context: SettingsContext, channels: ChannelSettings) {
  const { channels: channelNames } = context;
  return z.object({
    $schema: z.optional(z.string()).describe('For editors: "./config.schema.json". Keyturn ignores it.'),
    data_dir: pathIn(context).prefault('./data').describe('The folder of the database. Relative to this file.'),
    workspace: workspaceIn(context)
      .prefault('./workspace')
      .describe(
        'The folder that tools work in. With {channel}, {chat_id} or {thread_id} in it, each conversation has its own folder; with {sender}, each person.',
      ),
    language: z
      .optional(z.enum(languages))
      .describe(
        'The language that people are spoken to in where nothing is known of theirs, and in groups. Default: that of the system, otherwise English. Theirs to change by /language.',
      ),
    owners: listOf(principal(channelNames)).describe('The owners, by their ids on the platforms: "telegram:123456".'),
    people: mapOf(text, personSettings(channelNames)).describe(
      'The accounts of one person, by names that you choose: a list, or with their time zone.',
    ),
    model: z
      .optional(text)
      .describe(
        'One of the names in models, or "offline". Not needed if models has only one entry. Without any, the first of ANTHROPIC_API_KEY, OPENAI_API_KEY and GEMINI_API_KEY that is set decides.',
      ),
    models: mapOf(text, modelSettings).describe('The language models, by names that you choose.'),
    agent: agentSettings.describe('How the agent works.'),
    budget: budgetSettings.describe(
      'How much may be spent on models before a run waits for permission to continue. Days are in tools.schedule.time_zone.',
    ),
    channels: channelsSettings(channels).prefault({}).describe('The platforms to chat on.'),
    approval: approvalSettings(channelNames).describe('Which tool calls a person must approve.'),
    tools: toolSettings(channelNames).describe('The tools and their limits.'),
    agents: workerSettings(context)
      .default({})
      .describe('Agents for delegated work, by names that you choose: docs/agents.md.'),
    chats: mapOf(toolPlace(channelNames), chatSettings).describe(
      'What holds in one chat, by its id: "telegram:-1001", "telegram:-1001/7" for a topic or thread, "telegram" for a whole channel. The narrowest entry holds alone.',
    ),
    custom_tools: customToolSettings.describe('Your own commands, as tools for the model: docs/custom-tools.md.'),
    security: securitySettings.describe('How to treat untrusted content.'),
    network: networkSettings(context).describe('How everything that leaves this machine gets out.'),
    log: logSettings.describe('The log.'),
    delivery: deliverySettings.describe('How messages reach people.'),
    pairing: pairingSettings.describe('How strangers ask for access.'),
    attachments: attachmentSettings.describe('Files that people send.'),
    transcription: z.optional(transcriptionSettings).describe('The model that transcribes voice messages.'),
  });
}

function channelsSettings(channels: ChannelSettings) {
  const blocks = Object.entries(channels).map(([name, settings]) => {
    const description = settings.description ?? `The channel ${name}.`;
    return [name, settings.prefault({}).describe(description)] as const;
  });
  return z.strictObject(Object.fromEntries(blocks));
}

function personSettings(channelNames: readonly string[]) {
  const accounts = z.array(principal(channelNames));
  return z.union([
    accounts,
    z.strictObject({
      accounts: accounts.describe('Their ids on the platforms: "telegram:123456".'),
      time_zone: z
        .optional(timeZone)
        .describe('Where they are, such as "Asia/Shanghai". Theirs to change by /timezone.'),
    }),
  ]);
}

/** The accounts of each person, and their time zones. */
export function peopleIn({ people }: Pick<Config, 'people'>) {
  return Object.values(people).map((person) =>
    'accounts' in person ? person : { accounts: person, time_zone: undefined },
  );
}

const agentSettings = block({
  mode: choice(agentModes, 'assistant').describe(
    'observer: it only reads. assistant: the approval policy decides. autonomous: calls that the policy would ask about are allowed, except destructive ones, those in approval.require_for, commands without a sandbox, and what security.taint covers.',
  ),
  max_turns: count(25, 10_000).describe(
    'How many answers the model may give in one run before it asks whether it may continue for as many again.',
  ),
  max_failures: whole(3, 0, 1000).describe(
    'A run stops and asks after a tool has failed in this many turns in a row. 0: never.',
  ),
  max_repeats: whole(5, 0, 1000).describe(
    'A run stops and asks after the same call had the same result this many times. 0: never.',
  ),
  instructions: z.string().default('').describe('Your own instructions for the model.'),
  context_tokens: whole(32_000, 1000, 100_000_000).describe(
    'The largest request to the model, in tokens: instructions, tools, messages, and room for the answer. If there is more, old results are shortened first, then the oldest part is summarised.',
  ),
  summaries: on.describe('The model summarises messages that no longer fit. false: they are left out.'),
  wait_for_model_secs: whole(1800, 0, 86_400).describe(
    'How long a run waits for a model that cannot be reached, in seconds, before it says so and fails. 0: it fails at once.',
  ),
  last_try_after_secs: whole(15, 0, 3600).describe(
    'A run during which two processes were killed is tried once more, alone, after this process has run for this long, in seconds. If this one is killed too, the run is set aside.',
  ),
  burst_ms: whole(3000, 0, 60_000).describe(
    'Messages that a person adds within this time, in milliseconds, are answered together, if no answer is visible yet. 0: never.',
  ),
});

const chatSettings = z.strictObject({
  prompt: z.string().default('').describe('Added to the instructions for the model there.'),
  model: z
    .optional(text)
    .describe(
      'One of the names in models. What people choose there by /model comes first. Default: that of the agent.',
    ),
  agent: z
    .optional(text)
    .describe('One of the names in agents: its prompt, tools, model, mode and folder hold there. Default: none.'),
});

const securitySettings = block({
  taint: choice(taintRules, 'ask').describe(
    'What happens to a call that could harm or leak, in a conversation that has read untrusted content. ask: a person decides, even if something else allows it. deny: it never runs. off: this rule does not apply.',
  ),
  tools: mapOf(toolPattern, z.strictObject(toolWords)).describe(
    'What you know about tools of plugins, devices and your own, by name, "prefix*", "*suffix" or "*".',
  ),
});

const networkSettings = (context: SettingsContext) =>
  block({
    proxy: z
      .optional(z.union([z.literal(false), z.string()]))
      .describe(
        'The proxy for everything that leaves this machine: "http://host:port", "https://host:port" or "socks5h://host:port", with "name:password@" before the host if it asks for them. Default: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY of the environment. "none" or false: no proxy. NO_PROXY of the environment names exceptions.',
      ),
    ca_file: z
      .optional(pathIn(context))
      .describe(
        'A PEM file with certificates of authorities to trust beside the usual ones, such as those of your company. Relative to this file.',
      ),
  });

const logSettings = block({
  level: choice(['debug', 'info', 'warn', 'error'], 'info').describe('The least important lines that are logged.'),
});

/** Who is asked about which tool calls, and for how long. */
function approvalSettings(channelNames: readonly string[]) {
  return block({
    enabled: on.describe('false: no call asks, except because of security.taint.'),
    policy: choice(approvalPolicies, 'require_for_dangerous').describe(
      'Which calls ask. always_allow: none. always_require: all. require_for_tools: those in require_for. require_for_dangerous: dangerous ones.',
    ),
    dangerous_tools: listOf(toolNamePattern, ['shell', 'write_file', 'edit_file']).describe(
      'The dangerous tools: a name, "prefix*", "*suffix" or "*".',
    ),
    dangerous_categories: listOf(z.enum(toolCategories), [
      'shell',
      'filesystem_write',
      'network_write',
      'messaging',
      'hardware',
      'destructive',
    ]).describe(
      'The dangerous categories, whatever a tool is called. The others: filesystem_read, network_read, memory.',
    ),
    require_for: listOf(toolNamePattern).describe(
      'Tools that ask under the policy require_for_tools, and always in the mode autonomous.',
    ),
    allow_own_words: off.describe(
      'true: a request or message does not ask because of its category if an approver has written its recipients, hosts, numbers and addresses. Where untrusted content and private data were read, they must have written all of its text.',
    ),
    approvers: listOf(approver(channelNames), ['owner']).describe(
      'Who may decide: "owner" for all owners, or people as "channel:id".',
    ),
    forward_to: listOf(conversation(channelNames)).describe(
      'Where to ask if no approver is in the conversation, as "telegram:123456789". Empty: in the owners\' own chats.',
    ),
    timeout_secs: seconds(1800).describe('An approval that nobody decides in this time is denied.'),
    window_secs: seconds(900).describe('How long the button for a limited time allows the same tool.'),
    execute_within_secs: seconds(600).describe(
      'A call approved just before a restart runs if the decision is at most this old. Otherwise it asks again.',
    ),
  });
}

const attachmentSettings = block({
  folder: z
    .string()
    .regex(/^(?!\.{1,2}$)[^/\\\0]{1,100}$/, settingText('folderName'))
    .default('received')
    .describe('The folder of the workspace where files from people are saved.'),
  max_bytes: bytes(20_971_520).describe('A larger file is not fetched, and its sender is told.'),
  timeout_secs: seconds(120).describe('How long fetching one file may take.'),
  trust_owners: off.describe(
    'true: documents that owners send are not untrusted content. false: only their own pictures and voice messages are not; anybody may have written a PDF, a mail or a table.',
  ),
});

const tokens = z.number().int().min(1).max(1_000_000_000_000).optional();
const money = z.number().min(0.000_001).max(1_000_000_000).optional();

/** Limits on spending. Days are in the time zone of `tools.schedule.time_zone`, or of the machine. */
const budgetSettings = block({
  tokens_per_run: tokens.describe('The most tokens, read and written, for one run. Default: no limit.'),
  money_per_run: money.describe('The most money for one run, at the prices in models. Default: no limit.'),
  tokens_per_person_per_day: tokens.describe('The most tokens for one person per day. Default: no limit.'),
  money_per_person_per_day: money.describe('The most money for one person per day. Default: no limit.'),
  tokens_per_day: tokens.describe('The most tokens for all people per day. Default: no limit.'),
  money_per_day: money.describe('The most money for all people per day. Default: no limit.'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, settingText('currency'))
    .refine(isCurrency, settingText('currency'))
    .default('USD')
    .describe('The currency of these limits and of the prices in models, as ISO 4217 has it: "USD", "EUR", "CNY".'),
  ask_timeout_secs: count(1800, 604_800).describe(
    'How long a run that has reached a limit waits for somebody to let it continue. Then it ends.',
  ),
});

/** Whether Node can write amounts in it: ISO 4217, also currencies that have ended. */
function isCurrency(code: string): boolean {
  return Intl.supportedValuesOf('currency').includes(code);
}

const deliverySettings = block({
  ambiguous_retry_after_ms: whole(3000, 0, 600_000).describe(
    'A message that may not have arrived is sent again after this time, in milliseconds, then at longer intervals.',
  ),
  stream: on.describe('Show a reply while the model writes it, where a channel can edit messages.'),
  tool_cards: on.describe('Show what tools are doing, where a channel can edit messages.'),
  max_messages: count(5, 100).describe('A text that needs more messages than this is cut short, and sent as a file.'),
  late_after_secs: count(600, 604_800).describe('A message that arrives later than this says so, and says from when.'),
  downtime_after_secs: whole(300, 0, 604_800).describe(
    'After a longer downtime than this, owners are told at the next start. 0: never.',
  ),
});

const pairingSettings = block({
  enabled: on.describe('Give a stranger who writes directly a code, with which an owner can grant them access.'),
  code_secs: seconds(3600).describe('How long a code is valid.'),
  max_codes: count(10, 1000).describe('The most codes that are valid at a time.'),
});
