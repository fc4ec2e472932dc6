import { z } from 'zod';

const pluginName = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/, 'expected the name of a plugin, as it stands in its plugin.json');

/** Where plugins are looked for, and which of them may be there. */
export const pluginSettings = z.strictObject({
  enabled: z.boolean().default(false).describe('Whether plugins are looked for at all.'),
  plugin_dirs: z
    .array(z.string().min(1))
    .default(['./plugins'])
    .describe('Each folder in one of these that has a plugin.json is a plugin. Relative to this file.'),
  allowed_plugins: z.array(pluginName).default([]).describe('If not all may be there: the names of those that may.'),
  blocked_plugins: z
    .array(pluginName)
    .default([])
    .describe('The names of plugins that may not be there, whatever allowed_plugins says.'),
});
