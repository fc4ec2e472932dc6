/* The keys of the config that name plugins, and the operator's own commands that watch tool calls: `plugins`, `hooks`. */

import { settingsPart } from '../../config/settings-part.ts';
import { hookList, pluginKeys } from './plugin-keys.ts';
import { pluginSettingWords } from './settings/words.ts';

/** The keys of this feature. */
export const pluginSettings = settingsPart({
  keys: pluginKeys,
  brings: ({ plugins, hooks }) => ({
    unknownTools: plugins.enabled ? [true] : [],
    toolLists: hookList(hooks).map(({ event, index, tools }) => [['hooks', event, index, 'tools'], tools] as const),
    programs: hookList(hooks).map(({ event, index, command = '', working_dir: folder }) => ({
      key: `hooks.${event}[${index}]`,
      words: command.split(/[\s'"`;|&()<>=]+/),
      folder,
    })),
  }),
  *warnings({ plugins, hooks }) {
    for (const { event, index, plugin } of hookList(hooks))
      if (plugin !== undefined && !plugins.enabled)
        yield (language) => pluginSettingWords[language].hookIdle({ hook: `hooks.${event}[${index}]` });
  },
  // Loaded only for this look.
  missing: async (settings, around) => (await import('./missing-parts.ts')).missingParts(settings, around),
});
