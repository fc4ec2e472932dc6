import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Empty, Skeleton } from '../components/empty.tsx';
import { say } from '../lib/language.ts';
import { followLink } from '../lib/place.ts';
import { subtitle } from '../lib/title.ts';
import type { View } from '../views/view-list.ts';
import { viewWords } from '../views/words.ts';
import { Boundary, Failed } from './boundary.tsx';
import { shellWords } from './words.ts';

type Loaded =
  | { readonly of: View; readonly Component: ComponentType }
  | { readonly of: View; readonly Component: undefined };

interface ViewPlaceProps {
  /** Undefined: there is none at this address, for this person. */
  readonly view: View | undefined;
  /** How many things wait for the person. */
  readonly count: number;
}

/** Loads the view when it is visited, and shows it. */
export function ViewPlace({ view, count }: ViewPlaceProps) {
  const [loaded, setLoaded] = useState<Loaded>();
  const visited = useRef<View | undefined>(view);
  useEffect(() => {
    if (view === undefined) return;
    let isMeant = true;
    const show = (Component: ComponentType | undefined) => {
      if (isMeant) setLoaded({ of: view, Component });
    };
    void view.load().then(show, (error: unknown) => {
      console.error(error);
      show(undefined);
    });
    return () => {
      isMeant = false;
    };
  }, [view]);
  const isShown = view === undefined || loaded?.of === view;
  useEffect(() => {
    // The first view is read from the top of the page.
    if (!isShown || visited.current === view) return;
    visited.current = view;
    focusHeading();
  }, [view, isShown]);
  useEffect(() => {
    document.title = titleOf(view, count);
  });
  if (view === undefined) return <NotFound />;
  if (loaded?.of !== view) return <Skeleton lines={6} />;
  if (loaded.Component === undefined) return <Failed />;
  return (
    <Boundary key={view.name}>
      <loaded.Component />
    </Boundary>
  );
}

/** There is nothing at this address, or not for this person: they cannot tell which. */
function NotFound() {
  const words = say(shellWords);
  return (
    <>
      <h1 class="unseen">{words.notFound}</h1>
      <Empty icon="search" title={words.notFound}>
        <p>{words.notFoundHelp}</p>
        <a href="/chat" onClick={followLink}>
          {words.toChat}
        </a>
      </Empty>
    </>
  );
}

function titleOf(view: View | undefined, count: number): string {
  const name = view === undefined ? say(shellWords).notFound : say(viewWords)[view.name];
  const parts = [subtitle.value, name, 'Keyturn'].filter((part) => part !== undefined);
  return `${count > 0 ? `(${count}) ` : ''}${parts.join(' · ')}`;
}

/** Readers of the screen begin at the heading of what has come. */
function focusHeading(): void {
  const heading = document.querySelector('#content h1');
  if (!(heading instanceof HTMLElement)) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
