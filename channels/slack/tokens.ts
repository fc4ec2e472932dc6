import { z } from 'zod';
import { ChannelError } from '../../src/contract.ts';
import type { Log } from '../../src/lib/log.ts';
import { lenient, optionalText } from '../kit/read-payload.ts';
import { refusalCode } from '../kit/request-failure.ts';
import { bestEffort } from '../kit/retries.ts';
import type { SlackApi } from './api.ts';
import type { RefusedToken, SlackWords, TokenKind } from './words.ts';
import type { Workspace } from './workspaces.ts';

/** The workspace of a bot token, or why the bot cannot talk there. Never rejects. */
export async function identify(api: SlackApi, log: Log, signal: AbortSignal): Promise<Workspace | ConnectFailure> {
  try {
    const { data } = identityShape.safeParse(await api.call('auth.test', {}, { repeatable: true, signal }));
    if (data === undefined) return { reason: api.words.notSlack, isFinal: false };
    const granted = data.response_metadata?.scopes;
    const scopes = granted && new Set(granted);
    const lacking = scopes === undefined ? [] : missingToTalk(scopes);
    if (lacking.length > 0) return { reason: api.words.mayNotTalk({ scopes: lacking.join(', ') }), isFinal: false };
    const { team_id: teamId, team: name, user_id: botUserId, user: botName, bot_id: botId } = data;
    const appId = data.app_id ?? (await appOf(botId, api, log, signal));
    return { teamId, name, botUserId, botId, botName, api, appId, scopes };
  } catch (error) {
    return readConnectFailure(error, 'bot', api.words);
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

export interface ConnectFailure {
  /** What is wrong and what to do, for the operator. */
  readonly reason: string;
  /** Retrying is useless until the operator fixes something. */
  readonly isFinal: boolean;
  /** Shortest pause before a retry, in ms. */
  readonly pause?: number;
}

/** Rethrows anything that is not a `ChannelError`. */
export function readConnectFailure(error: unknown, kind: TokenKind, words: SlackWords): ConnectFailure {
  if (!(error instanceof ChannelError)) throw error;
  const code = refusalCode(error);
  if (code !== undefined) return readRefusal({ kind, code: String(code) }, words);
  const { fault, message: cause } = error;
  if (fault.type === 'rate-limited') return { reason: words.asksToWait, isFinal: false, pause: fault.retryAfter };
  return { reason: words.unreachable({ cause }), isFinal: false };
}

function readRefusal(refused: RefusedToken, words: SlackWords): ConnectFailure {
  const remedy = remedyFor(refused, words);
  return { reason: remedy ?? words.refusedForNow(refused), isFinal: remedy !== undefined };
}

/** What the operator must do. Undefined if the refusal may pass. */
function remedyFor(refused: RefusedToken, words: SlackWords): string | undefined {
  switch (refused.code) {
    case 'invalid_auth':
    case 'not_authed':
      return words.unknownToken(refused);
    case 'not_allowed_token_type':
      return words.swappedToken(refused);
    case 'token_revoked':
      return words.revokedToken(refused);
    case 'token_expired':
      return words.expiredToken(refused);
    case 'account_inactive':
    case 'user_removed_from_team':
    case 'team_disabled':
      return words.closedWorkspace(refused);
    case 'missing_scope':
      return words.lacksScope(refused);
    case 'link_disabled':
      return words.socketModeOff(refused);
    default:
      return undefined;
  }
}

/** Scopes needed to talk at all: the first, and one of the second. */
const talking = 'chat:write';
const listening = ['im:history', 'app_mentions:read', 'channels:history', 'groups:history', 'mpim:history'] as const;

/** What the bot can do without, in part. */
const optional = [
  ...listening,
  ...['channels:read', 'groups:read', 'im:read', 'mpim:read', 'users:read'],
  ...['reactions:write', 'files:read', 'files:write', 'assistant:write', 'commands'],
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
