import type { APIUser } from 'discord.js';

export const botId = '1100000000000000001';
/** Not the bot's own id, as with old applications, so that nobody takes the one for the other. */
export const applicationId = '1100000000000000002';

export function makeBot(username: string): APIUser {
  return { ...personOf(botId), username, global_name: null, bot: true };
}

/** As real ones: the user's number, a time, a signature. */
export function makeToken(): string {
  return `${Buffer.from(botId).toString('base64').replaceAll('=', '')}.GtEsT1.${'t'.repeat(38)}`;
}

/** Who does something: the id of a person, or all that the platform tells about one. */
export type Person = string | APIUser;

export function userOf(person: Person): APIUser {
  return typeof person === 'string' ? personOf(person) : person;
}

function personOf(id: string): APIUser {
  return { id, username: `person_${id}`, discriminator: '0', global_name: `Person ${id}`, avatar: null };
}
