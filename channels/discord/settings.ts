import { z } from 'zod';
import { schemaText } from '../../src/lib/schema-text.ts';
import type { InLanguage } from '../../src/lib/words.ts';
import { accessSettings, keyed, reactions, requestTimeout } from '../kit/access-settings.ts';
import { discordSettingWords } from './settings/words.ts';

const tokenShape = /^[\w-]{10,}\.[\w-]{3,}\.[\w-]{10,}$/;
const snowflake = String.raw`\d{5,20}`;
const groupShape = new RegExp(`^(?:${snowflake}/)?${snowflake}$`);

const access = accessSettings({
  id: `(?:role:)?${snowflake}`,
  errors: { id: wrong('id'), commander: wrong('commander') },
  descriptions: {
    id: 'A user id, "role:" with the id of a role',
    ids: 'user ids, or "role:" with the id of a role',
    there: 'there',
    addressed: 'mentioned, replied to, or given a command',
  },
});

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
      .url({ protocol: /^https?$/, error: schemaText(wrong('apiUrl')) })
      .overwrite((address) => address.replace(/\/+$/, ''))
      .default('https://discord.com/api')
      .describe('The API to talk to. Change it only for a server of your own in its place.'),
    allow_from: access.allowFrom,
    groups: keyed(groupShape, wrong('group'), access.threadedGroup)
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
    error: schemaText(wrong('token')),
  })
  .describe('A Discord bot of your own: discord.com/developers/applications → New Application.');

export type DiscordSettings = z.output<typeof settings>;

/** What is wrong with a value. */
function wrong(key: keyof typeof discordSettingWords.en): InLanguage {
  return (language) => discordSettingWords[language][key];
}
