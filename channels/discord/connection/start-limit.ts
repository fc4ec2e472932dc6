import { z } from 'zod';
import { ChannelError } from '../../../src/contract.ts';
import { durationWords } from '../../../src/lib/duration.ts';
import type { DiscordApi } from '../web-api/api.ts';

/** Where a session can begin, or how long to wait before one may, in milliseconds, and why. */
export type SessionStart =
  | { readonly type: 'allowed'; readonly url: string }
  | { readonly type: 'exhausted'; readonly pause: number; readonly reason: string };

const answerShape = z.object({
  url: z.url({ protocol: /^wss?$/ }),
  session_start_limit: z.object({ remaining: z.number(), reset_after: z.number().nonnegative() }),
});

/** So many are left for other programs with the same token, and for a person who looks for the fault. */
const spared = 50;
const shortestPause = 60_000;

/**
 * Asks where to connect to, and whether another session may begin today. Discord takes the token away from a bot that
 * begins more than a thousand in a day, so this is asked before each. Throws `ChannelError`.
 */
export async function sessionStart(api: Pick<DiscordApi, 'call'>, signal: AbortSignal): Promise<SessionStart> {
  const { data } = answerShape.safeParse(await api.call('GET', '/gateway/bot', { signal }));
  if (data === undefined)
    throw new ChannelError({ type: 'transient' }, 'Discord, its gateway: no address that can be connected to');
  const { remaining, reset_after: resetAfter } = data.session_start_limit;
  if (remaining > spared) return { type: 'allowed', url: data.url };
  const pause = Math.max(shortestPause, resetAfter);
  const reason =
    `The bot has begun too many sessions today: Discord allows ${Math.max(0, remaining)} more, and then takes its token ` +
    `away. Keyturn waits for ${durationWords(pause)}. Look for another program that uses the same token.`;
  return { type: 'exhausted', pause, reason };
}
