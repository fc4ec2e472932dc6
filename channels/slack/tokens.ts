import { z } from 'zod';
import { ChannelError } from '../../src/contract.ts';
import type { Log } from '../../src/lib/log.ts';
import { type InLanguage, type Words, wordsIn } from '../../src/lib/words.ts';
import { lenient, optionalText } from '../kit/read-payload.ts';
import { refusalCode } from '../kit/request-failure.ts';
import { bestEffort } from '../kit/retries.ts';
import type { SlackApi } from './api.ts';
import { type RefusedToken, slackWords, type TokenKind } from './words.ts';
import type { Workspace } from './workspaces.ts';

/** The workspace of a bot token, or why the bot cannot talk there. Never rejects. */
export async function identify(api: SlackApi, log: Log, signal: AbortSignal): Promise<Workspace | ConnectFailure> {
  try {
    const { data } = identityShape.safeParse(await api.call('auth.test', {}, { repeatable: true, signal }));
    if (data === undefined) return { reason: (language) => slackWords[language].notSlack, isFinal: false };
    const granted = data.response_metadata?.scopes;
    const scopes = granted && new Set(granted);
    const lacking = scopes === undefined ? [] : missingToTalk(scopes);
    if (lacking.length > 0) return mayNotTalk(lacking.join(', '));
    const { team_id: teamId, team: name, user_id: botUserId, user: botName, bot_id: botId } = data;
    const appId = data.app_id ?? (await appOf(botId, api, log, signal));
    return { teamId, name, botUserId, botId, botName, api, appId, scopes };
  } catch (error) {
    return readConnectFailure(error, 'bot');
  }
}

function mayNotTalk(scopes: string): ConnectFailure {
  return { reason: (language) => slackWords[language].mayNotTalk({ scopes }), isFinal: false };
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

export interface ConnectFailure {
  /** What is wrong and what to do, for the operator. */
  readonly reason: Words;
  /** Retrying is useless until the operator fixes something. */
  readonly isFinal: boolean;
  /** Shortest pause before a retry, in ms. */
  readonly pause?: number;
}

/** Rethrows anything that is not a `ChannelError`. */
export function readConnectFailure(error: unknown, kind: TokenKind): ConnectFailure {
  if (!(error instanceof ChannelError)) throw error;
  const code = refusalCode(error);
  if (code !== undefined) return readRefusal({ kind, code: String(code) });
  const { fault, words } = error;
  if (fault.type === 'rate-limited')
    return { reason: (language) => slackWords[language].asksToWait, isFinal: false, pause: fault.retryAfter };
  const reason: InLanguage = (language) => slackWords[language].unreachable({ cause: wordsIn(language, words) });
  return { reason, isFinal: false };
}

function readRefusal(refused: RefusedToken): ConnectFailure {
  const remedy = remedyFor(refused);
  return { reason: (language) => slackWords[language][remedy](refused), isFinal: remedy !== 'refusedForNow' };
}

/** What the operator must do. `refusedForNow`: nothing, the refusal may pass. */
function remedyFor({ code }: RefusedToken) {
  switch (code) {
    case 'invalid_auth':
    case 'not_authed':
      return 'unknownToken';
    case 'not_allowed_token_type':
      return 'swappedToken';
    case 'token_revoked':
      return 'revokedToken';
    case 'token_expired':
      return 'expiredToken';
    case 'account_inactive':
    case 'user_removed_from_team':
    case 'team_disabled':
      return 'closedWorkspace';
    case 'missing_scope':
      return 'lacksScope';
    case 'link_disabled':
      return 'socketModeOff';
    default:
      return 'refusedForNow';
  }
}

/** Scopes needed to talk at all: the first, and one of the second. */
const talking = 'chat:write';
const listening = ['im:history', 'app_mentions:read', 'channels:history', 'groups:history', 'mpim:history'] as const;

/** What the bot can do without, in part. */
const optional = [
  ...listening,
  ...['channels:read', 'groups:read', 'im:read', 'mpim:read', 'users:read'],
  ...['im:write', 'reactions:write', 'files:read', 'files:write', 'assistant:write', 'commands'],
] as const;

/** The scopes that the app lacks, without which something is off. */
export function missingScopes(granted: ReadonlySet<string>): readonly string[] {
  return optional.filter((scope) => !granted.has(scope));
}

/** The scopes without which the bot cannot talk at all. Empty if it can. */
export function missingToTalk(granted: ReadonlySet<string>): readonly string[] {
  return [
    ...(granted.has(talking) ? [] : [talking]),
    ...(listening.some((scope) => granted.has(scope)) ? [] : listening),
  ];
}
