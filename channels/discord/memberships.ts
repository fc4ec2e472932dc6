import { z } from 'zod';
import type { Conversation, InboundMembership, Sender } from '../../src/contract.ts';
import { lenient, optionalText } from '../kit/read-payload.ts';
import type { InteractionContext } from './interaction-intake.ts';
import { id } from './payload.ts';

const guildShape = z.object({
  id,
  name: optionalText,
  joined_at: optionalText,
  /** An outage of Discord hides the server for now. */
  unavailable: lenient(z.boolean()),
});

/** Discord's clock may be behind ours by so much, in ms. */
const skew = 60_000;

/** Discord tells nobody who it was: the log of a server's changes needs a permission of its own. */
const unknownSender: Sender = { id: 'unknown', name: '', isPerson: false };

/**
 * Tells that the bot was added to a server, or taken out of it. All servers are told of at the start of a session: those that it
 * joined before are not new. The conversation stands for the whole server: its `chatId` is the server's id.
 */
export async function takeGuild(
  event: 'GUILD_CREATE' | 'GUILD_DELETE',
  payload: unknown,
  { runtime, store }: InteractionContext,
): Promise<void> {
  const { directory, host, since } = runtime;
  const { data: guild } = guildShape.safeParse(payload);
  if (guild === undefined || guild.unavailable) return;
  const known = directory.guild(guild.id);
  const joinedAt = guild.joined_at ?? known?.joinedAt ?? '';
  const conversation: Conversation = {
    channel: 'discord',
    tenant: guild.id,
    chatId: guild.id,
    kind: 'group',
    title: guild.name || known?.name || undefined,
  };
  const about = { type: 'membership', conversation, sender: unknownSender } as const;
  const arrived = Date.parse(joinedAt);
  const told: InboundMembership | undefined =
    event === 'GUILD_DELETE'
      ? { ...about, key: `guild:${guild.id}:${joinedAt}:removed`, change: 'removed' }
      : arrived >= (host.leftAt ?? since) - skew
        ? { ...about, key: `guild:${guild.id}:${joinedAt}`, change: 'added' }
        : undefined;
  // A session that begins tells of all servers once more.
  if (told === undefined) return;
  const { key } = told;
  const receipt = await store(`${guild.id}:membership`, async () => (directory.hasTold(key) ? undefined : told));
  if (receipt !== undefined) directory.noteTold(key);
}
