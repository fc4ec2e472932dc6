import { z } from 'zod';

const tokenShape = /^[\w-]{10,}\.[\w-]{3,}\.[\w-]{10,}$/;
const snowflake = String.raw`\d{5,20}`;
const personShape = new RegExp(`^(\\*|(?:role:)?${snowflake})$`);
const commanderShape = new RegExp(`^(\\*|owner|(?:role:)?${snowflake})$`);
const groupShape = new RegExp(`^(?:${snowflake}/)?${snowflake}$`);

const idWords =
  'Only numeric ids are accepted here, in quotes: a name like @ada can change hands, an id cannot. To find one, switch ' +
  'on Settings → Advanced → Developer Mode in Discord, and choose "Copy User ID" or "Copy Role ID" in the menu of a ' +
  'person or a role: "123456789012345678", "role:123456789012345678".';

const personId = z
  .string({ error: idWords })
  .regex(personShape, { error: idWords })
  .describe('A user id, "role:" with the id of a role, or "*" for everyone.');

const commander = z
  .string({ error: idWords })
  .regex(commanderShape, { error: `"owner" or "*", or an id. ${idWords}` })
  .describe('A user id, "role:" with the id of a role, "owner", or "*" for all.');

const group = z
  .strictObject({
    require_mention: z
      .boolean()
      .default(true)
      .describe('Whether the bot answers there only when it is mentioned, replied to, or given a command.'),
    follow_threads: z
      .boolean()
      .default(true)
      .describe('Whether the bot needs no further mention in a thread that it has taken part in.'),
    allow_from: z
      .array(personId)
      .default([])
      .describe('Who may talk to the bot there besides those who may anywhere. ["*"] is everyone.'),
    commands_from: z
      .array(commander)
      .default(['*'])
      .describe(
        'Who of them may use commands there besides the owners. ["owner"]: nobody else. ["*"]: all. ' +
          'Approvals have rules of their own, and /help and /status are for all.',
      ),
  })
  .describe('How the bot behaves there.');

const groupWords =
  'A server or a channel is named by its id, which Discord copies from its menu in Developer Mode: ' +
  '"123456789012345678". A server stands for all of its channels that are not named themselves.';

/** What stands under `channels.discord` in the config. `allow_from` and `groups` are read by the rules of access. */
export const settings = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Whether to connect to Discord.'),
    token: z
      .string()
      .overwrite((token) => token.trim().replace(/^Bot\s+/i, ''))
      .default('')
      .describe('The token of the bot. Best read from the environment.'),
    api_url: z
      .url({ protocol: /^https?$/, error: 'Write the address of the API, as "https://discord.com/api".' })
      .overwrite((address) => address.replace(/\/+$/, ''))
      .default('https://discord.com/api')
      .describe('The API to talk to. Change it only if something stands in its place.'),
    allow_from: z
      .array(personId)
      .default([])
      .describe('Who may talk to the bot besides the owners, as ids. ["*"] is everyone.'),
    groups: z
      .record(z.string().regex(groupShape, { error: groupWords }), group, {
        error: ({ code }) => (code === 'invalid_key' ? groupWords : undefined),
      })
      .default({})
      .describe('The servers and channels in which the bot may talk: id → how it behaves there.'),
    reactions: z
      .boolean()
      .default(false)
      .describe('Whether the bot marks a message with a reaction when it is seen, worked on and answered.'),
    register_commands: z
      .boolean()
      .default(true)
      .describe('Whether the menu of slash commands is written at Discord when it has changed.'),
    backfill: z
      .boolean()
      .default(true)
      .describe('Whether messages are looked for that were written while Keyturn was away.'),
    request_timeout_secs: z
      .int()
      .min(1)
      .max(600)
      .default(30)
      .describe('How long a request to Discord may take, in seconds.'),
  })
  .refine(({ enabled, token }) => !enabled || tokenShape.test(token), {
    path: ['token'],
    error:
      'This is not a bot token, which has three parts with dots between them. ' +
      'discord.com/developers/applications → your application → Bot → Reset Token shows a new one.',
  })
  .describe('The Discord channel.');

export type DiscordSettings = z.output<typeof settings>;
