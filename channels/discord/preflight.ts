import { ApplicationFlags } from 'discord.js';
import { z } from 'zod';
import { ChannelError } from '../../src/contract.ts';
import type { Log } from '../../src/lib/log.ts';
import { durationWords } from '../../src/lib/time-words.ts';
import { expectShape } from '../kit/read-payload.ts';
import type { DiscordApi } from './api.ts';
import { type DiscordSelf, id } from './payload.ts';

export interface BotIdentity extends DiscordSelf {
  readonly username: string;
}

const userShape = z.object({ id, username: z.string() });
const flagsShape = z.object({ flags: z.int().nonnegative() });
const applicationShape = z.object({
  id,
  flags: z.int().nonnegative().catch(0),
  interactions_endpoint_url: z.string().nullish().catch(null),
});
const gatewayShape = z.object({
  url: z.url({ protocol: /^wss?$/ }),
  session_start_limit: z.object({ remaining: z.number(), reset_after: z.number().nonnegative() }),
});

/**
 * Checks the token, and switches on the Message Content Intent. `unreadable` if only the operator can. Throws
 * `ChannelError` if Discord cannot be asked.
 */
export async function preflight(
  api: Pick<DiscordApi, 'call'>,
  log: Log,
  signal: AbortSignal,
): Promise<BotIdentity | 'unreadable'> {
  const user = expectShape(userShape, await api.call('GET', '/users/@me', { signal }), foreign);
  const application = expectShape(applicationShape, await api.call('GET', '/applications/@me', { signal }), foreign);
  if (!mayReadMessages(application.flags)) {
    if (!(await switchOn(application.flags, api, signal))) return 'unreadable';
    log.info({}, "discord: the bot's Message Content Intent was off and is switched on: without it, it reads nothing");
  }
  if (application.interactions_endpoint_url) log.warn({}, endpointWords);
  return { userId: user.id, username: user.username, applicationId: application.id };
}

const readingFlags = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;

function mayReadMessages(flags: number): boolean {
  return (flags & readingFlags) !== 0;
}

async function switchOn(flags: number, api: Pick<DiscordApi, 'call'>, signal: AbortSignal): Promise<boolean> {
  const body = { flags: flags | ApplicationFlags.GatewayMessageContentLimited };
  try {
    const answer = await api.call('PATCH', '/applications/@me', { body, repeatable: true, signal });
    return mayReadMessages(expectShape(flagsShape, answer, foreign).flags);
  } catch (error) {
    if (error instanceof ChannelError && error.fault.type === 'permanent') return false;
    throw error;
  }
}

function foreign(): ChannelError {
  const words = 'What answers does not speak as Discord does: check channels.discord.api_url';
  return new ChannelError({ type: 'transient' }, words);
}

const endpointWords =
  'discord: the application has an Interactions Endpoint URL, so Discord sends presses of buttons and slash commands ' +
  'there and not to Keyturn. Empty it: discord.com/developers/applications → your application → General Information.';

/** Sessions left for other programs with the same token, and for debugging. */
const spared = 50;
const shortestPause = 60_000;
/** The reset time may be wrong, so ask again earlier. In ms. */
const longestPause = 900_000;

/**
 * The gateway URL, or, if too many sessions were started today, the pause in ms and the reason. Discord resets the
 * token of a bot that starts more than 1,000 a day. Throws `ChannelError`.
 */
export async function sessionStart(
  api: Pick<DiscordApi, 'call'>,
  signal: AbortSignal,
): Promise<string | { readonly pause: number; readonly reason: string }> {
  const answer = await api.call('GET', '/gateway/bot', { signal });
  const { url, session_start_limit } = expectShape(gatewayShape, answer, foreign);
  const { remaining, reset_after: resetAfter } = session_start_limit;
  if (remaining > spared) return url;
  const pause = Math.min(longestPause, Math.max(shortestPause, resetAfter));
  const reason =
    `The bot has begun too many sessions today: Discord allows ${Math.max(0, remaining)} more, and then takes its token ` +
    `away. Keyturn asks again in ${durationWords(pause)}. Look for another program that uses the same token.`;
  return { pause, reason };
}

const applications = 'discord.com/developers/applications → your application';

/** Shown if Discord rejects the token. */
export const tokenWords =
  'Discord does not accept the token: it was reset, or is not the token of a bot. ' +
  `Make a new one (${applications} → Bot → Reset Token), put it into channels.discord.token.`;

/** Shown if the bot may not read messages and cannot change that itself. */
export const contentWords =
  `Discord does not let the bot read messages. Switch that on: ${applications} → Bot → ` +
  'Privileged Gateway Intents → Message Content Intent. Keyturn notices within 15 minutes.';
