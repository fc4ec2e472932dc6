import type { TimelineTurn } from '../../../../../../src/features/page/wire/activity.ts';
import { Markdown } from '../../../components/markdown/markdown.tsx';
import { Time } from '../../../components/time.tsx';
import { say } from '../../../lib/language.ts';
import { count } from '../../../lib/numbers.ts';
import { duration } from '../../../lib/time.ts';
import { money } from '../formats.ts';
import { activityWords } from '../words.ts';
import { CallStep } from './call-step.tsx';
import { timelineWords } from './words.ts';

interface TurnProps {
  readonly turn: TimelineTurn;
  readonly runId: string;
  readonly currency: string;
}

/** What the model said at once, and the calls that it made. */
export function TurnStep({ turn, runId, currency }: TurnProps) {
  const words = say(timelineWords);
  const { id, at, kind, model, took, inputTokens, cachedTokens, outputTokens, cost, text, calls } = turn;
  const cached = cachedTokens === 0 ? undefined : count(cachedTokens);
  return (
    <li class={`timeline-step timeline-${kind}`} id={`turn-${id}`} tabIndex={-1}>
      <p class="timeline-title">
        <strong>{kind === 'closing' ? words.closing : words.turn({ model: model ?? '?' })}</strong>
        <Time at={at} />
        {took !== undefined && <span>{words.took({ time: duration(took) })}</span>}
        {kind === 'turn' && (
          <span>{words.tokens({ input: count(inputTokens), cached, output: count(outputTokens) })}</span>
        )}
        {cost > 0 && <span>{money(cost, currency)}</span>}
      </p>
      {kind === 'closing' && <p>{say(activityWords).closed(closedBecause(turn.reason))}</p>}
      {kind === 'turn' && (turn.reason === 'cut' || turn.reason === 'withheld') && (
        <p class="timeline-faint">{words.notWhole[turn.reason]}</p>
      )}
      {text.trim() !== '' && <Markdown text={text} />}
      {calls.map((call) => (
        <CallStep key={call.id} call={call} runId={runId} currency={currency} />
      ))}
    </li>
  );
}

const reasons = ['stopped', 'failed', 'expired', 'limit', 'stuck', 'budget', 'completed'] as const;

function closedBecause(reason: string | undefined) {
  return reasons.find((known) => known === reason) ?? 'unknown';
}
