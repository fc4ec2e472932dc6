import { z } from 'zod';

const tokenShape = /^\d+:[\w-]+$/;
const personShape = /^(\*|-?\d+)$/;
const groupShape = /^-\d+$/;

const personId = z
  .string({ error: 'Write the id in quotes: "123456789".' })
  .regex(personShape, {
    error:
      'Only a numeric id (or "*" for everyone) is accepted here: a name like @ada can change hands, an id cannot. ' +
      'To find the id, let the person write to the bot: it answers a stranger with his id, as telegram:123456789. ' +
      'The number of it goes here.',
  })
  .describe('A numeric Telegram user id as a string, or "*" for everyone.');

const group = z
  .strictObject({
    require_mention: z
      .boolean()
      .default(true)
      .describe('Whether the bot answers in this group only when it is mentioned, replied to, or given a command.'),
  })
  .describe('How the bot behaves in this group.');

const groupIdAdvice = 'A group is named by its numeric chat id, which begins with "-": "-1001234567890".';

/** What stands under `channels.telegram` in the config. `allow_from` and `groups` are read by the rules of access. */
export const settings = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Whether to connect to Telegram.'),
    token: z
      .string()
      .default('')
      .describe('The token of the bot, as @BotFather gave it. Best read from the environment.'),
    api_root: z
      .url({ protocol: /^https?$/, error: 'Write the address of a Bot API server, as "https://api.telegram.org".' })
      .overwrite((address) => address.replace(/\/+$/, ''))
      .default('https://api.telegram.org')
      .describe('The Bot API server to talk to. Change it only if you run one yourself.'),
    allow_from: z
      .array(personId)
      .default([])
      .describe('Who may talk to the bot besides the owners, as numeric ids. ["*"] is everyone.'),
    groups: z
      .record(z.string().regex(groupShape, { error: groupIdAdvice }), group, {
        error: ({ code }) => (code === 'invalid_key' ? groupIdAdvice : undefined),
      })
      .default({})
      .describe('The groups in which the bot may talk: chat id → how it behaves there.'),
    poll_timeout_secs: z
      .int()
      .min(1)
      .max(50)
      .default(30)
      .describe('How long Telegram may hold a request for new messages open, in seconds.'),
    request_timeout_secs: z
      .int()
      .min(1)
      .max(600)
      .default(45)
      .describe('How long every other request to Telegram may take, in seconds.'),
  })
  .refine(({ enabled, token }) => !enabled || tokenShape.test(token), {
    path: ['token'],
    error:
      'This is not a bot token: one looks like 123456789:AAE… (digits, a colon, a secret). ' +
      'Talk to @BotFather in Telegram: /newbot makes a bot, /mybots shows the token of one that you have.',
  })
  .describe('The Telegram channel.');

export type TelegramSettings = z.output<typeof settings>;
