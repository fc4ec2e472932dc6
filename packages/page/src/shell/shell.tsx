import { useSignalEffect } from '@preact/signals';
import type { Me } from '../../../../src/features/page/wire/me.ts';
import './shell.css';
import { Badge } from '../components/badge.tsx';
import { Icon } from '../components/icon.tsx';
import { say } from '../lib/language.ts';
import { useLasting } from '../lib/lasting.ts';
import { liveRefusal, liveState } from '../lib/live.ts';
import { followLink, segments } from '../lib/place.ts';
import { useAsked } from '../lib/query.ts';
import { isLinkOffered, newcomer } from '../lib/session.ts';
import { toast } from '../lib/toasts.ts';
import { viewNamed, views } from '../views/view-list.ts';
import { type ViewName, viewWords } from '../views/words.ts';
import { OtherLink } from './other-link.tsx';
import { PersonMenu } from './person-menu.tsx';
import { ViewPlace } from './view-place.tsx';
import { shellWords } from './words.ts';

/** What stands around the views for a person who is signed in. */
export function Shell({ me }: { readonly me: Me }) {
  const words = say(shellWords);
  const shown = views.filter(({ forOwners }) => forOwners !== true || me.isOwner);
  const [first] = segments.value;
  const named = viewNamed(first);
  const view = shown.find((one) => one === named);
  const isLost = useLasting(liveState.value !== 'open', patienceMs);
  useSignalEffect(welcome);
  const count = useAsked<{ readonly count: number }>('waiting/count', ['waiting']).data?.count ?? 0;
  return (
    <div class="shell">
      <a class="shell-skip" href="#content">
        {words.skip}
      </a>
      <header class="shell-side">
        <a class="shell-brand" href="/" onClick={followLink}>
          <img src={icon} alt="" width="26" height="26" />
          <span>Keyturn</span>
        </a>
        <nav class="shell-nav" aria-label={words.navigation}>
          {shown.map(({ name }) => (
            <a
              key={name}
              href={`/${name}`}
              aria-current={name === view?.name ? 'page' : undefined}
              onClick={followLink}
            >
              <Icon name={name} />
              <span class="shell-nav-name">{say(viewWords)[name]}</span>
              <Count of={name} count={count} />
            </a>
          ))}
        </nav>
        <PersonMenu name={me.name} opens="up" />
      </header>
      <div class="shell-main">
        {isLost && (
          <div class="shell-offline" role="status">
            {liveRefusal.value === undefined ? words.unreachable : words.refused({ why: liveRefusal.value })}
          </div>
        )}
        <main id="content" class="shell-content" tabIndex={-1}>
          <ViewPlace view={view} count={count} />
        </main>
      </div>
      {isLinkOffered.value && <OtherLink name={me.name} />}
    </div>
  );
}

/** Says as whom a link has signed in: it may be somebody else's. */
function welcome(): void {
  const name = newcomer.value;
  if (name === undefined) return;
  newcomer.value = undefined;
  toast(say(shellWords).signedInAs({ name }));
}

/** How long the daemon may be away before that is said: a socket that is opened again is no loss. In ms. */
const patienceMs = 1_500;

/** How many wait, beside the name of the waiting room. */
function Count({ of, count }: { readonly of: ViewName; readonly count: number }) {
  if (of !== 'waiting' || count === 0) return null;
  return (
    <Badge kind="accent">
      <span aria-hidden="true">{count}</span>
      <span class="unseen">{say(shellWords).waitingCount({ count })}</span>
    </Badge>
  );
}

const icon = new URL('../icon.svg', import.meta.url).pathname;
