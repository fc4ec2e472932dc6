import { z } from 'zod';
import { agentModes, taintRules } from '../approval/policy.ts';
import { approvalSettings } from './approval-settings.ts';
import { attachmentSettings, transcriptionSettings } from './attachment-settings.ts';
import { budgetSettings } from './budget-settings.ts';
import { channelPluginSettings } from './channel-plugin-settings.ts';
import { customToolSettings } from './custom-tool-settings.ts';
import { deliverySettings } from './delivery-settings.ts';
import { gatewaySettings } from './gateway-settings.ts';
import { hookSettings } from './hook-settings.ts';
import { mcpSettings } from './mcp-settings.ts';
import { modelSettings } from './model-settings.ts';
import { pairingSettings } from './pairing-settings.ts';
import { pluginSettings } from './plugin-settings.ts';
import { remoteToolSettings } from './remote-settings.ts';
import { principal } from './setting-kinds.ts';
import { toolSettings } from './tool-settings.ts';
import { composedToolSettings, workerSettings } from './worker-settings.ts';
import { workspaceTemplate } from './workspace-template.ts';

/** The settings of each channel, by its name. Each must accept `{}`: a channel that nobody set up has its defaults. */
export type ChannelSettings = Readonly<Record<string, z.ZodType>>;

/** What a valid config is, with the defaults in. The blocks of the channels are for the channels to read. */
export type Config = z.output<ReturnType<typeof configSchema>>;

/** The one strict schema of the config. Every key has a default; a key that it does not know is an error. */
export function configSchema(channels: ChannelSettings) {
  const channelNames = Object.keys(channels);
  return z.strictObject({
    $schema: z.string().optional().describe('For editors: "./config.schema.json". Keyturn does not read it.'),
    data_dir: z.string().min(1).default('./data').describe('Where the database is. Relative to this file.'),
    workspace: workspaceTemplate
      .default('./workspace')
      .describe('The folder that tools work in. It may contain {channel}, {chat_id} and {thread_id}.'),
    owners: z
      .array(principal(channelNames))
      .default([])
      .describe('Who Keyturn belongs to, by the ids of the platforms: "telegram:123456".'),
    people: z
      .record(z.string().min(1), z.array(principal(channelNames)))
      .default({})
      .describe('Accounts that belong to one person, by names that you choose.'),
    model: z
      .string()
      .min(1)
      .optional()
      .describe('One of the names in models, or "offline". Not needed where models has one entry.'),
    models: z.record(z.string().min(1), modelSettings).default({}).describe('The models, by names that you choose.'),
    agent: agentSettings.prefault({}).describe('How the agent works.'),
    budget: budgetSettings.prefault({}).describe('What may be spent on models before a person is asked.'),
    channels: channelsSettings(channels).prefault({}).describe('The platforms that it talks on.'),
    approval: approvalSettings(channelNames).prefault({}).describe('Which tool calls a person has to approve.'),
    tools: toolSettings(channelNames).prefault({}).describe('The tools and their limits.'),
    mcp_servers: mcpSettings.default({}).describe('Servers that bring tools by the Model Context Protocol.'),
    agents: workerSettings.default({}).describe('Whom work can be handed over to, by names that you choose.'),
    custom_tools: customToolSettings.describe('Tools of your own: commands that the model can call.'),
    composed_tools: z.array(composedToolSettings).default([]).describe('Tools that are made of words.'),
    tool_modules: z
      .array(z.string().min(1))
      .default([])
      .describe('Files with tools of your own in TypeScript or JavaScript. Relative to this file.'),
    channel_plugins: channelPluginSettings
      .default({})
      .describe('Channels that others have written, by their names. Their settings stand under channels.'),
    plugins: pluginSettings.prefault({}).describe('Tools that others have written, each plugin a folder.'),
    hooks: hookSettings.prefault({}).describe('Commands of your own that look at tool calls.'),
    gateway: gatewaySettings.prefault({}).describe('The door for phones, browsers and scripts.'),
    remote_tools: remoteToolSettings.prefault({}).describe('Tools that devices offer through the gateway.'),
    security: securitySettings.prefault({}).describe('What to do about untrusted content.'),
    log: logSettings.prefault({}).describe('The log.'),
    delivery: deliverySettings.prefault({}).describe('How messages reach people.'),
    pairing: pairingSettings.prefault({}).describe('How strangers ask to be let in.'),
    attachments: attachmentSettings.prefault({}).describe('What people send beside text.'),
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

const agentSettings = z.strictObject({
  mode: z
    .enum(agentModes)
    .default('assistant')
    .describe('observer: reads only. assistant: the approval policy decides. autonomous: asks only where it must.'),
  max_turns: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(25)
    .describe('Answers of the model in one run, before it asks whether to go on.'),
  max_failures: z
    .number()
    .int()
    .min(0)
    .max(1000)
    .default(3)
    .describe('A run in which a tool fails in so many turns in a row stops and asks. 0: never.'),
  max_repeats: z
    .number()
    .int()
    .min(0)
    .max(1000)
    .default(5)
    .describe('A run that makes the same call so often, with the same result, stops and asks. 0: never.'),
  instructions: z.string().default('').describe('Added to what the model is told about itself.'),
  context_tokens: z
    .number()
    .int()
    .min(1000)
    .max(100_000_000)
    .default(32_000)
    .describe('How much one request to the model holds, in tokens: instructions, tools, messages and the answer.'),
  summaries: z
    .boolean()
    .default(true)
    .describe('What no longer fits is summarised by the model. false: it is only left out.'),
  burst_ms: z
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(3000)
    .describe(
      'What the same person adds within this time is answered together with what he said, if no answer shows yet.',
    ),
});

const securitySettings = z.strictObject({
  taint: z
    .enum(taintRules)
    .default('ask')
    .describe('What happens to calls that could harm or leak after untrusted content was read.'),
});

const logSettings = z.strictObject({
  level: z
    .enum(['debug', 'info', 'warn', 'error'])
    .default('info')
    .describe('The least important lines that are written.'),
});
