import type { REST } from 'discord.js';
import { z } from 'zod';
import type { DiscordOptions } from '../support/discord/discord-parts.ts';
import { DiscordServer } from '../support/discord-server.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { restOf } from './discord-client.ts';

/** The owner of the guild. */
export const person = '2001';

export interface DiscordGuild {
  readonly clock: ManualClock;
  readonly discord: DiscordServer;
  readonly rest: REST;
  readonly guildId: string;
  readonly channelId: string;
}

/** A Discord with one guild and one channel in it, in which time stands still. The test that starts it closes it. */
export async function startGuild(options: Pick<DiscordOptions, 'times'> = {}): Promise<DiscordGuild> {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const discord = await DiscordServer.start({ ...options, now: () => clock.now() });
  const guildId = discord.scenery.addGuild({ owner: person }).id;
  return { clock, discord, rest: restOf(discord), guildId, channelId: discord.scenery.addChannel(guildId) };
}

const thingShape = z.looseObject({ id: z.string() });

/** The id of a thing, as it came over the wire. */
export function idOf(thing: unknown): string {
  return thingShape.parse(thing).id;
}

/** The ids of a list of things, as it came over the wire. */
export function idsOf(things: unknown): readonly string[] {
  return z.array(thingShape).parse(things).map(idOf);
}
