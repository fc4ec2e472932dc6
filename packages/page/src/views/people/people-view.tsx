import type { PeopleOverview } from '../../../../../src/features/page/wire/people.ts';
import './people.css';
import { Skeleton } from '../../components/empty.tsx';
import { Fault } from '../../components/notice.tsx';
import { type Tab, Tabs } from '../../components/tabs.tsx';
import { say } from '../../lib/language.ts';
import { goTo, segments } from '../../lib/place.ts';
import { type Asked, useAsked } from '../../lib/query.ts';
import { me } from '../../lib/session.ts';
import { useSubtitle } from '../../lib/title.ts';
import { viewWords } from '../words.ts';
import { ChannelsTab } from './channels-tab.tsx';
import { GroupsTab } from './groups-tab.tsx';
import { type ListingName, ListingTab } from './listing-tab.tsx';
import { PersonsTab } from './persons-tab.tsx';
import { peopleWords } from './words.ts';

type TabName = 'channels' | 'people' | 'groups' | ListingName;

const ofOwners: readonly TabName[] = ['channels', 'people', 'groups'];
const ofAll: readonly ListingName[] = ['schedules', 'memories', 'pins', 'devices', 'links'];

/** Who may talk over which channels, and what is the person's own. */
export function PeopleView() {
  const words = say(peopleWords);
  const isOwner = me.value?.isOwner === true;
  const names: readonly TabName[] = isOwner ? [...ofOwners, ...ofAll, 'trust'] : ofAll;
  const [, wanted] = segments.value;
  const chosen = names.find((name) => name === wanted) ?? names[0] ?? 'schedules';
  useSubtitle(words.tabs[chosen]);
  const overview = useAsked<PeopleOverview>(isOwner ? 'people/overview' : undefined, ['people', 'channels']);
  const waiting = overview.data?.waiting.length;
  const tabs = names.map(
    (name): Tab<TabName> => ({
      name,
      label: words.tabs[name],
      count: name === 'people' ? waiting : undefined,
    }),
  );
  return (
    <div class="people">
      <h1>{say(viewWords).people}</h1>
      <Tabs label={words.tabsLabel} tabs={tabs} chosen={chosen} onChoose={(name) => goTo(`/people/${name}`)}>
        {isListing(chosen) ? <ListingTab key={chosen} name={chosen} /> : <Overview tab={chosen} asked={overview} />}
      </Tabs>
    </div>
  );
}

function isListing(name: TabName): name is ListingName {
  return !ofOwners.includes(name);
}

interface OverviewProps {
  readonly tab: TabName;
  readonly asked: Asked<PeopleOverview>;
}

function Overview({ tab, asked: { data, error, again } }: OverviewProps) {
  if (data === undefined) return error === undefined ? <Skeleton lines={6} /> : <Fault error={error} again={again} />;
  if (tab === 'channels') return <ChannelsTab overview={data} />;
  return tab === 'people' ? <PersonsTab overview={data} /> : <GroupsTab overview={data} />;
}
