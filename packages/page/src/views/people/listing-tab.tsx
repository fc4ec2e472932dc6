import { useEffect, useState } from 'preact/hooks';
import type { ListingShown, RowShown } from '../../../../../src/features/page/wire/people.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Empty, Skeleton } from '../../components/empty.tsx';
import { TextField } from '../../components/field.tsx';
import { Fault } from '../../components/notice.tsx';
import { Time } from '../../components/time.tsx';
import { say } from '../../lib/language.ts';
import { useAsked } from '../../lib/query.ts';
import { type Acting, ActingPlace, Acts, useActing } from './acting.tsx';
import { peopleWords } from './words.ts';

/** The lists that are all shown alike. */
export type ListingName = 'devices' | 'links' | 'schedules' | 'memories' | 'pins' | 'trust';

/** Words are looked for once nobody has typed for so long, in ms. */
const typingPause = 250;

/** A list with its commands. */
export function ListingTab({ name }: { readonly name: ListingName }) {
  const words = say(peopleWords);
  const acting = useActing();
  const [typed, type] = useState('');
  const search = useSettled(typed);
  const [more, setMore] = useState<readonly string[]>([]);
  useEffect(() => setMore([]), [search]);
  return (
    <div class="people-tab">
      <p class="people-hint">{words.hints[name]}</p>
      {searchable.includes(name) && <TextField label={words.search} type="search" value={typed} onInput={type} />}
      <ActingPlace acting={acting} />
      {['', ...more].map((after, place) => (
        <Part
          key={after}
          name={name}
          search={search}
          after={after}
          acting={acting}
          onMore={place === more.length ? (next) => setMore([...more, next]) : undefined}
        />
      ))}
    </div>
  );
}

const searchable: readonly ListingName[] = ['schedules', 'memories', 'devices'];

function useSettled(typed: string): string {
  const [settled, settle] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => settle(typed), typingPause);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}

interface PartProps {
  readonly name: ListingName;
  readonly search: string;
  /** Empty: the beginning. */
  readonly after: string;
  readonly acting: Acting;
  /** Undefined where more is shown already. */
  readonly onMore: ((next: string) => void) | undefined;
}

function Part({ name, search, after, acting, onMore }: PartProps) {
  const words = say(peopleWords);
  const asked = new URLSearchParams({ ...(search === '' ? {} : { search }), ...(after === '' ? {} : { after }) });
  const { data, error, again } = useAsked<ListingShown>(`listings/${name}?${asked}`, topicsOf[name]);
  if (error !== undefined) return <Fault error={error} again={again} />;
  if (data === undefined) return <Skeleton lines={6} />;
  const { rows, next } = data;
  if (rows.length === 0 && after === '')
    return <Empty icon="people" title={search === '' ? words.empty[name] : words.nothingFound} />;
  return (
    <>
      <ul class="people-rows" aria-label={words.tabs[name]}>
        {rows.map((row) => (
          <Row key={row.id} row={row} acting={acting} />
        ))}
      </ul>
      {next !== undefined && onMore !== undefined && <Button onPress={() => onMore(next)}>{words.more}</Button>}
    </>
  );
}

const topicsOf: Readonly<Record<ListingName, readonly string[]>> = {
  devices: ['people'],
  links: ['people'],
  schedules: ['runs'],
  memories: ['runs'],
  pins: ['runs'],
  trust: ['people'],
};

function Row({ row, acting }: { readonly row: RowShown; readonly acting: Acting }) {
  const { title, text, notes, instants, isCurrent, acts } = row;
  return (
    <li class="people-row">
      <div class="people-row-head">
        <h2>{title}</h2>
        {isCurrent === true && <Badge kind="accent">{say(peopleWords).isCurrent}</Badge>}
      </div>
      {text !== undefined && <p class="people-text">{text}</p>}
      <ul class="people-notes">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
        {instants.map(({ label, at }) => (
          <li key={label}>
            {label} <Time at={at} />
          </li>
        ))}
      </ul>
      <Acts acts={acts} title={title} acting={acting} />
    </li>
  );
}
