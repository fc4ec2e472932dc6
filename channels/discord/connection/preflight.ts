import { ApplicationFlags } from 'discord-api-types/v10';
import { z } from 'zod';
import { ChannelError } from '../../../src/contract.ts';
import type { Log } from '../../../src/lib/log.ts';
import type { DiscordApi } from '../web-api/api.ts';
import { contentWords, Setback } from './setback.ts';

/** Who the bot is. */
export interface BotIdentity {
  readonly id: string;
  readonly username: string;
  readonly applicationId: string;
}

export interface PreflightDependencies {
  readonly api: Pick<DiscordApi, 'call'>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const id = z.string().regex(/^\d+$/);
const userShape = z.object({ id, username: z.string() });
const applicationShape = z.object({
  id,
  flags: z.int().nonnegative().catch(0),
  interactions_endpoint_url: z.string().nullish().catch(null),
});
const flagsShape = z.object({ flags: z.int().nonnegative() });

/**
 * Looks at the token before anything is built on it, and switches on what the bot must have to read messages. Throws
 * `Setback` where the operator has to do something, and `ChannelError` where Discord can't be asked.
 */
export async function preflight(dependencies: PreflightDependencies): Promise<BotIdentity> {
  const { api, log, signal } = dependencies;
  const user = expected(userShape, await api.call('GET', '/users/@me', { signal }));
  const application = expected(applicationShape, await api.call('GET', '/applications/@me', { signal }));
  if (!mayReadMessages(application.flags)) await switchOn(application.flags, dependencies);
  if (application.interactions_endpoint_url) log.warn({}, endpointWords);
  return { id: user.id, username: user.username, applicationId: application.id };
}

function mayReadMessages(flags: number): boolean {
  return (flags & (ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited)) !== 0;
}

async function switchOn(flags: number, { api, log, signal }: PreflightDependencies): Promise<void> {
  const body = { flags: flags | ApplicationFlags.GatewayMessageContentLimited };
  try {
    const answer = await api.call('PATCH', '/applications/@me', { body, repeatable: true, signal });
    if (!mayReadMessages(expected(flagsShape, answer).flags)) throw new Setback(contentWords);
  } catch (error) {
    if (error instanceof ChannelError && error.fault.type === 'permanent') throw new Setback(contentWords);
    throw error;
  }
  log.info(
    {},
    "discord: the bot's Message Content Intent was off and is switched on: without it, it can't read messages",
  );
}

function expected<Shape extends z.ZodType>(shape: Shape, answer: unknown): z.output<Shape> {
  const { success, data } = shape.safeParse(answer);
  if (success) return data;
  throw new ChannelError(
    { type: 'transient' },
    'What answers does not speak as Discord does: check channels.discord.api_url',
  );
}

const endpointWords =
  'discord: the application has an Interactions Endpoint URL, so Discord sends presses of buttons and slash commands ' +
  'there and not to Keyturn. Empty it: discord.com/developers/applications → your application → General Information.';
