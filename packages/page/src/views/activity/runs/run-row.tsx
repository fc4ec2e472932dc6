import './run-row.css';
import type { RunEnd, RunInList } from '../../../../../../src/features/page/wire/activity.ts';
import { Badge } from '../../../components/badge.tsx';
import { Time } from '../../../components/time.tsx';
import { placeName } from '../../../lib/channels.ts';
import { say } from '../../../lib/language.ts';
import { followLink } from '../../../lib/place.ts';
import { money, shortCount } from '../formats.ts';
import { activityWords } from '../words.ts';

/** A run in two lines: what began it, and what it took. */
export function RunRow({ run, currency }: { readonly run: RunInList; readonly currency: string }) {
  const words = say(activityWords);
  const { id, text, person, place, lastAt, models, isSubRun } = run;
  return (
    <a class="run-row" href={`/activity/${id}`} tabIndex={-1} onClick={followLink}>
      <span class="run-row-line">
        <span class="run-row-text">{text === '' ? words.noText : text}</span>
        {isSubRun && <Badge>{words.subRun}</Badge>}
        {run.troubles > 0 && (
          <Badge kind="warning">
            <span aria-hidden="true">! {run.troubles}</span>
            <span class="unseen">{words.troubles(run.troubles)}</span>
          </Badge>
        )}
        <EndBadge end={run.end} />
      </span>
      <span class="run-row-line run-row-facts">
        <span>{person.name}</span>
        <span>{placeName(place)}</span>
        <Time at={lastAt} />
        <span>{models.join(', ')}</span>
        <span>{sumsOf(run, currency)}</span>
      </span>
    </a>
  );
}

/** What a run took, in one line. */
export function sumsOf({ turns, calls, tokens, cost }: RunInList, currency: string): string {
  return say(activityWords).sums({
    turns,
    calls,
    tokens: shortCount(tokens),
    cost: cost === 0 ? undefined : money(cost, currency),
  });
}

export function EndBadge({ end }: { readonly end: RunEnd }) {
  const words = say(activityWords);
  switch (end.end) {
    case 'answered':
      return <Badge kind="good">{words.ends.answered}</Badge>;
    case 'open':
      return <Badge kind="accent">{words.ends.open}</Badge>;
    case 'closed':
      return <Badge kind={end.reason === 'stopped' ? 'plain' : 'danger'}>{words.closed(end.reason)}</Badge>;
  }
}
