import type { PageAsked, PageCore } from '../page-route.ts';
import type { ActivityChoices, NamedPerson } from '../wire/activity.ts';
import { createRunListStore, type RunListStore } from './runs/tables.ts';

/** What the person can filter by: others only if they see their runs. */
export function choicesFor(
  asked: Pick<PageAsked, 'isOwner' | 'accounts' | 'visitor'>,
  core: PageCore,
): ActivityChoices {
  const store = createRunListStore(core.database);
  const heard = store.newestPrincipals(asked);
  return {
    people: peopleOf(heard, store, core),
    channels: [...new Set([...core.adapters.keys(), 'device'])].toSorted(),
    tools: store.newestTools(asked),
    currency: core.config.budget.currency,
  };
}

/** Each person once, whatever accounts they write with. */
function peopleOf(
  principals: readonly string[],
  store: Pick<RunListStore, 'nameOf'>,
  { accounts }: Pick<PageCore, 'accounts'>,
): readonly NamedPerson[] {
  const people = new Map(principals.toReversed().map((one) => [accounts.accountsOf(one)[0] ?? one, one]));
  return [...people.values()]
    .map((principal) => ({ principal, name: store.nameOf(principal) ?? principal }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}
