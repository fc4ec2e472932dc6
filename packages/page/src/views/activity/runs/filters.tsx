import './filters.css';
import { useSignal } from '@preact/signals';
import type { ActivityChoices } from '../../../../../../src/features/page/wire/activity.ts';
import { Button } from '../../../components/button.tsx';
import { Select, TextField } from '../../../components/field.tsx';
import { channelTitle } from '../../../lib/channels.ts';
import { say } from '../../../lib/language.ts';
import { activityWords } from '../words.ts';
import { type FilterName, filterBy, filterByNothing, runFilter } from './run-filter.ts';

const outcomes = ['answered', 'open', 'closed', 'asked', 'denied', 'failed', 'refused', 'expired', 'stopped'] as const;

/** What is shown of the runs. It stands in the address, so that it can be linked to. */
export function Filters({ choices }: { readonly choices: ActivityChoices | undefined }) {
  const words = say(activityWords);
  const filter = runFilter.value;
  const filtered = Object.keys(filter).length;
  const people = (choices?.people ?? []).map(({ principal, name }) => ({ value: principal, label: name }));
  return (
    <details class="filters" open={filtered > 0 ? true : undefined}>
      <summary>{filtered === 0 ? words.filter : words.filterCount({ count: filtered })}</summary>
      <div class="filters-fields">
        <WordsField />
        {people.length > 1 && <Chooser name="person" options={people} />}
        <Chooser name="channel" options={(choices?.channels ?? []).map(asChannel)} />
        <Chooser name="tool" options={(choices?.tools ?? []).map(asOption)} />
        <Chooser name="outcome" options={outcomes.map((value) => ({ value, label: words.outcomes[value] }))} />
        <TextField label={words.from} type="date" value={filter.from ?? ''} onInput={(from) => filterBy({ from })} />
        <TextField label={words.to} type="date" value={filter.to ?? ''} onInput={(to) => filterBy({ to })} />
        {filtered > 0 && (
          <div class="filters-none">
            <Button style="quiet" icon="close" onPress={filterByNothing}>
              {words.noFilter}
            </Button>
          </div>
        )}
      </div>
    </details>
  );
}

function asChannel(value: string) {
  return { value, label: channelTitle(value) };
}

function asOption(value: string) {
  return { value, label: value };
}

interface ChooserProps {
  readonly name: Extract<FilterName, 'person' | 'channel' | 'tool' | 'outcome'>;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** One of those that are known, the one that the address names, or any. */
function Chooser({ name, options }: ChooserProps) {
  const words = say(activityWords);
  const chosen = runFilter.value[name] ?? '';
  const isListed = chosen === '' || options.some(({ value }) => value === chosen);
  return (
    <Select
      label={words[name]}
      value={chosen}
      options={[{ value: '', label: words.any }, ...options, ...(isListed ? [] : [asOption(chosen)])]}
      onChoose={(value) => filterBy({ [name]: value })}
    />
  );
}

/** Looked for when they are complete: at Enter, or when the field is left. */
function WordsField() {
  const typed = useSignal<string | undefined>(undefined);
  const shown = typed.value ?? runFilter.value.q ?? '';
  const submit = () => {
    if (typed.value !== undefined) filterBy({ q: typed.value.trim() });
    typed.value = undefined;
  };
  return (
    <search>
      <form
        onFocusOut={submit}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label={say(activityWords).words}
          type="search"
          value={shown}
          onInput={(text) => {
            typed.value = text;
          }}
        />
      </form>
    </search>
  );
}
