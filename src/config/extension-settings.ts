import { posix } from 'node:path';
import { z } from 'zod';
import { agentModes } from '../approval/verdict.ts';
import { isJsonObject, type JsonValue } from '../lib/json.ts';
import { toolParameters } from '../tools/sources/parameters.ts';
import { toolCategories } from '../tools/tool.ts';
import {
  block,
  choice,
  count,
  headerName,
  headerValue,
  httpUrl,
  listOf,
  mapOf,
  off,
  on,
  ownToolName,
  pathIn,
  type SettingsContext,
  seconds,
  text,
  toolNamePattern,
  toolPattern,
  toolWords,
  variableName,
  workspaceIn,
} from './setting-kinds.ts';

const ownVariable = variableName.refine(
  (name) => !/^KEYTURN_/i.test(name),
  'names that begin with KEYTURN_ are reserved. Choose another.',
);

/** Commands that the model can call as tools. */
export const customToolSettings = listOf(
  z.strictObject({
    name: ownToolName.describe('The name for the model. It replaces a builtin tool of the same name.'),
    description: z.string().trim().min(1).describe('What the model reads about it: what it does, and when to use it.'),
    command: z
      .string()
      .refine((command) => command.trim() !== '', 'expected a command')
      .refine((command) => !command.includes('\0'), 'expected a command without NUL characters')
      .max(16_000)
      .describe('What sh runs. {{name}} is replaced by the value of a parameter, which is always data.'),
    category: choice(toolCategories, 'shell').describe('The most that it does. It decides whether a call asks.'),
    parameters: toolParameters.describe('Its parameters: "name": "string", or a JSON Schema of an object.'),
    working_dir: z
      .optional(
        z
          .string()
          .refine(
            isInnerFolder,
            'expected a folder in the workspace, such as "reports", without a leading "/" or ".."',
          ),
      )
      .describe('The folder of the workspace where it runs. Default: the workspace itself.'),
    timeout_secs: count(30, 600).describe('A command that takes longer is killed.'),
    env: mapOf(ownVariable, z.string()).describe('Its environment variables, besides harmless ones.'),
  }),
);

function isInnerFolder(path: string): boolean {
  const normal = posix.normalize(path);
  return path !== '' && !/[\0\\]/.test(path) && !normal.startsWith('/') && normal !== '..' && !normal.startsWith('../');
}

const hook = (context: SettingsContext) => ({
  command: z.optional(text).describe('What sh runs. It reads the event as JSON, and prints its decision as JSON.'),
  plugin: z.optional(text).describe('The plugin to ask instead of a command.'),
  working_dir: pathIn(context).prefault('.').describe('The folder where the command runs, relative to this file.'),
  tools: z
    .array(toolNamePattern)
    .min(1)
    .default(['*'])
    .describe('The tools that it watches: a name, "prefix*", "*suffix" or "*".'),
  categories: listOf(z.enum(toolCategories)).describe('Only calls of these categories. Empty: all.'),
  timeout_secs: seconds(10).describe('A hook that takes longer has failed.'),
});

const beforeHook = (context: SettingsContext) =>
  z.strictObject({
    ...hook(context),
    on_failure: choice(['cancel', 'continue'], 'cancel').describe(
      'What happens to the call if the hook fails: cancel it, or continue without the hook.',
    ),
  });

/** Exactly one of two keys must be given. */
function eitherOf<Schema extends z.ZodType<object>>(schema: Schema, ...keys: readonly [string, string]): Schema {
  const isOne = (value: object): boolean => keys.filter((key) => Reflect.get(value, key) !== undefined).length === 1;
  return schema.refine(isOne, `either "${keys.join('" or "')}" is needed, not both`);
}

/** The operator's commands that watch tool calls. */
export const hookSettings = (context: SettingsContext) =>
  block({
    before_tool_call: listOf(eitherOf(beforeHook(context), 'command', 'plugin')).describe(
      'Run before a call is judged, in this order. Each can cancel the call or change its arguments.',
    ),
    after_tool_call: listOf(eitherOf(z.strictObject(hook(context)), 'command', 'plugin')).describe(
      'Run after a call, with its result.',
    ),
  });

const pluginName = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/, 'expected the name of a plugin, as in its plugin.json');

/** Where plugins are found, and which are allowed. */
export const pluginSettings = (context: SettingsContext) =>
  block({
    enabled: off.describe(
      'Whether plugins are used at all. Each is off until an owner trusts it, and again after it has changed.',
    ),
    plugin_dirs: listOf(pathIn(context), ['./plugins']).describe(
      'Folders with plugins: each folder in them that has a plugin.json is one. Relative to this file.',
    ),
    allowed_plugins: listOf(pluginName).describe('Only these plugins are allowed. Empty: all.'),
    blocked_plugins: listOf(pluginName).describe('These plugins are not allowed, even if allowed_plugins names them.'),
  });

const channelName = /^[a-z][a-z0-9-]{0,31}$/;

/** Channels of others, by name. */
export const channelPluginSettings = (context: SettingsContext) =>
  z.record(
    z.string().regex(channelName, 'expected a name of small letters, digits and "-", as the channel calls itself'),
    eitherOf(
      z.strictObject({
        path: z
          .optional(pathIn(context))
          .describe('A TypeScript or JavaScript file, or a folder with a file named index. Relative to this file.'),
        package: z
          .optional(
            z.string().regex(/^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/, 'expected the name of an npm package'),
          )
          .describe('An installed npm package, instead of path.'),
        from: pathIn(context)
          .prefault('.')
          .describe('Where the package is installed: a folder with its node_modules, or below. Relative to this file.'),
      }),
      'path',
      'package',
    ).describe('Where the channel is.'),
  );

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
const pluggedChannel = z.looseObject(accessOf(z.strictObject(group)));
const channelBlock = z.object(accessOf(z.object(group)));

export type ChannelBlock = z.output<typeof channelBlock>;

/** The blocks of the enabled channels, as far as Keyturn reads them, by name. */
export function enabledChannels(channels: Readonly<Record<string, unknown>>): ReadonlyMap<string, ChannelBlock> {
  const blocks = Object.entries(channels).map(([name, block]) => [name, channelBlock.parse(block)] as const);
  return new Map(blocks.filter(([, { enabled }]) => enabled));
}

/** Our own channels and those that the config plugs in. Our own keep their names. */
export function withPluggedChannels(
  channels: Readonly<Record<string, z.ZodType>>,
  config: JsonValue,
): Readonly<Record<string, z.ZodType>> {
  const plugins = isJsonObject(config) && isJsonObject(config.channel_plugins) ? config.channel_plugins : {};
  const names = Object.keys(plugins).filter((name) => channelName.test(name));
  return { ...Object.fromEntries(names.map((name) => [name, pluggedChannel])), ...channels };
}

/** The agents for delegated work, by name. */
export const workerSettings = (context: SettingsContext) =>
  z.record(
    z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'expected letters, digits, "_" and "-", beginning with a letter'),
    z.strictObject({
      description: z.string().max(500).default('').describe('What the model reads about it: what it is good at.'),
      prompt: z.string().default('').describe('What the agent is told about itself.'),
      model: z.optional(text).describe('One of the names in models. Default: the model of the run that asks.'),
      tools: listOf(toolPattern, ['*']).describe('The tools that it may use, among those of its caller.'),
      mode: z.optional(z.enum(agentModes)).describe('A stricter mode for this agent. See agent.mode.'),
      workspace: z.optional(workspaceIn(context)).describe('Its own folder. Default: that of the conversation.'),
    }),
  );

/** The operator's settings for one tool, or all tools of a server. */
const serverTools = {
  category: z
    .optional(z.enum(toolCategories))
    .describe('What it touches, which decides whether a call asks. Default: network_write, so that each call asks.'),
  ...toolWords,
};

/** MCP servers, by names that the operator chooses. */
export const mcpSettings = (context: SettingsContext) =>
  z.record(
    z
      .string()
      .regex(/^[a-zA-Z0-9_-]{1,32}$/, 'a name of at most 32 letters, digits, "_" or "-": its tools begin with it'),
    z
      .strictObject({
        enabled: on.describe(
          'false: it is not started, and the model does not know of it. Unset variables do not matter then.',
        ),
        command: z.optional(text).describe('The program to start. It speaks MCP on its standard input and output.'),
        args: listOf(z.string()).describe('Its arguments.'),
        env: mapOf(variableName, z.string()).describe('Its environment variables, besides harmless ones.'),
        cwd: z.optional(pathIn(context)).describe('The folder where it runs. Default: that of this file.'),
        sandbox: off.describe(
          'Run it in the sandbox of shell: it can write only cwd, and reach only tools.shell.allowed_domains.',
        ),
        url: z.optional(httpUrl).describe('The address of a server that speaks streamable HTTP, instead of command.'),
        headers: mapOf(headerName, headerValue).describe('HTTP headers for it, such as Authorization.'),
        allow_private: off.describe(
          'The name in url may lead to a private network. An address in url needs no permission.',
        ),
        timeout_secs: seconds(60).describe('A call fails if nothing is heard of it for this long.'),
        list_ttl_secs: seconds(300).describe('How long its list of tools is kept if it reports no change.'),
        trust_annotations: off.describe('Believe it which of its tools only read. These need no approval.'),
        review_tools: off.describe(
          'true: each of its tools is off until an owner trusts it as it is. false: it is trusted as first seen.',
        ),
        ...serverTools,
        tools: mapOf(
          toolPattern,
          z.strictObject({ enabled: on.describe('false: the model does not know of it.'), ...serverTools }),
        ).describe(
          'Settings of some of its tools, by their names at the server, or "prefix*", "*suffix", "*". A name has precedence.',
        ),
      })
      .check(({ value, issues }) => {
        const blame = (key: string, message: string): void => {
          issues.push({ code: 'custom', input: value, path: [key], message });
        };
        const { command, url, cwd, sandbox, args, env, headers, allow_private } = value;
        if (command === undefined && url === undefined)
          return blame('command', 'expected "command", or "url" in its place');
        if (command !== undefined && url !== undefined)
          return blame('url', 'either "command" or "url" is needed, not both');
        const others = url === undefined ? { headers, allow_private } : { args, env, cwd, sandbox };
        for (const [key, setting] of Object.entries(others))
          if (setting === true || Object.keys(Object(setting)).length > 0)
            blame(key, `this has no effect with "${url === undefined ? 'command' : 'url'}". Remove it`);
        if (url === undefined && sandbox && cwd === undefined)
          blame('cwd', 'expected a folder of its own: with sandbox, it may write there');
      })
      .overwrite((server) =>
        server.command === undefined ? server : { ...server, cwd: server.cwd ?? context.absolute('.') },
      ),
  );
