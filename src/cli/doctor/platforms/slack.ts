import { isJsonObject, type JsonObject, valueAt } from '../../../lib/json.ts';
import {
  type Answer,
  ask,
  type CheckContext,
  channelSettings,
  fault,
  type Problem,
  type Seen,
  said,
} from '../check.ts';
import { faulty, refused, tokenOf, unreached } from './tokens.ts';
import { platformWords } from './words.ts';

const name = 'slack';
const platform = 'Slack';

/** Without these it cannot hear, answer, or take and give files. As in the app's manifest. */
const neededScopes = [
  'app_mentions:read',
  'channels:history',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'im:history',
  'im:write',
] as const;

/** Whether Slack takes the tokens, and what the app may do with them. */
export async function checkSlack(context: CheckContext): Promise<Seen | undefined> {
  const settings = channelSettings(context, name);
  if (settings === undefined) return undefined;
  const { bot_token, app_token, mode } = settings;
  const api = String(settings.api_url).replace(/\/*$/, '/');
  const identity = await call(`${api}auth.test`, bot_token, context);
  const sockets = mode === 'http' ? [] : await socketProblems(`${api}apps.connections.open`, app_token, context);
  if (typeof identity === 'function') return { name, state: tokenOf('?'), problems: [unreached(platform, identity)] };
  return {
    name,
    state: tokenOf(String(valueAt(identity.body, ['user']) ?? '?')),
    problems: [...botProblems(identity), ...sockets],
  };
}

function call(url: string, token: unknown, context: CheckContext) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' };
  return ask(context, url, { method: 'POST', headers });
}

function botProblems({ status, headers, body }: Answer): readonly Problem[] {
  if (!isJsonObject(body)) return [faulty(platform, { status })];
  if (body.ok !== true) return [refusalOf(body, status)];
  const granted = headers.get('x-oauth-scopes')?.split(/,\s*/);
  const lacking = granted === undefined ? [] : neededScopes.filter((scope) => !granted.includes(scope));
  return lacking.length === 0
    ? []
    : [fault(said((language) => platformWords[language].scopesMissing, { scopes: lacking }))];
}

function refusalOf({ error }: JsonObject, status: number): Problem {
  const isOfToken = /auth|token|account_inactive|not_allowed/.test(String(error));
  return isOfToken ? refused(platform, String(error)) : faulty(platform, { status });
}

async function socketProblems(url: string, token: unknown, context: CheckContext): Promise<readonly Problem[]> {
  const answer = await call(url, token, context);
  // That Slack cannot be reached is said once.
  if (typeof answer === 'function' || !isJsonObject(answer.body) || answer.body.ok === true) return [];
  return [
    fault(
      said((language) => platformWords[language].appTokenRefused, {
        why: String(answer.body && valueAt(answer.body, ['error'])),
      }),
    ),
  ];
}
