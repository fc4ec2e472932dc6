import { z } from 'zod';
import {
  block,
  choice,
  listOf,
  off,
  pathIn,
  type SettingsContext,
  seconds,
  text,
  toolNamePattern,
  type ValuesOf,
} from '../../config/setting-kinds.ts';
import { eitherOf } from '../../extension-kit/either-of.ts';
import { schemaText } from '../../lib/schema-text.ts';
import { toolCategories } from '../../tools/tool.ts';
import { pluginSettingWords } from './settings/words.ts';

/** The keys of this feature. */
export function pluginKeys(context: SettingsContext) {
  return z.object({
    plugins: plugins(context).describe(
      'Tools written by others. Each plugin is a folder with a plugin.json: docs/plugins.md.',
    ),
    hooks: hooks(context).describe('Your own commands that watch tool calls: docs/hooks.md.'),
  });
}

export type PluginSettings = ValuesOf<typeof pluginKeys>;

/** All hooks, with their places. */
export function hookList({ before_tool_call, after_tool_call }: PluginSettings['hooks']) {
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
  schemaText((language) => pluginSettingWords[language].pluginName),
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
