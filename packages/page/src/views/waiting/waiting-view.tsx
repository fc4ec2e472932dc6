import type { WaitingRoom } from '../../../../../src/features/page/wire/waiting.ts';
import { Skeleton } from '../../components/empty.tsx';
import { Fault } from '../../components/notice.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { say } from '../../lib/language.ts';
import { goTo, segments } from '../../lib/place.ts';
import { useAsked } from '../../lib/query.ts';
import { viewWords } from '../words.ts';
import { DecidedTab } from './decided-tab.tsx';
import { GrantsTab } from './grants-tab.tsx';
import { Notifying } from './notifying.tsx';
import { OpenTab } from './open-tab.tsx';
import { UndeliveredTab } from './undelivered-tab.tsx';
import './waiting.css';
import { waitingWords } from './words.ts';

const tabs = ['open', 'decided', 'grants', 'undelivered'] as const;

/** What waits for this person, on all channels; what was decided; what they have allowed; and what was not delivered. */
export function WaitingView() {
  const words = say(waitingWords);
  const room = useAsked<WaitingRoom>('waiting', ['waiting']);
  const [, second] = segments.value;
  const chosen = tabs.find((name) => name === second) ?? 'open';
  const counts = {
    open: room.data && room.data.cards.length + room.data.matters.length,
    decided: undefined,
    grants: undefined,
    undelivered: room.data?.undelivered.length,
  };
  return (
    <div class="waiting">
      <header class="waiting-head">
        <h1>{say(viewWords).waiting}</h1>
        <Notifying />
      </header>
      <Tabs
        label={words.tabsLabel}
        tabs={tabs.map((name) => ({ name, label: words.tabs[name], count: counts[name] }))}
        chosen={chosen}
        onChoose={(name) => goTo(name === 'open' ? '/waiting' : `/waiting/${name}`, { replace: true })}
      >
        {room.error !== undefined && <Fault error={room.error} again={room.again} />}
        <Chosen name={chosen} room={room.data} again={room.again} />
      </Tabs>
    </div>
  );
}

interface ChosenProps {
  readonly name: (typeof tabs)[number];
  readonly room: WaitingRoom | undefined;
  readonly again: () => void;
}

function Chosen({ name, room, again }: ChosenProps) {
  switch (name) {
    case 'open':
      return room === undefined ? <Skeleton lines={4} /> : <OpenTab room={room} again={again} />;
    case 'decided':
      return <DecidedTab />;
    case 'grants':
      return <GrantsTab />;
    case 'undelivered':
      return room === undefined ? <Skeleton /> : <UndeliveredTab entries={room.undelivered} again={again} />;
  }
}
