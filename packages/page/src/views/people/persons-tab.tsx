import { useSignal } from '@preact/signals';
import type { ActShown, PeopleOverview } from '../../../../../src/features/page/wire/people.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Time } from '../../components/time.tsx';
import { say } from '../../lib/language.ts';
import { type Acting, ActingPlace, Acts, begin, useActing } from './acting.tsx';
import { peopleWords } from './words.ts';

/** Who asks to be let in, who was let in and by whom, and who was refused. */
export function PersonsTab({ overview: { waiting, paired, refused } }: { readonly overview: PeopleOverview }) {
  const words = say(peopleWords);
  const acting = useActing();
  const letIn = (principal: string): ActShown => ({
    label: words.letThemIn,
    style: 'primary',
    line: `pair ${principal}`,
  });
  return (
    <div class="people-tab">
      <ActingPlace acting={acting} />
      <section>
        <h2>{words.asking}</h2>
        {waiting.length === 0 && <p class="people-hint">{words.askingEmpty}</p>}
        <ul class="people-rows" aria-label={words.asking}>
          {waiting.map(({ principal, name, until }) => (
            <Person
              key={principal}
              name={name}
              principal={principal}
              until={until}
              acts={[letIn(principal), { label: words.refuse, style: 'danger', line: `people refuse ${principal}` }]}
              acting={acting}
            />
          ))}
        </ul>
        <CodeForm acting={acting} />
      </section>
      <section>
        <h2>{words.letIn}</h2>
        {paired.length === 0 && <p class="people-hint">{words.letInEmpty}</p>}
        <ul class="people-rows" aria-label={words.letIn}>
          {paired.map(({ principal, name, by, at, isInConfig }) => (
            <Person
              key={principal}
              name={name}
              principal={principal}
              notes={[words.by({ by }), ...(isInConfig ? [words.inConfig] : [])]}
              since={at}
              acts={[
                {
                  label: words.remove,
                  style: 'danger',
                  line: `unpair ${principal}`,
                  question: words.askRemove({ name }),
                },
              ]}
              acting={acting}
            />
          ))}
        </ul>
      </section>
      {refused.length > 0 && (
        <section>
          <h2>{words.refusedPeople}</h2>
          <ul class="people-rows" aria-label={words.refusedPeople}>
            {refused.map(({ principal, name, until }) => (
              <Person
                key={principal}
                name={name}
                principal={principal}
                until={until}
                acts={[letIn(principal)]}
                acting={acting}
              />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

interface PersonProps {
  readonly name: string;
  readonly principal: string;
  readonly notes?: readonly string[];
  readonly since?: number;
  readonly until?: number;
  readonly acts: readonly ActShown[];
  readonly acting: Acting;
}

function Person({ name, principal, notes = [], since, until, acts, acting }: PersonProps) {
  const words = say(peopleWords);
  return (
    <li class="people-row">
      <div class="people-row-head">
        <h3>{name}</h3>
      </div>
      <ul class="people-notes">
        <li>
          <code>{principal}</code>
        </li>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
        {since !== undefined && (
          <li>
            {words.since} <Time at={since} />
          </li>
        )}
        {until !== undefined && (
          <li>
            {words.until} <Time at={until} />
          </li>
        )}
      </ul>
      <Acts acts={acts} title={name} acting={acting} />
    </li>
  );
}

function CodeForm({ acting }: { readonly acting: Acting }) {
  const words = say(peopleWords);
  const code = useSignal('');
  return (
    <form
      class="people-code"
      onSubmit={(event) => {
        event.preventDefault();
        if (code.value.trim() === '') return;
        begin({ label: words.letThemIn, style: 'primary', line: `pair ${code.value.trim()}` }, words.code, acting);
        code.value = '';
      }}
    >
      <TextField
        label={words.code}
        hint={words.codeHint}
        value={code.value}
        autoComplete="off"
        onInput={(text) => {
          code.value = text;
        }}
      />
      <Button type="submit" isDisabled={code.value.trim() === ''}>
        {words.letThemIn}
      </Button>
    </form>
  );
}
