import { posix } from 'node:path';
import { z } from 'zod';
import { agentModes } from '../approval/verdict.ts';
import { toolParameters } from '../tools/sources/parameters.ts';
import { toolCategories } from '../tools/tool.ts';
import {
  choice,
  count,
  listOf,
  mapOf,
  on,
  ownToolName,
  type SettingsContext,
  settingText,
  text,
  toolPattern,
  variableName,
  workspaceIn,
} from './setting-kinds.ts';

const ownVariable = variableName.refine((name) => !/^KEYTURN_/i.test(name), settingText('ownVariable'));

/** Commands that the model can call as tools. */
export const customToolSettings = listOf(
  z.strictObject({
    name: ownToolName.describe('The name for the model. It replaces a builtin tool of the same name.'),
    description: z.string().trim().min(1).describe('What the model reads about it: what it does, and when to use it.'),
    command: z
      .string()
      .refine((command) => command.trim() !== '', settingText('command'))
      .refine((command) => !command.includes('\0'), settingText('commandWithoutNul'))
      .max(16_000)
      .describe('What sh runs. {{name}} is replaced by the value of a parameter, which is always data.'),
    category: choice(toolCategories, 'shell').describe('The most that it does. It decides whether a call asks.'),
    parameters: toolParameters.describe('Its parameters: "name": "string", or a JSON Schema of an object.'),
    working_dir: z
      .optional(z.string().refine(isInnerFolder, settingText('innerFolder')))
      .describe('The folder of the workspace where it runs. Default: the workspace itself.'),
    timeout_secs: count(30, 600).describe('A command that takes longer is killed.'),
    env: mapOf(ownVariable, z.string()).describe('Its environment variables, besides harmless ones.'),
  }),
);

function isInnerFolder(path: string): boolean {
  const normal = posix.normalize(path);
  return path !== '' && !/[\0\\]/.test(path) && !normal.startsWith('/') && normal !== '..' && !normal.startsWith('../');
}

/** Ids of people or of their roles on the channel, or `*` for everyone. */
const ids = listOf(text);

const group = {
  require_mention: on,
  /** Whether its threads that Keyturn has taken part in need no mention. */
  follow_threads: on,
  /** Who may talk in it, besides `allow_from` of the channel. */
  allow_from: ids,
  /** Which of them may use commands, besides the owners. */
  commands_from: listOf(text, ['*']),
  /** That of people there for whom none is known. */
  time_zone: z.optional(z.string()),
};

/** What Keyturn itself reads of a channel's block under `channels`. */
function accessOf<Group extends z.ZodType>(groupSettings: Group) {
  return { enabled: on, allow_from: ids, groups: mapOf(text, groupSettings) };
}

/** The block of a channel from a plugin. The channel validates the rest once loaded. */
export const pluggedChannel = z.looseObject(accessOf(z.strictObject(group)));
const channelBlock = z.object(accessOf(z.object(group)));

export type ChannelBlock = z.output<typeof channelBlock>;

/** The blocks of the enabled channels, as far as Keyturn reads them, by name. */
export function enabledChannels(channels: Readonly<Record<string, unknown>>): ReadonlyMap<string, ChannelBlock> {
  const blocks = Object.entries(channels).map(([name, block]) => [name, channelBlock.parse(block)] as const);
  return new Map(blocks.filter(([, { enabled }]) => enabled));
}

/** The agents for delegated work, by name. */
export const workerSettings = (context: SettingsContext) =>
  z.record(
    z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, settingText('agentName')),
    z.strictObject({
      description: z.string().max(500).default('').describe('What the model reads about it: what it is good at.'),
      prompt: z.string().default('').describe('What the agent is told about itself.'),
      model: z.optional(text).describe('One of the names in models. Default: the model of the run that asks.'),
      tools: listOf(toolPattern, ['*']).describe('The tools that it may use, among those of its caller.'),
      mode: z.optional(z.enum(agentModes)).describe('A stricter mode for this agent. See agent.mode.'),
      workspace: z.optional(workspaceIn(context)).describe('Its own folder. Default: that of the conversation.'),
    }),
  );
