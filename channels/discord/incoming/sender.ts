import type { Sender } from '../../../src/contract.ts';
import type { DiscordMember, DiscordUser } from './payload.ts';

/** Who we are on Discord. */
export interface DiscordSelf {
  readonly userId: string;
  readonly applicationId: string;
}

/** Somebody who wrote something, as far as Discord says who it is. */
export interface Author {
  readonly author: DiscordUser;
  readonly member?: Omit<DiscordMember, 'user'> | undefined;
  /** Set where a program wrote it under any name. */
  readonly webhook_id?: string | null | undefined;
}

/** The sender as the core knows him. Only people in a guild have roles. */
export function senderOf({ author, member, webhook_id }: Author, isInGuild: boolean): Sender {
  const isProgram = author.bot === true || author.system === true || typeof webhook_id === 'string';
  return {
    id: author.id,
    name: nameOf(author, member),
    isPerson: !isProgram,
    ...(isInGuild && !isProgram && member !== undefined && { roles: member.roles.map((id) => `role:${id}`) }),
  };
}

/** What people in this place call him. */
export function nameOf(
  { id, global_name, username }: Pick<DiscordUser, 'id' | 'global_name' | 'username'>,
  member?: { readonly nick?: string | undefined },
): string {
  return [member?.nick, global_name, username].find((name) => name !== undefined && name.trim() !== '') ?? id;
}

/** Whether we wrote it ourselves, also where it answers an interaction. */
export function isOwn({ author, webhook_id }: Author, { userId, applicationId }: DiscordSelf): boolean {
  return author.id === userId || author.id === applicationId || webhook_id === applicationId;
}
