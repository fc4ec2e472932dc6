import { z } from 'zod';
import {
  block,
  choice,
  headerName,
  headerValue,
  httpUrl,
  listOf,
  mapOf,
  off,
  on,
  pathIn,
  type SettingsContext,
  seconds,
  text,
  toolNamePattern,
  toolPattern,
  toolWords,
  variableName,
} from '../../config/setting-kinds.ts';
import { schemaText } from '../../lib/schema-text.ts';
import { toolCategories } from '../../tools/tool.ts';
import { extensionSettingWords } from './settings/words.ts';

/** The keys of this feature. */
export function extensionKeys(context: SettingsContext) {
  return z.object({
    mcp_servers: mcpServers(context)
      .default({})
      .describe(
        'Servers that provide tools through the Model Context Protocol, by names that you choose: docs/mcp.md. The tools of "files" have names such as files_read_file.',
      ),
    tool_modules: listOf(pathIn(context)).describe(
      'TypeScript or JavaScript files with your own tools, relative to this file: docs/own-tools.md.',
    ),
    channel_plugins: channelPlugins(context)
      .default({})
      .describe(
        'Channels written by others, by their own names: docs/channel-plugins.md. Their settings are under channels, with allow_from and groups as usual.',
      ),
    plugins: plugins(context).describe(
      'Tools written by others. Each plugin is a folder with a plugin.json: docs/plugins.md.',
    ),
    hooks: hooks(context).describe('Your own commands that watch tool calls: docs/hooks.md.'),
  });
}

export type ExtensionSettings = z.output<ReturnType<typeof extensionKeys>>;

/** All hooks, with their places. */
export function hookList({ before_tool_call, after_tool_call }: ExtensionSettings['hooks']) {
  return Object.entries({ before_tool_call, after_tool_call }).flatMap(([event, list]) =>
    list.map(({ command, plugin, working_dir, tools }, index) => ({
      event,
      index,
      command,
      plugin,
      working_dir,
      tools,
    })),
  );
}

type Say = (words: typeof extensionSettingWords.en) => string;

/** What is wrong with a value, in the text that a schema takes. */
function wrong(say: Say): string {
  return schemaText((language) => say(extensionSettingWords[language]));
}

/** The operator's settings for one tool, or all tools of a server. */
const serverTools = {
  category: z
    .optional(z.enum(toolCategories))
    .describe('What it touches, which decides whether a call asks. Default: network_write, so that each call asks.'),
  ...toolWords,
};

/** MCP servers, by names that the operator chooses. */
const mcpServers = (context: SettingsContext) =>
  z.record(
    z.string().regex(
      /^[a-zA-Z0-9_-]{1,32}$/,
      wrong((words) => words.serverName),
    ),
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
        const blame = (key: string, say: Say): void => {
          issues.push({ code: 'custom', input: value, path: [key], message: wrong(say) });
        };
        const { command, url, cwd, sandbox, args, env, headers, allow_private } = value;
        if (command === undefined && url === undefined) return blame('command', (words) => words.commandOrUrl);
        if (command !== undefined && url !== undefined)
          return blame('url', (words) => words.either({ keys: ['command', 'url'] }));
        const others = url === undefined ? { headers, allow_private } : { args, env, cwd, sandbox };
        for (const [key, setting] of Object.entries(others))
          if (setting === true || Object.keys(Object(setting)).length > 0)
            blame(key, (words) => words.noEffect({ with: url === undefined ? 'command' : 'url' }));
        if (url === undefined && sandbox && cwd === undefined) blame('cwd', (words) => words.ownFolder);
      })
      .overwrite((server) =>
        server.command === undefined ? server : { ...server, cwd: server.cwd ?? context.absolute('.') },
      ),
  );
export const channelName = /^[a-z][a-z0-9-]{0,31}$/;

/** Channels of others, by name. */
const channelPlugins = (context: SettingsContext) =>
  z.record(
    z.string().regex(
      channelName,
      wrong((words) => words.channelName),
    ),
    eitherOf(
      z.strictObject({
        path: z
          .optional(pathIn(context))
          .describe('A TypeScript or JavaScript file, or a folder with a file named index. Relative to this file.'),
        package: z
          .optional(
            z.string().regex(
              /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/,
              wrong((words) => words.packageName),
            ),
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
  return schema.refine(
    isOne,
    wrong((words) => words.either({ keys })),
  );
}

/** The operator's commands that watch tool calls. */
const hooks = (context: SettingsContext) =>
  block({
    before_tool_call: listOf(eitherOf(beforeHook(context), 'command', 'plugin')).describe(
      'Run before a call is judged, in this order. Each can cancel the call or change its arguments.',
    ),
    after_tool_call: listOf(eitherOf(z.strictObject(hook(context)), 'command', 'plugin')).describe(
      'Run after a call, with its result.',
    ),
  });

const pluginName = z.string().regex(
  /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/,
  wrong((words) => words.pluginName),
);

/** Where plugins are found, and which are allowed. */
const plugins = (context: SettingsContext) =>
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
