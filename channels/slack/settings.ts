import { z } from 'zod';
import { schemaText } from '../../src/lib/schema-text.ts';
import type { InLanguage } from '../../src/lib/words.ts';
import { accessSettings, keyed, reactions, requestTimeout } from '../kit/access-settings.ts';
import { slackSettingWords } from './settings/words.ts';

const botTokenShape = /^xoxb-[\w-]+$/;
const appTokenShape = /^xapp-[\w-]+$/;
const groupShape = /^(?:[TE][A-Z0-9]+\/)?[CG][A-Z0-9]+$|^[TE][A-Z0-9]+$/;

const access = accessSettings({
  id: '[TE][A-Z0-9]+/[UWB][A-Z0-9]+',
  errors: { id: wrong('id'), commander: wrong('commander') },
  descriptions: {
    id: 'The workspace and the member, as "T0123ABCD/U0123ABCD"',
    ids: 'workspace and member: "T0123ABCD/U0123ABCD"',
    there: 'in this channel',
    addressed: 'mentioned',
  },
});

const prompt = z.strictObject({
  title: z.string().min(1).max(75).describe('The text on the button.'),
  message: z.string().min(1).max(2000).describe('The message that a press sends to the bot.'),
});

/** Where Slack sends its events in the mode "http". */
const http = z
  .strictObject({
    host: z.string().min(1).default('127.0.0.1').describe('The address to listen at, behind a proxy with TLS.'),
    port: z.int().min(0).max(65_535).default(3000).describe('The port to listen at.'),
    path: z
      .string()
      .regex(/^\/[\w./-]*$/, { error: schemaText(wrong('path')) })
      .default('/slack/events')
      .describe('The path that Slack calls: the Request URL of events, interactivity and the slash command.'),
  })
  .prefault({})
  .describe('Where Slack calls in the mode "http". In the mode "socket" no port is opened.');

/** The config under `channels.slack`. The access rules read `allow_from` and `groups`. */
export const settings = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Whether to connect to Slack. While this is false, nothing else here matters, not even an unset variable.',
      ),
    mode: z
      .enum(['socket', 'http'])
      .default('socket')
      .describe('How events arrive: over sockets that Keyturn opens (Socket Mode), or as requests from Slack.'),
    bot_token: z
      .string()
      .default('')
      .describe('OAuth & Permissions → Bot User OAuth Token, xoxb-…. Best read from the environment.'),
    more_bot_tokens: z
      .array(z.string().regex(botTokenShape, { error: schemaText(wrong('moreTokens')) }))
      .default([])
      .describe('The bot tokens of other workspaces where the same app is installed.'),
    app_token: z
      .string()
      .default('')
      .describe(
        'Basic Information → App-Level Tokens, with the scope connections:write, xapp-…. For the mode "socket".',
      ),
    signing_secret: z
      .string()
      .default('')
      .describe('Basic Information → App Credentials → Signing Secret. For the mode "http".'),
    http,
    api_url: z
      .url({ protocol: /^https?$/, error: schemaText(wrong('apiUrl')) })
      .overwrite((address) => `${address.replace(/\/+$/, '')}/`)
      .default('https://slack.com/api/')
      .describe('The Web API to talk to. Change it only for a server of your own in its place.'),
    allow_from: access.allowFrom,
    groups: keyed(groupShape, wrong('group'), access.threadedGroup)
      .default({})
      .describe(
        'The channels where the bot may talk: "C0123ABCD" or "T0123ABCD/C0123ABCD" → how it behaves there. A workspace, "T0123ABCD", means all of its channels.',
      ),
    command: z
      .string()
      .regex(/^\/[a-z0-9_-]{1,31}$/, { error: schemaText(wrong('command')) })
      .default('/keyturn')
      .describe('The slash command, as the manifest names it: "/keyturn stop" is the command /stop.'),
    reactions,
    native_streaming: z
      .boolean()
      .default(true)
      .describe("Whether a reply in a thread is shown with Slack's own streaming while it is written."),
    suggested_prompts: z
      .array(prompt)
      .max(4)
      .optional()
      .describe("Suggestions when somebody opens the assistant's pane: at most four. Default: two, in their language."),
    sockets: z
      .int()
      .min(1)
      .max(10)
      .default(2)
      .describe('How many sockets are open at once. With two, one works while Slack renews the other.'),
    request_timeout_secs: requestTimeout('a request to Slack', 30),
  })
  .check((context) => {
    const { enabled, mode, bot_token, app_token, signing_secret } = context.value;
    if (!enabled) return;
    const { issues } = context;
    if (!botTokenShape.test(bot_token)) issues.push(fault('bot_token', wrongToken('bot', bot_token)));
    if (mode === 'socket' && !appTokenShape.test(app_token))
      issues.push(fault('app_token', wrongToken('app', app_token)));
    if (mode === 'http' && !/^[0-9a-f]{16,}$/i.test(signing_secret))
      issues.push(fault('signing_secret', wrong('secret')));
  })
  .describe(
    'A Slack app of your own: paste channels/slack/manifest.json at api.slack.com/apps → Create New App → From a manifest.',
  );

export type SlackSettings = z.output<typeof settings>;

/** What is wrong with a value. */
function wrong(key: Exclude<keyof typeof slackSettingWords.en, 'token'>): InLanguage {
  return (language) => slackSettingWords[language][key];
}

function fault(key: 'bot_token' | 'app_token' | 'signing_secret', words: InLanguage) {
  return { code: 'custom' as const, path: [key], message: schemaText(words), input: '' };
}

function wrongToken(kind: 'bot' | 'app', found: string): InLanguage {
  const isOther = (kind === 'bot' ? appTokenShape : botTokenShape).test(found);
  return (language) => slackSettingWords[language].token({ kind, isOther });
}
