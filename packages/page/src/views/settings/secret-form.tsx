import { useState } from 'preact/hooks';
import type { SecretWire } from '../../../../../src/features/page/wire/settings.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Notice } from '../../components/notice.tsx';
import { tell } from '../../lib/ask.ts';
import { say } from '../../lib/language.ts';
import { unlessRefused } from './saving.ts';
import { settingsWords } from './words.ts';

/** Takes a secret, which goes into `.env` and never comes back. */
export function SecretForm() {
  const words = say(settingsWords).secret;
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [kept, setKept] = useState<SecretWire>();
  const reference = referenceTo(name === '' ? 'NAME' : name);
  const keep = (replaces: boolean) =>
    void unlessRefused(async () => {
      const answer = await tell<SecretWire>('settings/secret', { name, value, replaces });
      setKept(answer);
      if (answer.type === 'kept') setValue('');
    });
  return (
    <details class="settings-card">
      <summary>{words.title}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          keep(false);
        }}
      >
        <p class="settings-faint">{words.hint({ reference })}</p>
        <TextField label={words.name} value={name} onInput={setName} autoComplete="off" />
        <TextField label={words.value} value={value} onInput={setValue} type="password" autoComplete="new-password" />
        <div class="settings-actions">
          <Button type="submit" style="primary" isDisabled={name === '' || value === ''}>
            {words.keep}
          </Button>
        </div>
        <div role="status">{kept !== undefined && <Kept kept={kept} onReplace={() => keep(true)} />}</div>
      </form>
    </details>
  );
}

function Kept({ kept, onReplace }: { readonly kept: SecretWire; readonly onReplace: () => void }) {
  const words = say(settingsWords).secret;
  switch (kept.type) {
    case 'kept':
      return <Notice kind="good">{words.kept({ name: kept.name, reference: referenceTo(kept.name) })}</Notice>;
    case 'taken':
      return (
        <Notice kind="warning" actions={<Button onPress={onReplace}>{words.replace}</Button>}>
          {words.taken(kept)}
        </Notice>
      );
    case 'refused':
      return <Notice kind="danger">{kept.why}</Notice>;
  }
}

/** As the config names a variable. */
function referenceTo(name: string): string {
  return `\${${name}}`;
}
