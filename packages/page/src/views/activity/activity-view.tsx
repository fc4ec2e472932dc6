import type { ComponentChildren } from 'preact';
import './activity.css';
import { say } from '../../lib/language.ts';
import { followLink, segments } from '../../lib/place.ts';
import { FiguresView } from './figures/figures-view.tsx';
import { RunsView } from './runs/runs-view.tsx';
import { SearchView } from './search/search-view.tsx';
import { TimelineView } from './timeline/timeline-view.tsx';
import { activityWords } from './words.ts';

/** What was done: `/activity`, `/activity/search`, `/activity/figures`, and each run at `/activity/RUN`. */
export function ActivityView() {
  const [, part = ''] = segments.value;
  switch (part) {
    case '':
      return (
        <Section now="runs">
          <RunsView />
        </Section>
      );
    case 'search':
      return (
        <Section now="search">
          <SearchView />
        </Section>
      );
    case 'figures':
      return (
        <Section now="figures">
          <FiguresView />
        </Section>
      );
  }
  return <TimelineView key={part} id={part} />;
}

const places = { runs: '/activity', search: '/activity/search', figures: '/activity/figures' } as const;
const names = ['runs', 'search', 'figures'] as const;

function Section({ now, children }: { readonly now: (typeof names)[number]; readonly children: ComponentChildren }) {
  const words = say(activityWords);
  return (
    <div class="activity">
      <header class="activity-head">
        <h1>{words.title}</h1>
        <nav aria-label={words.sections} class="activity-parts">
          {names.map((name) => (
            <a key={name} href={places[name]} aria-current={name === now ? 'page' : undefined} onClick={followLink}>
              {words[name]}
            </a>
          ))}
        </nav>
      </header>
      {children}
    </div>
  );
}
