import { z } from 'zod';
import { configSchema } from '../src/config/join-settings.ts';
import type { ChannelSettings } from '../src/config/schema.ts';
import type { SettingsPart } from '../src/config/settings-part.ts';

/** The text of `config.schema.json`, for editors. The same channels in any order give the same bytes. */
export function configJsonSchema(channels: ChannelSettings, parts: readonly SettingsPart[]): string {
  const byName = Object.fromEntries(Object.entries(channels).sort(([a], [b]) => (a < b ? -1 : 1)));
  const schema = z.toJSONSchema(configSchema(byName, parts), {
    io: 'input',
    target: 'draft-07',
    override: ({ path, jsonSchema }) => {
      if (path.join('.') === 'properties.channels') jsonSchema.additionalProperties = pluggedChannel;
      jsonSchema.pattern &&= jsonSchema.pattern.replace(`(${Object.keys(byName).join('|')})`, anyChannel);
    },
  });
  const { $schema, ...rest } = schema;
  const titled = { $schema, title: 'The config of Keyturn', allowComments: true, allowTrailingCommas: true, ...rest };
  return `${JSON.stringify(titled, null, 2)}\n`;
}

/** Editors do not know the plugged-in channels. */
const pluggedChannel = {
  type: 'object',
  description: 'The settings of a channel that channel_plugins names.',
} as const;
const anyChannel = '([a-z][a-z0-9-]*)';
