import { useState } from 'preact/hooks';
import type { DoctorCheckWire, DoctorWire } from '../../../../../src/features/page/wire/settings.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { tell } from '../../lib/ask.ts';
import { say } from '../../lib/language.ts';
import { unlessRefused } from './saving.ts';
import { stateWords } from './state-words.ts';

/** What `keyturn doctor` finds. */
export function Examination() {
  const words = say(stateWords);
  const [found, setFound] = useState<DoctorWire>();
  const [isBusy, setBusy] = useState(false);
  const examine = async () => {
    setBusy(true);
    await unlessRefused(async () => setFound(await tell<DoctorWire>('settings/doctor')));
    setBusy(false);
  };
  return (
    <section class="settings-card" aria-label={words.doctor}>
      <h2>{words.doctor}</h2>
      <p class="settings-faint">{words.doctorHint}</p>
      <div class="settings-actions">
        <Button isBusy={isBusy} onPress={() => void examine()}>
          {words.examine}
        </Button>
      </div>
      <div role="status">{found !== undefined && <Found found={found} />}</div>
    </section>
  );
}

function Found({ found }: { readonly found: DoctorWire }) {
  const words = say(stateWords);
  const { parts, faults, checks } = found;
  const isWell = faults.length === 0 && checks.every(({ ok }) => ok);
  const sorted = [...checks.filter(({ ok }) => !ok), ...checks.filter(({ ok }) => ok)];
  return (
    <>
      {isWell && <Notice kind="good">{words.allWell}</Notice>}
      {faults.map((fault) => (
        <Notice key={fault} kind="danger">
          {fault}
        </Notice>
      ))}
      <ul class="settings-check">
        {sorted.map((check) => (
          <Check key={check.name} check={check} />
        ))}
      </ul>
      <details>
        <summary>{words.parts}</summary>
        <dl class="settings-facts">
          {parts.flatMap(({ name, version, age }) => [
            <dt key={`${name} name`}>{name}</dt>,
            <dd key={name}>
              {version ?? words.missing} {age}
            </dd>,
          ])}
        </dl>
      </details>
    </>
  );
}

function Check({ check: { name, ok, state, problems } }: { readonly check: DoctorCheckWire }) {
  const words = say(stateWords);
  if (ok)
    return (
      <li>
        <code>{name}</code> <Badge kind="good">{words.ok}</Badge> {state}
      </li>
    );
  return (
    <>
      {problems.map(({ fault, what, why, mend }) => (
        <li key={what}>
          <code>{name}</code> <Badge kind={fault ? 'danger' : 'warning'}>{fault ? words.fault : words.doubt}</Badge>{' '}
          {what}
          <dl class="settings-facts">
            <dt>{words.why}</dt>
            <dd>{why}</dd>
            <dt>{words.mend}</dt>
            <dd>{mend}</dd>
          </dl>
        </li>
      ))}
    </>
  );
}
