import { z } from 'zod';
import { schemaText } from '../../src/lib/schema-text.ts';
import type { InLanguage } from '../../src/lib/words.ts';
import { accessSettings, keyed, reactions, requestTimeout } from '../kit/access-settings.ts';
import { telegramSettingWords } from './settings/words.ts';

const tokenShape = /^\d+:[\w-]+$/;
const groupShape = /^-\d+$/;

const access = accessSettings({
  id: String.raw`-?\d+`,
  errors: { id: wrong('id'), commander: wrong('commander'), type: wrong('idInQuotes') },
  descriptions: {
    id: 'A numeric Telegram user id as a string',
    ids: 'numeric ids in quotes; a bot needs its own id here',
    there: 'in this group',
    addressed: 'mentioned, replied to, or given a command',
  },
});

const description = z.string().min(1).max(256);
const descriptions = keyed(
  /^[a-z][a-z0-9_]{0,31}$/,
  wrong('command'),
  description.describe('What the command does, in this language: 1 to 256 characters.'),
).describe('The commands in this language: name → description. Others stay as they are.');

/** The config under `channels.telegram`. The access rules read `allow_from` and `groups`. */
export const settings = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Whether to connect to Telegram. While this is false, nothing else here matters, not even an unset variable.',
      ),
    token: z
      .string()
      .default('')
      .describe('The token of the bot, as @BotFather gave it. Best read from the environment.'),
    api_root: z
      .url({
        protocol: /^https?$/,
        error: schemaText(wrong('apiRoot')),
      })
      .overwrite((address) => address.replace(/\/+$/, ''))
      .default('https://api.telegram.org')
      .describe('The Bot API server to talk to. Change it only if you run one yourself.'),
    allow_from: access.allowFrom,
    groups: keyed(groupShape, wrong('group'), access.group)
      .default({})
      .describe('The groups where the bot may talk: chat id, which begins with "-" → how it behaves there.'),
    reactions,
    drafts: z
      .boolean()
      .default(true)
      .describe(
        'Whether a reply in a direct chat is shown as a draft while it is written, with a button that stops it. If not, as a message that is edited.',
      ),
    commands: keyed(/^[a-z]{2}$/, wrong('language'), descriptions)
      .default({})
      .describe(
        'The menu of commands in other words or languages: language code → name → description. Chinese is there already.',
      ),
    poll_timeout_secs: z
      .int()
      .min(1)
      .max(50)
      .default(30)
      .describe('How long Telegram may hold a request for new messages open, in seconds.'),
    poll_grace_secs: z
      .int()
      .min(1)
      .max(300)
      .default(15)
      .describe('How much longer such a request may stay silent before it counts as failed, in seconds.'),
    request_timeout_secs: requestTimeout('every other request to Telegram', 45),
  })
  .refine(({ enabled, token }) => !enabled || tokenShape.test(token), {
    path: ['token'],
    error: schemaText(wrong('token')),
  })
  .describe('A Telegram bot of your own: @BotFather makes one.');

export type TelegramSettings = z.output<typeof settings>;

/** What is wrong with a value. */
function wrong(key: keyof typeof telegramSettingWords.en): InLanguage {
  return (language) => telegramSettingWords[language][key];
}
