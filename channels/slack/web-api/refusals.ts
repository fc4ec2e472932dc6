import type { ChannelFault } from '../../../src/contract.ts';

/** What follows from the name that Slack gives to an error. `retryAfter` is what Slack asks for, in milliseconds. */
export function refusalFault(code: string, retryAfter: number | undefined): ChannelFault {
  if (tooMany.has(code)) return { type: 'rate-limited', retryAfter: retryAfter ?? defaultRetry };
  if (wrongToken.has(code)) return { type: 'auth' };
  return { type: forNow.has(code) ? 'transient' : 'permanent' };
}

/** The error for the operator, with what is to be done. `needed`: the scopes that Slack says are missing. */
export function refusalWords(code: string, needed?: string): string {
  if (code === 'missing_scope') {
    const scopes = needed !== undefined && /^[\w:.,\s-]{1,200}$/.test(needed) ? `: ${needed}` : '';
    return `missing_scope: the app lacks a permission${scopes}. Add it under "OAuth & Permissions", then install the app anew`;
  }
  const words = advice[code];
  return words === undefined ? code : `${code}: ${words}`;
}

/** Whether the workspace will take no such request, whatever it says: it need not be asked again. */
export function lacksFeature(code: string | undefined): boolean {
  return code !== undefined && noFeature.has(code);
}

/** Whether it says that the bot, or the person whom alone a message is for, is not in the channel. */
export function isAbsence(code: string | undefined): boolean {
  return code !== undefined && absence.has(code);
}

const absence: ReadonlySet<string> = new Set([
  'channel_not_found',
  'not_in_channel',
  'user_not_in_channel',
  'is_archived',
  'restricted_action',
]);

const defaultRetry = 5_000;

const noFeature: ReadonlySet<string> = new Set([
  'feature_not_enabled',
  'method_deprecated',
  'unknown_method',
  'missing_scope',
  'no_permission',
]);

const tooMany: ReadonlySet<string> = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);

const wrongToken: ReadonlySet<string> = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'not_allowed_token_type',
  'user_removed_from_team',
  'team_access_not_granted',
  'access_denied',
]);

const forNow: ReadonlySet<string> = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'temporarily_unavailable',
  'request_timeout',
  'timeout',
  'team_added_to_org',
  'accesslimited',
]);

const invite = 'Invite it there: /invite @ and its name';

const advice: Readonly<Record<string, string>> = {
  invalid_auth: 'the token is wrong. Copy it anew from api.slack.com/apps',
  not_authed: 'no token was given',
  account_inactive: 'the app was removed from the workspace. Install it anew',
  token_revoked: 'the token was taken back. Install the app anew',
  token_expired: 'the token has expired. Switch token rotation off, or install the app anew',
  not_allowed_token_type: 'this kind of token is not for this. The bot token begins with "xoxb-"',
  channel_not_found: `the bot does not see this channel. ${invite}`,
  not_in_channel: `the bot is not in this channel. ${invite}`,
  is_archived: 'the channel is archived',
  message_not_found: 'the message is not there any more',
  cant_update_message: 'this message cannot be changed by the bot',
  cant_delete_message: 'this message cannot be taken away by the bot',
  msg_too_long: 'the text is too long',
  msg_blocks_too_long: 'the text and the buttons are too long together',
  invalid_blocks: 'Slack does not take this formatting',
  restricted_action: 'the workspace does not let apps write here',
  messages_tab_disabled:
    'people cannot write to the app. Switch on "Messages Tab" under "App Home", and allow people to send messages from it',
  cannot_dm_bot: 'this is another bot, which cannot be written to',
  user_not_found: 'Slack does not know this person',
};
