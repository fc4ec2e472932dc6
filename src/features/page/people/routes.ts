import type { Conversation } from '../../../contract.ts';
import type { AskedGroup } from '../../../conversation/access/group-choices.ts';
import { peopleFacts } from '../../../conversation/access/people-facts.ts';
import { toldChannels } from '../../../conversation/health/channel-facts.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { type PageAnswer, type PageAsked, type PageCore, type PageRoute, shown } from '../page-route.ts';
import type { GroupShown, ListingNames, ListingShown, PeopleOverview } from '../wire/people.ts';
import { commandRoute } from './command.ts';
import { peoplePageWords } from './words.ts';

export const peopleRoutes: readonly PageRoute[] = [
  commandRoute,
  { method: 'GET', path: 'people/overview', forOwners: true, answer: overview },
  { method: 'GET', path: 'listings', answer: listingNames },
  { method: 'GET', path: 'listings/:name', answer: listing },
];

async function overview({ language }: PageAsked, core: PageCore): Promise<PageAnswer> {
  const { owners, paired, waiting, refused } = await peopleFacts(core);
  const groups = await core.store.people.groups();
  const told: PeopleOverview = {
    channels: toldChannels(language, core),
    owners,
    paired: paired.map((person) => ({ ...person, isInConfig: core.rules.isNamed(person.principal) })),
    waiting,
    refused,
    groups: groups.map((group) => groupShown(group, core)),
  };
  return shown(told);
}

function groupShown(group: AskedGroup, { rules }: PageCore): GroupShown {
  const { requestId: id, channel, tenant, chatId, title = chatId, choice, isOpen, chosenByName, chosenAt } = group;
  const conversation: Conversation = { channel, tenant, chatId, kind: 'group' };
  const isInConfig = rules.isInConfig(conversation);
  return { id, channel, title: oneLine(title, 100), choice, isOpen, chosenBy: chosenByName, chosenAt, isInConfig };
}

async function listingNames({ isOwner }: PageAsked, { listings }: PageCore): Promise<PageAnswer> {
  const names = [...listings].filter(([, one]) => isOwner || one.forOwners !== true).map(([name]) => name);
  const told: ListingNames = { names };
  return shown(told);
}

/** The longest search, in characters. */
const longestSearch = 200;

async function listing(asked: PageAsked, { listings }: PageCore): Promise<PageAnswer> {
  const { visitor, isOwner, accounts, language, params, query } = asked;
  const found = listings.get(params.name ?? '');
  if (found === undefined || (found.forOwners === true && !isOwner))
    return { status: 404, refusal: (reader) => peoplePageWords[reader].noSuchList };
  const search = (query.get('search') ?? '').slice(0, longestSearch);
  const after = query.get('after')?.slice(0, 60);
  const told: ListingShown = await found.list({
    principal: visitor.principal,
    isOwner,
    accounts,
    language,
    search,
    after,
  });
  return shown(told);
}
