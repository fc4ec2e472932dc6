import type { PageCore } from '../page-route.ts';
import type { ActivityChoices, NamedPerson } from '../wire/activity.ts';
import { createRunListStore } from './runs/tables.ts';
import { type NameParts, namedPerson, type Seer } from './seer.ts';

/** What the person can filter by: others only if they see their runs. */
export async function choicesFor(seer: Seer, core: PageCore): Promise<ActivityChoices> {
  const store = createRunListStore(core.database);
  return {
    people: await peopleOf(await store.newestPrincipals(seer), core, { store, accounts: core.accounts }),
    channels: [...new Set([...core.adapters.keys(), 'device'])].toSorted(),
    tools: await store.newestTools(seer),
    currency: core.config.budget.currency,
  };
}

/** Each person once, whatever accounts they write with. */
async function peopleOf(
  principals: readonly string[],
  { accounts }: Pick<PageCore, 'accounts'>,
  parts: NameParts,
): Promise<readonly NamedPerson[]> {
  const people = new Map(principals.toReversed().map((one) => [accounts.accountsOf(one)[0] ?? one, one]));
  const named: NamedPerson[] = [];
  for (const principal of people.values()) named.push(await namedPerson(principal, undefined, parts));
  return named.toSorted((one, other) => one.name.localeCompare(other.name));
}
