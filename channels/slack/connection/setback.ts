import { ChannelError } from '../../../src/contract.ts';
import { readFailure, refusalCode } from '../web-api/failure.ts';

/** Why we are not connected. */
export interface Setback {
  /** For the operator: what is wrong and what to do. */
  readonly reason: string;
  /** No later try succeeds unless the operator does something about it. */
  readonly isFinal: boolean;
  /** How long to wait at least before the next try, in milliseconds. */
  readonly pause?: number;
}

export type TokenKind = 'bot' | 'app';

const apps = 'api.slack.com/apps → your app';
const keys = {
  bot: { key: 'channels.slack.bot_token', place: `${apps} → OAuth & Permissions → Bot User OAuth Token ("xoxb-…")` },
  app: { key: 'channels.slack.app_token', place: `${apps} → Basic Information → App-Level Tokens ("xapp-…")` },
} as const;

/** What the operator has to do where Slack's word alone tells it. */
const remedies: Readonly<Record<string, (kind: TokenKind) => string>> = {
  invalid_auth: (kind) => `Slack does not know the ${kind} token. ${copyAnew(kind)}`,
  not_authed: (kind) => `Slack was given no ${kind} token. ${copyAnew(kind)}`,
  not_allowed_token_type: (kind) =>
    `This is not ${kind === 'bot' ? 'a bot' : 'an app-level'} token; the two tokens may be swapped. ${copyAnew(kind)}`,
  token_revoked: (kind) => `The ${kind} token was revoked. ${renew(kind)}`,
  token_expired: (kind) =>
    `The ${kind} token has expired. Switch token rotation off (${apps} → OAuth & Permissions), then: ${renew(kind)}`,
  account_inactive: () =>
    `The bot's account is not active: the app was taken out of the workspace, or the workspace is closed. ${renew('bot')}`,
  user_removed_from_team: () => `The bot was removed from the workspace. ${renew('bot')}`,
  team_disabled: () =>
    'The workspace is disabled. It must be opened again, or Keyturn be given the token of another one.',
  missing_scope: (kind) =>
    kind === 'app'
      ? `The app-level token lacks the scope connections:write. Generate one with that scope (${keys.app.place}), put it into ${keys.app.key} and start Keyturn again.`
      : `The app lacks a scope. ${reinstall}`,
  link_disabled: () => socketModeOff,
};

const reinstall = `Compare its scopes with those in channels/slack/manifest.json and reinstall the app: ${apps} → Install App.`;
const socketModeOff = `Socket Mode is off for this app. Switch it on (${apps} → Socket Mode → Enable Socket Mode) and start Keyturn again; or use channels.slack.mode "http".`;

/** The setback that is behind what a request with this token threw, whether through `SlackApi` or Slack's own client. */
export function readSetback(error: unknown, kind: TokenKind): Setback {
  if (error instanceof ChannelError) return readChannelError(error, kind);
  const failure = readFailure(error);
  switch (failure.type) {
    case 'refused':
      return readRefusal(failure.code, kind);
    case 'too-many':
      return { ...slackAsksToWait, pause: (failure.retryAfter ?? 0) * 1000 };
    case 'unreadable':
    case 'not-sent':
    case 'foreign':
    case 'lost':
      return unreachable(failure.words);
  }
}

/** What Slack's word for a refusal means for whoever runs Keyturn. */
export function readRefusal(code: string, kind: TokenKind): Setback {
  const remedy = remedies[code];
  if (remedy !== undefined) return { reason: `${remedy(kind)} (Slack says: ${code}.)`, isFinal: true };
  return { reason: `Slack refuses the ${kind} token for now: ${code}.`, isFinal: false };
}

function copyAnew(kind: TokenKind): string {
  return `Copy it anew into ${keys[kind].key}, from ${keys[kind].place}, and start Keyturn again.`;
}

function renew(kind: TokenKind): string {
  const deed = kind === 'bot' ? 'Install the app again' : 'Generate a new one';
  return `${deed}, put the new token into ${keys[kind].key}, from ${keys[kind].place}, and start Keyturn again.`;
}

function readChannelError(error: ChannelError, kind: TokenKind): Setback {
  const code = refusalCode(error);
  if (code !== undefined) return readRefusal(code, kind);
  if (error.fault.type === 'rate-limited') return { ...slackAsksToWait, pause: error.fault.retryAfter };
  return unreachable(error.message);
}

const slackAsksToWait = { reason: 'Slack asks to wait.', isFinal: false } as const;

function unreachable(words: string): Setback {
  return {
    reason: `Slack cannot be reached: ${words}. Check the network, and channels.slack.api_url if it is set.`,
    isFinal: false,
  };
}
