import { useEffect, useState } from 'preact/hooks';
import type { DecidedEntry, DecidedList, DecidedOutcome } from '../../../../../src/features/page/wire/waiting.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Empty, Skeleton } from '../../components/empty.tsx';
import { Select, TextField } from '../../components/field.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { Fault } from '../../components/notice.tsx';
import { Time } from '../../components/time.tsx';
import { AskError, ask } from '../../lib/ask.ts';
import { placeName } from '../../lib/channels.ts';
import { say } from '../../lib/language.ts';
import { followLink } from '../../lib/place.ts';
import { useAsked } from '../../lib/query.ts';
import { duration } from '../../lib/time.ts';
import { toast } from '../../lib/toasts.ts';
import { waitingWords } from './words.ts';

const states = ['all', 'approved', 'denied', 'answered', 'expired', 'cancelled'] as const;

/** How long nothing is typed before it is searched for, in ms. */
const typingPause = 250;

/** What was decided: by whom, why it was asked, and what came of it. */
export function DecidedTab() {
  const words = say(waitingWords);
  const [typed, type] = useState('');
  const [text, search] = useState('');
  const [state, choose] = useState<(typeof states)[number]>('all');
  useEffect(() => {
    const timer = setTimeout(() => search(typed.trim()), typingPause);
    return () => clearTimeout(timer);
  }, [typed]);
  const query = new URLSearchParams({ text, state: state === 'all' ? '' : state });
  return (
    <>
      <div class="waiting-filters">
        <TextField type="search" label={words.decidedSearch} value={typed} onInput={type} />
        <Select
          label={words.decidedState}
          value={state}
          onChoose={choose}
          options={states.map((value) => ({ value, label: words.states[value] }))}
        />
      </div>
      <Found key={query.toString()} query={query.toString()} isSearch={text !== '' || state !== 'all'} />
    </>
  );
}

function Found({ query, isSearch }: { readonly query: string; readonly isSearch: boolean }) {
  const words = say(waitingWords);
  const { data, error, again } = useAsked<DecidedList>(`decided?${query}`, ['waiting']);
  const [earlier, add] = useState<readonly DecidedList[]>([]);
  if (error !== undefined) return <Fault error={error} again={again} />;
  if (data === undefined) return <Skeleton lines={5} />;
  // New ones at the top push the last of the first page down: each is shown once.
  const all = new Map([data, ...earlier].flatMap(({ entries }) => entries.map((entry) => [entry.id, entry])));
  const next = earlier.length === 0 ? data.next : earlier.at(-1)?.next;
  const more = (): void => {
    ask<DecidedList>(`decided?${query}&before=${next ?? ''}`).then(
      (list) => add([...earlier, list]),
      (fault) => toast(fault instanceof AskError && fault.status > 0 ? fault.message : words.unreachable, 'fault'),
    );
  };
  return (
    <>
      {all.size === 0 && next === undefined && (
        <Empty icon="search" title={isSearch ? words.nothingFound : words.nothingDecided} />
      )}
      <ol class="waiting-decided">
        {[...all.values()].map((entry) => (
          <Decided key={entry.id} entry={entry} />
        ))}
      </ol>
      {next !== undefined && <Button onPress={more}>{words.more}</Button>}
    </>
  );
}

const badges = {
  approved: 'good',
  denied: 'danger',
  answered: 'accent',
  expired: 'warning',
  cancelled: 'plain',
} as const;

function Decided({ entry }: { readonly entry: DecidedEntry }) {
  const words = say(waitingWords);
  const { state, by, at, tool, description, requester, conversation, reason, cause, outcomes, runId } = entry;
  return (
    <li class="waiting-decision" data-decided={entry.id}>
      <div class="waiting-decision-head">
        <Badge kind={badges[state]}>{words.states[state]}</Badge>
        <span>{by === undefined ? '' : by.isReader ? words.you : by.name}</span>
        <Time at={at} />
        {tool !== '' && <code>{tool}</code>}
      </div>
      <div class="waiting-decision-what">
        <Markdown text={description} />
      </div>
      <p class="waiting-decision-facts">
        <span>{words.forPerson({ name: requester.isReader ? words.you : requester.name })}</span>
        <span>{placeName(conversation)}</span>
        {cause !== undefined && <span>{words.said({ text: cause })}</span>}
        {outcomes.length > 0 && (
          <span>
            {words.became} {outcomes.map(outcomeWords).join('; ')}
          </span>
        )}
        {runId !== undefined && (
          <a href={`/activity/${encodeURIComponent(runId)}`} onClick={followLink}>
            {words.run}
          </a>
        )}
      </p>
      {reason !== undefined && (
        <div class="waiting-decision-reason">
          <span>{words.because}</span> <Markdown text={reason} />
        </div>
      )}
    </li>
  );
}

function outcomeWords(
  { tool, outcome, duration: took }: DecidedOutcome,
  _index: number,
  all: readonly object[],
): string {
  const words = say(waitingWords);
  const named = Object.entries(words.outcomes).find(([name]) => name === outcome)?.[1] ?? outcome ?? words.goesOn;
  const said = took === undefined ? named : `${named}, ${duration(took)}`;
  return all.length === 1 ? said : `${tool}: ${said}`;
}
