import { useState } from 'preact/hooks';
import type { SettingsWire } from '../../../../../../src/features/page/wire/settings.ts';
import { Button } from '../../../components/button.tsx';
import { type Option, Select, TextField } from '../../../components/field.tsx';
import { say } from '../../../lib/language.ts';
import { proposeEdits } from '../saving.ts';
import { editsOf, type Form, type FormField, isWrong, type Written, writtenIn } from './forms.ts';
import { setupWords } from './words.ts';

interface FormCardProps {
  readonly form: Form;
  readonly state: SettingsWire;
}

/** Some keys of the config that belong together. */
export function FormCard({ form, state }: FormCardProps) {
  const words = say(setupWords);
  const [written, setWritten] = useState<Written>({});
  const edits = editsOf(form, written, state.inForce);
  const hasFaults = form.fields.some((field) => isWrong(field, written[field.name] ?? writtenIn(state.inForce, field)));
  return (
    <section class="settings-card" aria-label={words.groups[form.name]}>
      <h2>{words.groups[form.name]}</h2>
      <p class="settings-faint">{words.hints[form.name]}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void proposeEdits(edits);
        }}
      >
        {form.fields.map((field) => (
          <FieldOf
            key={field.name}
            field={field}
            text={written[field.name] ?? writtenIn(state.inForce, field)}
            onInput={(text) => setWritten({ ...written, [field.name]: text })}
          />
        ))}
        <div class="settings-actions">
          <Button type="submit" isDisabled={edits.length === 0 || hasFaults}>
            {words.look}
          </Button>
        </div>
      </form>
    </section>
  );
}

interface FieldOfProps {
  readonly field: FormField;
  readonly text: string;
  readonly onInput: (text: string) => void;
}

function FieldOf({ field, text, onInput }: FieldOfProps) {
  const words = say(setupWords);
  const label = words.fields[field.name];
  const error = isWrong(field, text) ? words.noNumber : undefined;
  switch (field.kind) {
    case 'choice': {
      const unset: readonly Option<string>[] = field.mayBeUnset ? [{ value: '', label: words.unset }] : [];
      const choices = field.choices.map((value) => ({ value, label: words.choices[value] }));
      return <Select label={label} options={[...unset, ...choices]} value={text} onChoose={onInput} />;
    }
    case 'list':
      return <TextField label={label} hint={words.oneALine} value={text} onInput={onInput} rows={3} />;
    case 'number':
    case 'text':
      return <TextField label={label} value={text} onInput={onInput} error={error} autoComplete="off" />;
  }
}
