import { z } from 'zod';
import { isJsonObject, type JsonValue } from '../lib/json.ts';
import { listOf, on, text } from './setting-kinds.ts';

const channelName = /^[a-z][a-z0-9-]{0,31}$/;

const channelPlugin = z
  .strictObject({
    path: text
      .optional()
      .describe('A file in TypeScript or JavaScript, or a folder with one called index. Relative to this file.'),
    package: z
      .string()
      .regex(/^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/, 'expected the name of an npm package')
      .optional()
      .describe('In place of path: an npm package that is installed.'),
    from: text
      .default('.')
      .describe(
        'Where the package is installed: a folder whose node_modules has it, or one below. Relative to this file.',
      ),
  })
  .check((context) => {
    const { path, package: name } = context.value;
    if ((path === undefined) !== (name === undefined)) return;
    const message = 'expected either "path" or "package", and not both';
    context.issues.push({ code: 'custom', path: [], message, input: context.value });
  })
  .describe('Where the channel is.');

/** Channels of others, by name. */
export const channelPluginSettings = z.record(
  z.string().regex(channelName, 'expected a name of small letters, digits and "-", as the channel calls itself'),
  channelPlugin,
);

const ids = listOf(text);

/**
 * What Keyturn itself reads of a plugged-in channel's block under `channels`. The channel validates the rest once
 * loaded.
 */
const pluggedChannel = z.looseObject({
  enabled: on,
  allow_from: ids,
  groups: z
    .record(
      text,
      z.strictObject({
        require_mention: on,
        follow_threads: on,
        allow_from: ids,
        commands_from: z.array(text).default(['*']),
      }),
    )
    .default({}),
});

/** Our own channels and those that the config plugs in. Our own keep their names. */
export function withPluggedChannels(
  channels: Readonly<Record<string, z.ZodType>>,
  config: JsonValue,
): Readonly<Record<string, z.ZodType>> {
  const plugins = isJsonObject(config) && isJsonObject(config.channel_plugins) ? config.channel_plugins : {};
  const names = Object.keys(plugins).filter((name) => channelName.test(name));
  return { ...Object.fromEntries(names.map((name) => [name, pluggedChannel])), ...channels };
}
