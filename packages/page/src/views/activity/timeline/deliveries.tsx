import type { TimelineDelivery } from '../../../../../../src/features/page/wire/activity.ts';
import { Badge } from '../../../components/badge.tsx';
import { Markdown } from '../../../components/markdown/markdown.tsx';
import { Time } from '../../../components/time.tsx';
import { placeName } from '../../../lib/channels.ts';
import { say } from '../../../lib/language.ts';
import { timelineWords } from './words.ts';

const kinds = {
  sent: 'good',
  sending: 'accent',
  awaited: 'plain',
  retried: 'warning',
  failed: 'danger',
  dropped: 'plain',
} as const;

/** What people were sent, and whether it has arrived. */
export function Deliveries({ deliveries }: { readonly deliveries: readonly TimelineDelivery[] }) {
  const words = say(timelineWords);
  if (deliveries.length === 0) return null;
  return (
    <section>
      <h2>{words.deliveries}</h2>
      <ul class="timeline-deliveries">
        {deliveries.map(({ id, kind, state, at, place, markdown, isCut, failure }) => (
          <li key={id}>
            <p class="timeline-title">
              <strong>{words.deliveryKinds[kind]}</strong>
              <Badge kind={kinds[state]}>{words.deliveryStates[state]}</Badge>
              <span>{placeName(place)}</span>
              <Time at={at} />
            </p>
            <Markdown text={markdown} />
            {isCut && <p class="timeline-faint">{words.isCut}</p>}
            {failure !== undefined && state !== 'sent' && <p class="timeline-failure">{failure}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
