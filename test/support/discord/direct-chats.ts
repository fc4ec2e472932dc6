import type { APIUser } from 'discord.js';
import { type Person, userOf } from './bot-user.ts';
import { type Channel, channelTypes, type Places } from './places.ts';
import type { Snowflakes } from './snowflakes.ts';

interface Dependencies {
  readonly places: Places;
  readonly snowflakes: Snowflakes;
}

/** The people there are, and the chat that each has with the bot. */
export class DirectChats {
  readonly #dependencies: Dependencies;
  readonly #people = new Map<string, APIUser>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** From now on, this person exists. */
  meet(person: Person): APIUser {
    const user = typeof person === 'string' ? (this.#people.get(person) ?? userOf(person)) : person;
    this.#people.set(user.id, user);
    return user;
  }

  knows(userId: string): boolean {
    return this.#people.has(userId);
  }

  person(userId: string): APIUser | undefined {
    return this.#people.get(userId);
  }

  /** There is one for each person, and it stays the same. */
  open(person: Person): Channel {
    const { places, snowflakes } = this.#dependencies;
    const recipient = this.meet(person);
    const known = places.directChat(recipient.id);
    const place = { id: snowflakes.next(), type: channelTypes.dm, name: '', denied: 0n, isAnnounced: false };
    return known ?? places.add({ ...place, recipient });
  }

  /** Who acts in the channel: the one who is named, or its own person. Who acts in a guild is a member of it. */
  actor(channel: Channel, named: Person | undefined): APIUser {
    const guild = this.#dependencies.places.guildOf(channel);
    const person = named ?? channel.recipient ?? guild?.ownerId;
    if (person === undefined) throw new Error(`Nobody is in the channel ${channel.id}.`);
    const user = this.meet(person);
    if (guild !== undefined && !guild.members.has(user.id)) guild.members.set(user.id, { user, roles: [] });
    return user;
  }
}
