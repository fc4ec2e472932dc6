import { z } from 'zod';
import { accessSettings, keyed, reactions, requestTimeout } from '../kit/access-settings.ts';

const tokenShape = /^[\w-]{10,}\.[\w-]{3,}\.[\w-]{10,}$/;
const snowflake = String.raw`\d{5,20}`;
const groupShape = new RegExp(`^(?:${snowflake}/)?${snowflake}$`);

const idWords =
  'Only numeric ids are accepted here, in quotes: a name like @ada can change hands, an id cannot. To find one, switch ' +
  'on Settings → Advanced → Developer Mode in Discord, and choose "Copy User ID" or "Copy Role ID" in the menu of a ' +
  'person or a role: "123456789012345678", "role:123456789012345678".';

const access = accessSettings({
  id: `(?:role:)?${snowflake}`,
  idWords,
  commanderWords: `"owner" or "*", or an id. ${idWords}`,
  description: 'A user id, "role:" with the id of a role',
  ids: 'user ids, or "role:" with the id of a role',
  there: 'there',
  addressed: 'mentioned, replied to, or given a command',
});

const groupWords =
  'A server or a channel is named by its id, which Discord copies from its menu in Developer Mode: ' +
  '"123456789012345678". A server stands for all of its channels that are not named themselves.';

/** The config under `channels.discord`. The access rules read `allow_from` and `groups`. */
export const settings = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Whether to connect to Discord. While this is false, nothing else here matters, not even an unset variable.',
      ),
    token: z
      .string()
      .overwrite((token) => token.trim().replace(/^Bot\s+/i, ''))
      .default('')
      .describe('The token of the bot: Bot → Reset Token shows it. Best read from the environment.'),
    api_url: z
      .url({ protocol: /^https?$/, error: 'Write the address of the API, such as "https://discord.com/api".' })
      .overwrite((address) => address.replace(/\/+$/, ''))
      .default('https://discord.com/api')
      .describe('The API to talk to. Change it only for a server of your own in its place.'),
    allow_from: access.allowFrom,
    groups: keyed(groupShape, groupWords, access.threadedGroup)
      .default({})
      .describe(
        'The servers and channels where the bot may talk: the id of a server for all of its channels, of a channel, or both with "/" between them → how it behaves there.',
      ),
    reactions,
    register_commands: z
      .boolean()
      .default(true)
      .describe('Whether to update the menu of slash commands at Discord when it has changed.'),
    backfill: z.boolean().default(true).describe('Whether to fetch messages that were written while Keyturn was off.'),
    request_timeout_secs: requestTimeout('a request to Discord', 30),
  })
  .refine(({ enabled, token }) => !enabled || tokenShape.test(token), {
    path: ['token'],
    error:
      'This is not a bot token, which has three parts with dots between them. ' +
      'discord.com/developers/applications → your application → Bot → Reset Token shows a new one.',
  })
  .describe('A Discord bot of your own: discord.com/developers/applications → New Application.');

export type DiscordSettings = z.output<typeof settings>;
