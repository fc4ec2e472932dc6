import { z } from 'zod';
import { ChannelError } from '../../src/contract.ts';
import type { Log } from '../../src/lib/log.ts';
import { lenient, optionalText } from '../kit/read-payload.ts';
import { refusalCode } from '../kit/request-failure.ts';
import { bestEffort } from '../kit/retries.ts';
import type { SlackApi } from './api.ts';
import { apps, type TokenKind, tokenPlaces } from './settings.ts';
import type { Workspace } from './workspaces.ts';

/** The workspace of a bot token, or why the bot cannot talk there. Never rejects. */
export async function identify(api: SlackApi, log: Log, signal: AbortSignal): Promise<Workspace | ConnectFailure> {
  try {
    const { data } = identityShape.safeParse(await api.call('auth.test', {}, { repeatable: true, signal }));
    if (data === undefined) return { reason: strangeAnswer, isFinal: false };
    const granted = data.response_metadata?.scopes;
    const scopes = granted && new Set(granted);
    const lack = scopes && missingToTalk(scopes);
    if (lack !== undefined) return { reason: lack, isFinal: false };
    const { team_id: teamId, team: name, user_id: botUserId, user: botName, bot_id: botId } = data;
    const appId = data.app_id ?? (await appOf(botId, api, log, signal));
    return { teamId, name, botUserId, botId, botName, api, appId, scopes };
  } catch (error) {
    return readConnectFailure(error, 'bot');
  }
}

/** Undefined if Slack does not say; then it is not checked that both tokens belong to one app. */
async function appOf(bot: string, api: SlackApi, log: Log, signal: AbortSignal): Promise<string | undefined> {
  const ask = () => api.call('bots.info', { bot }, { repeatable: true, signal });
  const answer = await bestEffort(ask, { log, failure: 'Slack does not say to which app the bot belongs' });
  return botShape.safeParse(answer).data?.bot.app_id;
}

const identityShape = z.object({
  team_id: z.string(),
  team: z.string().catch(''),
  user_id: z.string(),
  user: z.string().catch('the bot'),
  bot_id: z.string(),
  app_id: optionalText,
  response_metadata: lenient(z.object({ scopes: lenient(z.array(z.string())) })),
});
const botShape = z.object({ bot: z.object({ app_id: z.string() }) });

const strangeAnswer = 'What answers at channels.slack.api_url does not speak as Slack does. Check that address.';

export interface ConnectFailure {
  /** What is wrong and what to do, for the operator. */
  readonly reason: string;
  /** Retrying is useless until the operator fixes something. */
  readonly isFinal: boolean;
  /** Shortest pause before a retry, in ms. */
  readonly pause?: number;
}

/** Rethrows anything that is not a `ChannelError`. */
export function readConnectFailure(error: unknown, kind: TokenKind): ConnectFailure {
  if (!(error instanceof ChannelError)) throw error;
  const code = refusalCode(error);
  if (code !== undefined) return readRefusal(String(code), kind);
  const { fault, message } = error;
  if (fault.type === 'rate-limited') return { reason: 'Slack asks to wait.', isFinal: false, pause: fault.retryAfter };
  return {
    reason: `Slack cannot be reached: ${message}. Check the network, and channels.slack.api_url if it is set.`,
    isFinal: false,
  };
}

export function readRefusal(code: string, kind: TokenKind): ConnectFailure {
  const remedy = remedyFor(code, kind);
  if (remedy !== undefined) return { reason: `${remedy} (Slack says: ${code}.)`, isFinal: true };
  return { reason: `Slack refuses the ${kind} token for now: ${code}.`, isFinal: false };
}

/** What the operator must do. Undefined if the refusal may pass. */
function remedyFor(code: string, kind: TokenKind): string | undefined {
  const into = `into channels.slack.${kind}_token, from ${tokenPlaces[kind]}.`;
  const renew = `${kind === 'bot' ? 'Install the app again' : 'Generate a new one'}, put the new token ${into}`;
  switch (code) {
    case 'invalid_auth':
    case 'not_authed':
      return `Slack does not know the ${kind} token. Copy it again ${into}`;
    case 'not_allowed_token_type':
      return `This is not the ${kind} token; the two tokens may be swapped. Copy it again ${into}`;
    case 'token_revoked':
      return `The ${kind} token was revoked. ${renew}`;
    case 'token_expired':
      return `The ${kind} token has expired. Switch token rotation off (${apps} → OAuth & Permissions), then: ${renew}`;
    case 'account_inactive':
    case 'user_removed_from_team':
    case 'team_disabled':
      return `The bot was taken out of the workspace, or the workspace is closed. ${renew}`;
    case 'missing_scope':
      if (kind === 'app') return `The app-level token lacks the scope connections:write. ${renew}`;
      return `The app lacks a scope. Compare its scopes with those in channels/slack/manifest.json and reinstall the app: ${apps} → Install App.`;
    case 'link_disabled':
      return `Socket Mode is off for this app. Switch it on (${apps} → Socket Mode → Enable Socket Mode), and Keyturn notices within 15 minutes; or use channels.slack.mode "http".`;
    default:
      return undefined;
  }
}

const addScopes = `Add the missing scopes (${apps} → OAuth & Permissions) and reinstall the app.`;

/** Scopes needed to talk at all: the first, and one of the second. */
const talking = 'chat:write';
const listening = ['im:history', 'app_mentions:read', 'channels:history', 'groups:history', 'mpim:history'] as const;

/** What the bot can do without, in part. */
const optional = [
  ...listening,
  ...['channels:read', 'groups:read', 'im:read', 'mpim:read', 'users:read'],
  ...['reactions:write', 'files:read', 'files:write', 'assistant:write', 'commands'],
] as const;

/** What is off without these scopes, for the operator. Undefined if all are granted. */
export function missingWords(granted: ReadonlySet<string>): string | undefined {
  const missing = optional.filter((scope) => !granted.has(scope));
  if (missing.length === 0) return undefined;
  return `slack: what needs ${missing.join(', ')} is off: the app lacks a permission for it. ${addScopes}`;
}

/** Why the bot cannot talk at all with these scopes, for the operator. Undefined if it can. */
export function missingToTalk(granted: ReadonlySet<string>): string | undefined {
  const missing = [
    ...(granted.has(talking) ? [] : [talking]),
    ...(listening.some((scope) => granted.has(scope)) ? [] : listening),
  ];
  if (missing.length === 0) return undefined;
  return `The app may not talk to anybody: it lacks ${missing.join(', ')}. ${addScopes} It is looked at again and again.`;
}
