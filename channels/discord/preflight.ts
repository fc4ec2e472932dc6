import { ApplicationFlags } from 'discord.js';
import { z } from 'zod';
import { ChannelError, type ChannelHost } from '../../src/contract.ts';
import type { InLanguage } from '../../src/lib/words.ts';
import { expectShape } from '../kit/read-payload.ts';
import type { DiscordApi } from './api.ts';
import { type DiscordSelf, id } from './payload.ts';
import { discordWords, wordsFor } from './words.ts';

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
  host: Pick<ChannelHost, 'log' | 'languageFor'>,
  signal: AbortSignal,
): Promise<BotIdentity | 'unreadable'> {
  const words = wordsFor(host);
  const user = expectShape(userShape, await api.call('GET', '/users/@me', { signal }), foreign);
  const answer = await api.call('GET', '/applications/@me', { signal });
  const application = expectShape(applicationShape, answer, foreign);
  if (!mayReadMessages(application.flags)) {
    if (!(await switchOn(application.flags, api, signal))) return 'unreadable';
    host.log.info({}, words.intentSwitchedOn);
  }
  if (application.interactions_endpoint_url) host.log.warn({}, words.endpointSet);
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
  return new ChannelError({ type: 'transient' }, (language) => discordWords[language].notDiscord);
}

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
): Promise<string | { readonly pause: number; readonly reason: InLanguage }> {
  const answer = await api.call('GET', '/gateway/bot', { signal });
  const { url, session_start_limit } = expectShape(gatewayShape, answer, foreign);
  const { remaining, reset_after: resetAfter } = session_start_limit;
  if (remaining > spared) return url;
  const pause = Math.min(longestPause, Math.max(shortestPause, resetAfter));
  const minutes = Math.ceil(pause / 60_000);
  const left = Math.max(0, remaining);
  return { pause, reason: (language) => discordWords[language].tooManySessions({ left, minutes }) };
}
