import { principalOf } from '../../contract.ts';
import { type Acquaintance, withoutDevices } from '../../conversation/access/access.ts';
import type { FeatureCore, LocalAsked, Refused } from '../../feature-points.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { PageCore } from './page-route.ts';
import { pageSettings } from './settings.ts';
import { nameOf } from './tables.ts';

/** The link for the person at this machine. */
export async function linkAtMachine({ person, params }: LocalAsked, core: PageCore): Promise<JsonObject | Refused> {
  // At the start nobody has asked for it.
  if (params.isAtStart === true && !core.settings(pageSettings).page.enabled) return {};
  const links = await core.linksFor(await ownerAtMachine(person, core));
  if ('refusal' in links) return links;
  const { here, elsewhere, instead, goodUntil } = links;
  return {
    here,
    goodUntil,
    ...(elsewhere === undefined ? {} : { elsewhere }),
    ...(instead === undefined ? {} : { instead }),
  };
}

/**
 * The user who runs Keyturn has the rights of an owner, and is the owner where there is one: their page then has their own chats.
 * Of several owners it cannot be known which of them it is. What the link lets them do is decided when it is used.
 */
async function ownerAtMachine(
  atMachine: Acquaintance,
  { owners, accounts, adapters, database }: FeatureCore,
): Promise<Acquaintance> {
  const local = [...adapters].flatMap(([name, { localOwner }]) =>
    localOwner === undefined ? [] : [{ principal: principalOf(name, localOwner.id), name: localOwner.name }],
  );
  const isLocal = (principal: string): boolean => local.some((one) => one.principal === principal);
  const named = withoutDevices(owners.all()).filter((principal) => !isLocal(principal));
  const [first] = named;
  if (first !== undefined && named.every((other) => accounts.accountsOf(first).includes(other)))
    return { principal: first, name: (await nameOf(database.sql, first)) ?? atMachine.name };
  return first === undefined ? (local[0] ?? atMachine) : atMachine;
}
