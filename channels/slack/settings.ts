import { z } from 'zod';
import { accessSettings, keyed, reactions, requestTimeout } from '../kit/access-settings.ts';

const botTokenShape = /^xoxb-[\w-]+$/;
const appTokenShape = /^xapp-[\w-]+$/;
const groupShape = /^(?:[TE][A-Z0-9]+\/)?[CG][A-Z0-9]+$|^[TE][A-Z0-9]+$/;

const idWords =
  'Only an id (or "*" for everyone) is accepted here: names can change hands, ids cannot. It has two parts, the ' +
  'workspace and the member: "T0123ABCD/U0123ABCD". To find it, let the person write to the bot: it answers a stranger ' +
  'with their id, as slack:T0123ABCD/U0123ABCD. The part after the colon goes here.';

const access = accessSettings({
  id: '[TE][A-Z0-9]+/[UWB][A-Z0-9]+',
  idWords,
  commanderWords: `"owner" or "*", or an id. ${idWords}`,
  description: 'The workspace and the member, as "T0123ABCD/U0123ABCD"',
  ids: 'workspace and member: "T0123ABCD/U0123ABCD"',
  there: 'in this channel',
  addressed: 'mentioned',
});

const groupWords =
  'A channel is named by its id, which Slack shows at the end of "View channel details": "C0123ABCD". ' +
  'With its workspace it is "T0123ABCD/C0123ABCD"; the workspace alone, "T0123ABCD", means all of its channels.';

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
      .regex(/^\/[\w./-]*$/, { error: 'Write a path that begins with a slash, such as "/slack/events".' })
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
      .array(z.string().regex(botTokenShape, { error: 'A bot token begins with "xoxb-".' }))
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
      .url({ protocol: /^https?$/, error: 'Write the address of the Web API, such as "https://slack.com/api/".' })
      .overwrite((address) => `${address.replace(/\/+$/, '')}/`)
      .default('https://slack.com/api/')
      .describe('The Web API to talk to. Change it only for a server of your own in its place.'),
    allow_from: access.allowFrom,
    groups: keyed(groupShape, groupWords, access.threadedGroup)
      .default({})
      .describe(
        'The channels where the bot may talk: "C0123ABCD" or "T0123ABCD/C0123ABCD" → how it behaves there. A workspace, "T0123ABCD", means all of its channels.',
      ),
    command: z
      .string()
      .regex(/^\/[a-z0-9_-]{1,31}$/, { error: 'Write the slash command as in the manifest, such as "/keyturn".' })
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
    const complain = (key: 'bot_token' | 'app_token' | 'signing_secret', message: string): void => {
      context.issues.push({ code: 'custom', path: [key], message, input: '' });
    };
    if (!botTokenShape.test(bot_token)) complain('bot_token', tokenWords('bot', bot_token));
    if (mode === 'socket' && !appTokenShape.test(app_token)) complain('app_token', tokenWords('app', app_token));
    if (mode === 'http' && !/^[0-9a-f]{16,}$/i.test(signing_secret)) complain('signing_secret', secretWords);
  })
  .describe(
    'A Slack app of your own: paste channels/slack/manifest.json at api.slack.com/apps → Create New App → From a manifest.',
  );

export type SlackSettings = z.output<typeof settings>;

const apps = 'api.slack.com/apps → your app';
/** Where the operator finds the tokens. */
const tokenPlaces = {
  bot: `${apps} → OAuth & Permissions → Bot User OAuth Token ("xoxb-…")`,
  app: `${apps} → Basic Information → App-Level Tokens ("xapp-…")`,
} as const;
type TokenKind = keyof typeof tokenPlaces;

const secretWords = `This is not a signing secret, which is a row of hexadecimal digits: ${apps} → Basic Information → App Credentials.`;

function tokenWords(kind: TokenKind, found: string): string {
  const other = kind === 'bot' ? 'app' : 'bot';
  const isOther = (other === 'bot' ? botTokenShape : appTokenShape).test(found);
  const what = isOther ? `This is the ${other} token: it belongs in ${other}_token` : `This is not the ${kind} token`;
  return `${what}. Take the ${kind} token from ${tokenPlaces[kind]}.`;
}
