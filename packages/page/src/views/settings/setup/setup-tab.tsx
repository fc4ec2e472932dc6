import { useEffect } from 'preact/hooks';
import type { PlatformsWire, SettingsWire } from '../../../../../../src/features/page/wire/settings.ts';
import { Skeleton } from '../../../components/empty.tsx';
import { Fault } from '../../../components/notice.tsx';
import { useAsked } from '../../../lib/query.ts';
import { writes } from '../saving.ts';
import { FormCard } from './form-card.tsx';
import { forms } from './forms.ts';
import { ModelCard } from './model-card.tsx';
import { PlatformCard } from './platform-card.tsx';

/** The set-up of the command line, as forms. */
export function SetupTab({ state }: { readonly state: SettingsWire }) {
  const { data, error, again } = useAsked<PlatformsWire>('settings/platforms', ['settings']);
  const written = writes.value;
  useEffect(() => {
    if (written > 0) again();
  }, [written, again]);
  return (
    <div class="settings-cards">
      <ModelCard state={state} />
      {error !== undefined && <Fault error={error} again={again} />}
      {data === undefined && error === undefined && <Skeleton />}
      {data?.platforms.map((platform) => (
        <PlatformCard key={platform.name} platform={platform} />
      ))}
      {forms.map((form) => (
        <FormCard key={`${form.name} ${written}`} form={form} state={state} />
      ))}
    </div>
  );
}
