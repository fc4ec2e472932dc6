import { z } from 'zod';
import { agentModes, approvalPolicies, taintRules } from '../approval/verdict.ts';
import { toolCategories } from '../tools/tool.ts';
import { channelPluginSettings } from './channel-plugin-settings.ts';
import { gatewaySettings, remoteToolSettings } from './gateway-settings.ts';
import { mcpSettings } from './mcp-settings.ts';
import { address, apiKey, modelSettings } from './model-settings.ts';
import {
  approver,
  block,
  bytes,
  conversation,
  count,
  listOf,
  off,
  on,
  principal,
  seconds,
  text,
  toolPattern,
  toolWords,
  whole,
} from './setting-kinds.ts';
import {
  composedToolSettings,
  customToolSettings,
  hookSettings,
  pluginSettings,
  toolSettings,
  workerSettings,
} from './tool-settings.ts';
import { workspaceTemplate } from './workspace-template.ts';

/** The settings schema of each channel, by name. Each must accept `{}`, which gives its defaults. */
export type ChannelSettings = Readonly<Record<string, z.ZodType>>;

/** A valid config, with defaults. Channels read their own blocks. */
export type Config = z.output<ReturnType<typeof configSchema>>;

/** The strict schema of the config. Every key has a default or is optional; an unknown key is an error. */
export function configSchema(channels: ChannelSettings) {
  const channelNames = Object.keys(channels);
  return z.strictObject({
    $schema: z.string().optional().describe('For editors: "./config.schema.json". Keyturn does not read it.'),
    data_dir: text.default('./data').describe('Where the database is. Relative to this file.'),
    workspace: workspaceTemplate
      .default('./workspace')
      .describe('The folder that tools work in. It may contain {channel}, {chat_id}, {thread_id} and {sender}.'),
    owners: listOf(principal(channelNames)).describe(
      'Who Keyturn belongs to, by the ids of the platforms: "telegram:123456".',
    ),
    people: z
      .record(text, z.array(principal(channelNames)))
      .default({})
      .describe('Accounts that belong to one person, by names that you choose.'),
    model: text.optional().describe('One of the names in models, or "offline". Not needed where models has one entry.'),
    models: z.record(text, modelSettings).default({}).describe('The models, by names that you choose.'),
    agent: agentSettings.describe('How the agent works.'),
    budget: budgetSettings.describe('What may be spent on models before a person is asked.'),
    channels: channelsSettings(channels).prefault({}).describe('The platforms that it talks on.'),
    approval: approvalSettings(channelNames).describe('Which tool calls a person has to approve.'),
    tools: toolSettings(channelNames).describe('The tools and their limits.'),
    mcp_servers: mcpSettings.default({}).describe('Servers that bring tools by the Model Context Protocol.'),
    agents: workerSettings.default({}).describe('Whom work can be handed over to, by names that you choose.'),
    custom_tools: customToolSettings.describe('Tools of your own: commands that the model can call.'),
    composed_tools: listOf(composedToolSettings).describe('Tools made from instructions.'),
    tool_modules: listOf(text).describe(
      'Files with tools of your own in TypeScript or JavaScript. Relative to this file.',
    ),
    channel_plugins: channelPluginSettings
      .default({})
      .describe('Channels that others have written, by their names. Their settings stand under channels.'),
    plugins: pluginSettings.describe('Tools that others have written, each plugin a folder.'),
    hooks: hookSettings.describe('Commands of your own that look at tool calls.'),
    gateway: gatewaySettings.describe('The WebSocket and HTTP server for phones, browsers and scripts.'),
    remote_tools: remoteToolSettings.describe('Tools that devices offer through the gateway.'),
    security: securitySettings.describe('What to do about untrusted content.'),
    log: logSettings.describe('The log.'),
    delivery: deliverySettings.describe('How messages reach people.'),
    pairing: pairingSettings.describe('How strangers ask to be let in.'),
    attachments: attachmentSettings.describe('What people send beside text.'),
    transcription: transcriptionSettings.optional().describe('The model that writes down what voice messages say.'),
  });
}

function channelsSettings(channels: ChannelSettings) {
  const blocks = Object.entries(channels).map(([name, settings]) => {
    const description = settings.description ?? `The channel ${name}.`;
    return [name, settings.prefault({}).describe(description)] as const;
  });
  return z.strictObject(Object.fromEntries(blocks));
}

const agentSettings = block({
  mode: z
    .enum(agentModes)
    .default('assistant')
    .describe('observer: reads only. assistant: the approval policy decides. autonomous: asks only where it must.'),
  max_turns: count(25, 10_000).describe('Answers of the model in one run, before it asks whether to go on.'),
  max_failures: whole(3, 0, 1000).describe(
    'A run in which a tool fails in so many turns in a row stops and asks. 0: never.',
  ),
  max_repeats: whole(5, 0, 1000).describe(
    'A run that makes the same call so often, with the same result, stops and asks. 0: never.',
  ),
  instructions: z.string().default('').describe('Added to what the model is told about itself.'),
  context_tokens: whole(32_000, 1000, 100_000_000).describe(
    'How much one request to the model holds, in tokens: instructions, tools, messages and the answer.',
  ),
  summaries: on.describe('What no longer fits is summarised by the model. false: it is only left out.'),
  wait_for_model_secs: whole(1800, 0, 86_400).describe(
    'How long a run waits for a model that cannot be reached, before it says so and ends. 0: not at all.',
  ),
  last_try_after_secs: whole(15, 0, 3600).describe(
    'A run in which two processes were killed is tried once more when this one has lived for so long.',
  ),
  burst_ms: whole(3000, 0, 60_000).describe(
    'What the same person adds within this time is answered together with what they said, if no answer shows yet.',
  ),
});

const securitySettings = block({
  taint: z
    .enum(taintRules)
    .default('ask')
    .describe(
      'What happens to a call that could harm or leak in a conversation that has read untrusted content: ask a person, whatever else allows it · deny it · off: the rule does not count.',
    ),
  tools: z
    .record(toolPattern, z.strictObject(toolWords))
    .default({})
    .describe(
      'What you say of tools, by their names or "prefix*", "*suffix", "*": tools of plugins, devices and your own.',
    ),
});

const logSettings = block({
  level: z
    .enum(['debug', 'info', 'warn', 'error'])
    .default('info')
    .describe('The least important lines that are written.'),
});

/** Who is asked about which tool calls, and for how long. */
function approvalSettings(channelNames: readonly string[]) {
  return block({
    enabled: on.describe('false: nothing asks but what security.taint is about.'),
    policy: z
      .enum(approvalPolicies)
      .default('require_for_dangerous')
      .describe('When to ask: never, always, for the tools in require_for, or for what is dangerous.'),
    dangerous_tools: z
      .array(toolPattern)
      .default(['shell', 'write_file', 'edit_file'])
      .describe('Tools that are dangerous: a name, "prefix*", "*suffix" or "*".'),
    dangerous_categories: z
      .array(z.enum(toolCategories))
      .default(['shell', 'filesystem_write', 'network_write', 'messaging', 'hardware', 'destructive'])
      .describe('Categories that are dangerous, whatever the tool is called.'),
    require_for: listOf(toolPattern).describe(
      'Tools that ask under the policy require_for_tools, and always in the mode autonomous.',
    ),
    allow_own_words: off.describe(
      'true: a request or message does not ask because of its category if an approver has written its recipients, hosts, numbers and addresses themselves; and all of its text, where untrusted content and private data were read there.',
    ),
    approvers: z
      .array(approver(channelNames))
      .default(['owner'])
      .describe('Who may decide: "owner" (all owners), or people as "channel:id".'),
    forward_to: listOf(conversation(channelNames)).describe(
      "Where to ask if no approver is in the conversation. Empty: in the owners' own chats.",
    ),
    timeout_secs: seconds(1800).describe('A request that nobody decides in this time is denied.'),
    window_secs: seconds(900).describe('How long the button for a while allows the same tool.'),
    execute_within_secs: seconds(600).describe(
      'A call that was approved just before a restart runs only if the decision is not older; else it asks again.',
    ),
  });
}

const attachmentSettings = block({
  folder: z
    .string()
    .regex(
      /^(?!\.{1,2}$)[^/\\\0]{1,100}$/,
      'expected the name of one folder, without slashes: it is made in the workspace',
    )
    .default('received')
    .describe('The folder of the workspace in which files are saved that people send.'),
  max_bytes: bytes(20_971_520).describe('A larger file is not fetched, and its sender is told so.'),
  timeout_secs: seconds(120).describe('How long fetching one file may take.'),
});

/** The transcription model, at a server with OpenAI's API. */
const transcriptionSettings = z.strictObject({
  base_url: address
    .default('https://api.openai.com/v1')
    .describe('Where the API is: /audio/transcriptions is added to it.'),
  name: text.describe('The model, as the server calls it: "whisper-1".'),
  api_key: apiKey.describe(`The key, if the server wants one: "\${NAME}" takes it from the environment.`),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/, 'expected a code of two or three letters, such as "de"')
    .optional()
    .describe('The language that is spoken, as ISO 639 has it. Left out: the model finds out.'),
  timeout_secs: seconds(120).describe('How long one transcription may take.'),
});

const tokens = z.number().int().min(1).max(1_000_000_000_000).optional();
const money = z.number().min(0.000_001).max(1_000_000_000).optional();

/** Limits on spending. Days are in the time zone of `tools.schedule.time_zone`, or of the machine. */
const budgetSettings = block({
  tokens_per_run: tokens.describe('Tokens, read and written, for answering one message. Default: no bound.'),
  money_per_run: money.describe('Money for answering one message, as the prices in models say. Default: no bound.'),
  tokens_per_person_per_day: tokens.describe('Tokens for one person in a day. Default: no bound.'),
  money_per_person_per_day: money.describe('Money for one person in a day. Default: no bound.'),
  tokens_per_day: tokens.describe('Tokens for all people in a day. Default: no bound.'),
  money_per_day: money.describe('Money for all people in a day. Default: no bound.'),
  ask_timeout_secs: count(1800, 604_800).describe(
    'How long a run that has reached a bound waits for somebody to let it go on. Then it ends.',
  ),
});

const deliverySettings = block({
  ambiguous_retry_after_ms: whole(3000, 0, 600_000).describe(
    'A message whose answer was lost is sent again after this time, in milliseconds, and ever more seldom.',
  ),
  stream: on.describe('Whether a reply appears while the model writes it, where a channel can change its messages.'),
  tool_cards: on.describe('Whether a message shows what tools are doing, where a channel can change its messages.'),
  max_messages: count(5, 100).describe(
    'A text that needs more messages than that is sent as its beginning, and whole as a file.',
  ),
  late_after_secs: count(600, 604_800).describe(
    'A message that could not be sent for this long says that it is late, and from when.',
  ),
  downtime_after_secs: whole(300, 0, 604_800).describe(
    'After being away for longer than this, the owners are told at the next start. 0: never.',
  ),
});

const pairingSettings = block({
  enabled: on.describe('Whether a stranger who writes directly is given a code, with which an owner can let them in.'),
  code_secs: seconds(3600).describe('How long a code is good for.'),
  max_codes: count(10, 1000).describe('How many codes may be open at a time.'),
});
