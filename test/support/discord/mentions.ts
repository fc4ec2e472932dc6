import type { APIUser } from 'discord.js';
import { z } from 'zod';
import { type Person, userOf } from './bot-user.ts';
import { ownMistake } from './form.ts';
import type { Guild } from './places.ts';

/** Whom a message calls. */
export interface Mentions {
  readonly users: readonly APIUser[];
  readonly roles: readonly string[];
  readonly everyone: boolean;
  /** All of it as it stands in a text: `@everyone`, `@here`, `<@id>`, `<@&id>`. */
  readonly pings: readonly string[];
}

export const noMentions: Mentions = { users: [], roles: [], everyone: false, pings: [] };

export const allowedMentionsForm = z
  .object({
    parse: z.array(z.enum(['users', 'roles', 'everyone'])).optional(),
    users: z.array(z.string()).max(100).optional(),
    roles: z.array(z.string()).max(100).optional(),
    replied_user: z.boolean().default(false),
  })
  .superRefine(({ parse = [], users, roles }, context) => {
    const words = 'is mutually exclusive with';
    if (parse.includes('users') && users !== undefined)
      context.addIssue(ownMistake('MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', `parse:["users"] ${words} users: [..]`));
    if (parse.includes('roles') && roles !== undefined)
      context.addIssue(ownMistake('MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', `parse:["roles"] ${words} roles: [..]`));
  });

export type AllowedMentions = z.output<typeof allowedMentionsForm>;

interface Where {
  /** Undefined in a direct chat, where nobody can call roles or everyone. */
  readonly guild: Guild | undefined;
  readonly mayCallEveryone: boolean;
  /** Whether there is such a person. Everybody is there if not set. */
  readonly exists?: (userId: string) => boolean;
  /** Who wrote what is replied to. */
  readonly repliedUser?: APIUser | undefined;
  /** Undefined allows all. */
  readonly allowed?: AllowedMentions | undefined;
}

/** Finds whom a text calls, as far as it may. */
export function findMentions(text: string, where: Where): Mentions {
  const { guild, mayCallEveryone, exists = () => true, repliedUser, allowed } = where;
  const mayCall = (kind: 'users' | 'roles', id: string): boolean =>
    allowed === undefined || allowed.parse?.includes(kind) === true || allowed[kind]?.includes(id) === true;
  const named = idsIn(text, /<@!?(\d+)>/g).filter((id) => mayCall('users', id) && exists(id));
  const roles = idsIn(text, /<@&(\d+)>/g).filter((id) => guild?.roles.has(id) === true && mayCall('roles', id));
  const mayAll = guild !== undefined && mayCallEveryone && (allowed?.parse?.includes('everyone') ?? true);
  const all = mayAll ? ['@everyone', '@here'].filter((word) => text.includes(word)) : [];
  const repliedTo = repliedUser !== undefined && (allowed?.replied_user ?? true) ? [repliedUser] : [];
  const users = [...named.map((id): Person => guild?.members.get(id)?.user ?? id), ...repliedTo].map(userOf);
  const single = [...new Map(users.map((user) => [user.id, user])).values()];
  return {
    users: single,
    roles,
    everyone: all.length > 0,
    pings: [...all, ...single.map(({ id }) => `<@${id}>`), ...roles.map((id) => `<@&${id}>`)],
  };
}

function idsIn(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, id = '']) => id))];
}
