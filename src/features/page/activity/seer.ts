/* Whose activity a person sees, and how people are named. */

import type { FeatureCore } from '../../../feature-points.ts';
import type { PageAsked, PageCore } from '../page-route.ts';
import type { NamedPerson } from '../wire/activity.ts';

/** All of it for owners; for others what was done in their name, and in the sessions that are theirs. */
export interface Seer {
  readonly isOwner: boolean;
  readonly accounts: readonly string[];
  /** Conversations of sessions: their device may be one that is gone, and no account any more. */
  readonly sessions: readonly string[];
}

export async function seerFor({ isOwner, accounts, visitor }: PageAsked, { webDoor }: PageCore): Promise<Seer> {
  const sessions = isOwner ? [] : await webDoor.sessionsOf(visitor);
  return { isOwner, accounts, sessions: sessions.map((id) => `device:${id}`) };
}

/** As statements take it: `@isOwner`, `@accounts` and `@sessions`. */
export interface SeenBy {
  readonly isOwner: number;
  readonly accounts: string;
  readonly sessions: string;
}

export function seenBy({ isOwner, accounts, sessions }: Seer): SeenBy {
  return { isOwner: Number(isOwner), accounts: JSON.stringify(accounts), sessions: JSON.stringify(sessions) };
}

export interface NameParts {
  readonly store: { nameOf(principal: string, conversationId?: string): Promise<string | undefined> };
  readonly accounts: Pick<FeatureCore['accounts'], 'devices'>;
}

/** A person as the conversation knows them, or any; a device, by its person. */
export async function namedPerson(
  principal: string,
  conversationId: string | undefined,
  { store, accounts }: NameParts,
): Promise<NamedPerson> {
  return personCalled(await store.nameOf(principal, conversationId), principal, accounts);
}

/** The same of a person whose name is known, or known not to be. */
export function personCalled(
  name: string | undefined,
  principal: string,
  accounts: NameParts['accounts'],
): NamedPerson {
  const device = () => accounts.devices().find(({ id }) => principal === `device:${id}`);
  return { principal, name: name ?? device()?.personName ?? principal };
}
