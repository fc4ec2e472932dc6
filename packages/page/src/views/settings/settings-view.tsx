import './settings.css';
import { useEffect } from 'preact/hooks';
import type { SettingsWire } from '../../../../../src/features/page/wire/settings.ts';
import { Skeleton } from '../../components/empty.tsx';
import { Fault, Notice } from '../../components/notice.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { say } from '../../lib/language.ts';
import { goTo, segments } from '../../lib/place.ts';
import { useAsked } from '../../lib/query.ts';
import { viewWords } from '../words.ts';
import { Review } from './review.tsx';
import { proposing, writes } from './saving.ts';
import { SetupTab } from './setup/setup-tab.tsx';
import { StateTab } from './state-tab.tsx';
import { TextTab } from './text-tab.tsx';
import { VersionsTab } from './versions-tab.tsx';
import { settingsWords } from './words.ts';

const names = ['setup', 'text', 'versions', 'state'] as const;
type TabName = (typeof names)[number];

/** The set-up, the config as text, its former versions, and how this Keyturn is. */
export function SettingsView() {
  const { data, error, again } = useAsked<SettingsWire>('settings', ['settings']);
  const [, second] = segments.value;
  const chosen = names.find((name) => name === second) ?? 'setup';
  const words = say(settingsWords);
  const written = writes.value;
  // What somebody has typed stays while they look at what it would change.
  const isReviewing = proposing.value !== undefined;
  useEffect(() => {
    if (written > 0) again();
  }, [written, again]);
  return (
    <div class="settings">
      <h1>{say(viewWords).settings}</h1>
      {error !== undefined && <Fault error={error} again={again} />}
      {data?.fault != null && (
        <Notice kind="danger" title={words.notInForce}>
          <p class="settings-said">{data.fault}</p>
        </Notice>
      )}
      <div hidden={isReviewing}>
        <Tabs
          label={words.parts}
          tabs={names.map((name) => ({ name, label: words.tabs[name] }))}
          chosen={chosen}
          onChoose={(name) => goTo(`/settings/${name}`)}
        >
          {data === undefined ? <Skeleton /> : <Shown tab={chosen} state={data} onChange={again} />}
        </Tabs>
      </div>
      {data?.file != null && <Review file={data.file} />}
    </div>
  );
}

interface ShownProps {
  readonly tab: TabName;
  readonly state: SettingsWire;
  readonly onChange: () => void;
}

function Shown({ tab, state, onChange }: ShownProps) {
  const words = say(settingsWords);
  if (tab === 'state') return <StateTab state={state} onChange={onChange} />;
  if (state.file === null) return <Notice>{words.noFile}</Notice>;
  switch (tab) {
    case 'setup':
      return <SetupTab state={state} />;
    case 'text':
      return <TextTab file={state.file} />;
    case 'versions':
      return <VersionsTab />;
  }
}
