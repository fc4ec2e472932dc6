import { z } from 'zod';
import { listOf, pathIn, type SettingsContext, type ValuesOf } from '../../config/setting-kinds.ts';
import { eitherOf } from '../../extension-kit/either-of.ts';
import { schemaText } from '../../lib/schema-text.ts';
import { moduleSettingWords } from './settings/words.ts';

/** The keys of this feature. */
export function moduleKeys(context: SettingsContext) {
  return z.object({
    tool_modules: listOf(pathIn(context)).describe(
      'TypeScript or JavaScript files with your own tools, relative to this file: docs/own-tools.md.',
    ),
    channel_plugins: channelPlugins(context)
      .default({})
      .describe(
        'Channels written by others, by their own names: docs/channel-plugins.md. Their settings are under channels, with allow_from and groups as usual.',
      ),
  });
}

export type ModuleSettings = ValuesOf<typeof moduleKeys>;

type Say = (words: typeof moduleSettingWords.en) => string;

/** What is wrong with a value, in the text that a schema takes. */
function wrong(say: Say): string {
  return schemaText((language) => say(moduleSettingWords[language]));
}

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
