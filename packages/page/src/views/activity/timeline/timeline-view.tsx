import './timeline.css';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Timeline, TimelineMessage } from '../../../../../../src/features/page/wire/activity.ts';
import { Button } from '../../../components/button.tsx';
import { copyText } from '../../../components/copy.tsx';
import { Empty, Skeleton } from '../../../components/empty.tsx';
import { Icon } from '../../../components/icon.tsx';
import { Fault, Notice } from '../../../components/notice.tsx';
import { Time } from '../../../components/time.tsx';
import { placeName } from '../../../lib/channels.ts';
import { say } from '../../../lib/language.ts';
import { followLink, mark } from '../../../lib/place.ts';
import { useAsked } from '../../../lib/query.ts';
import { absolute, duration } from '../../../lib/time.ts';
import { useSubtitle } from '../../../lib/title.ts';
import { EndBadge, sumsOf } from '../runs/run-row.tsx';
import { activityWords } from '../words.ts';
import { Deliveries } from './deliveries.tsx';
import { TurnStep } from './turn-step.tsx';
import { timelineWords } from './words.ts';

/** One run: `/activity/RUN`, and each call of it at `/activity/RUN#CALL`. */
export function TimelineView({ id }: { readonly id: string }) {
  const words = say(timelineWords);
  // The address may name a call or an approval, too: hints name the run.
  const followed = useSignal<readonly string[]>([`run:${id}`]);
  const { data, error, again } = useAsked<Timeline>(`runs/${encodeURIComponent(id)}`, followed.value);
  useSubtitle(data?.run.text || undefined);
  const runId = data?.run.id;
  useEffect(() => {
    if (runId !== undefined) followed.value = [`run:${runId}`];
  }, [runId, followed]);
  return (
    <div class="timeline">
      <a class="timeline-back" href="/activity" onClick={followLink}>
        <Icon name="back" />
        {words.back}
      </a>
      {error?.status === 404 && <NoRun />}
      {error !== undefined && error.status !== 404 && <Fault error={error} again={again} />}
      {data === undefined && error === undefined && <Skeleton lines={8} />}
      {data !== undefined && <Shown timeline={data} id={id} />}
    </div>
  );
}

function NoRun() {
  const words = say(timelineWords);
  return (
    <>
      <h1 class="unseen">{words.noRun}</h1>
      <Empty icon="search" title={words.noRun}>
        {words.noRunHelp}
      </Empty>
    </>
  );
}

function Shown({ timeline, id }: { readonly timeline: Timeline; readonly id: string }) {
  const words = say(timelineWords);
  const { run, parent, messages, turns, deliveries, isCut, currency } = timeline;
  const place = useRef<HTMLDivElement>(null);
  const reached = useSignal('');
  const wanted = mark.value === '' ? namedIn(timeline, id) : mark.value;
  useEffect(() => {
    if (wanted === '' || reached.peek() === wanted) return;
    if (reveal(place.current, wanted)) reached.value = wanted;
  }, [wanted, timeline, reached]);
  return (
    <div ref={place} class="timeline-run">
      <header class="timeline-head">
        <h1>{run.text === '' ? say(activityWords).noText : run.text}</h1>
        <p class="timeline-facts">
          <EndBadge end={run.end} />
          <span>{run.person.name}</span>
          <span>{placeName(run.place)}</span>
          <span>{words.began({ at: absolute(run.beganAt) })}</span>
          <span>{words[run.end.end === 'open' ? 'soFar' : 'took']({ time: duration(run.lastAt - run.beganAt) })}</span>
          <span>{sumsOf(run, currency)}</span>
          <code>{run.id}</code>
        </p>
        <div class="timeline-actions">
          <Button onPress={() => foldAll(place.current, true)}>{words.unfold}</Button>
          <Button onPress={() => foldAll(place.current, false)}>{words.fold}</Button>
          <Button icon="copy" onPress={() => void copyText(JSON.stringify(timeline, undefined, 2))}>
            {words.copy}
          </Button>
        </div>
      </header>
      {parent !== undefined && (
        <Notice>
          {words.parent}{' '}
          <a href={`/activity/${parent.runId}#${parent.callId}`} onClick={followLink}>
            {words.toParent}
          </a>
        </Notice>
      )}
      <h2 class="unseen">{words.steps}</h2>
      <ol class="timeline-steps">
        {messages.length === 0 && <li class="timeline-step timeline-faint">{words.noMessages}</li>}
        {messages.map((message) => (
          <MessageStep key={`message-${message.seq}`} message={message} />
        ))}
        {turns.map((turn) => (
          <TurnStep key={turn.id} turn={turn} runId={run.id} currency={currency} />
        ))}
      </ol>
      {isCut && <Notice>{words.isCut}</Notice>}
      <Deliveries deliveries={deliveries} />
    </div>
  );
}

function MessageStep({ message }: { readonly message: TimelineMessage }) {
  const words = say(timelineWords);
  const { seq, kind, at, person, text } = message;
  return (
    <li class="timeline-step" id={`message-${seq}`} tabIndex={-1}>
      <p class="timeline-title">
        <strong>{kind === 'event' ? words.event : words.message({ name: person.name })}</strong>
        <Time at={at} />
      </p>
      <p class="timeline-text">{text}</p>
    </li>
  );
}

function foldAll(place: HTMLElement | null, isOpen: boolean): void {
  for (const one of place?.querySelectorAll('details') ?? []) one.open = isOpen;
}

/** The call that the address means, if it does not name the run itself. */
function namedIn({ run, turns }: Timeline, id: string): string {
  if (id === run.id) return '';
  const named = turns.flatMap(({ calls }) => calls).find((call) => call.id === id || call.decision?.id === id);
  return named?.id ?? '';
}

/** Unfolds what the address names, and goes there. */
function reveal(place: HTMLElement | null, id: string): boolean {
  const found = place?.querySelector(`#${CSS.escape(id)}`);
  if (!(found instanceof HTMLElement)) return false;
  if (found instanceof HTMLDetailsElement) found.open = true;
  for (const marked of place?.querySelectorAll('.timeline-marked') ?? []) marked.classList.remove('timeline-marked');
  found.classList.add('timeline-marked');
  found.scrollIntoView({ block: 'center' });
  const target = found instanceof HTMLDetailsElement ? found.querySelector('summary') : found;
  target?.focus({ preventScroll: true });
  return true;
}
