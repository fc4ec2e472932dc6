import type { PageAsked, PageCore } from '../page-route.ts';
import type { WaitingPerson, WaitingPlace } from '../wire/waiting.ts';
import { createWaitingTables, type WaitingTables } from './tables.ts';

/** What the answers of the waiting room are made from. */
export interface WaitingContext {
  readonly asked: PageAsked;
  readonly core: PageCore;
  readonly tables: WaitingTables;
}

export function contextOf(asked: PageAsked, core: PageCore): WaitingContext {
  return { asked, core, tables: createWaitingTables(core.database) };
}

/** Somebody as they call themselves in the first of these conversations where they are known; a device by its person. */
export async function personIn(
  principal: string,
  conversationIds: readonly string[],
  { asked, core, tables }: WaitingContext,
): Promise<WaitingPerson> {
  const device = core.accounts.devices().find(({ id }) => principal === `device:${id}`);
  const name =
    device === undefined
      ? ((await tables.nameOf(principal, conversationIds)) ?? principal)
      : `${device.personName} (${device.name})`;
  return { principal, name, isReader: asked.accounts.includes(principal) };
}

/** How a session began is told to those only who may read it. */
export async function placeOf(conversationId: string, { asked, core, tables }: WaitingContext): Promise<WaitingPlace> {
  const conversation = await core.store.inbox.conversationOf(conversationId);
  const { channel = '', title, kind = 'direct' } = conversation ?? {};
  const { isOwner, accounts, visitor } = asked;
  const mayRead = isOwner || (await tables.takesPart(conversationId, [...accounts, visitor.principal]));
  const named = mayRead ? await tables.titleOf({ id: conversationId, channel, title }) : title;
  return { id: conversationId, channel, title: named === '' ? undefined : named, kind };
}
