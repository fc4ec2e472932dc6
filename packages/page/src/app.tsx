import { type ComponentType, Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { say } from './lib/language.ts';
import { goTo, segments } from './lib/place.ts';
import { type View, views } from './views/view-list.ts';
import { viewWords } from './views/words.ts';

export function App() {
  const [first] = segments.value;
  const view = views.find(({ name }) => name === first) ?? views[0];
  return (
    <Fragment>
      <nav>
        {views.map(({ name }) => (
          <a key={name} href={`/${name}`} onClick={follow}>
            {say(viewWords)[name]}
          </a>
        ))}
      </nav>
      <main>{view && <Shown view={view} />}</main>
    </Fragment>
  );
}

function follow(event: MouseEvent): void {
  if (!(event.currentTarget instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  goTo(event.currentTarget.pathname);
}

/** Loads the view, then shows it. */
function Shown({ view }: { readonly view: View }) {
  const [loaded, setLoaded] = useState<{ readonly of: View; readonly Component: ComponentType }>();
  useEffect(() => {
    let isMeant = true;
    void view.load().then((Component) => {
      if (isMeant) setLoaded({ of: view, Component });
    });
    return () => {
      isMeant = false;
    };
  }, [view]);
  return loaded?.of === view ? <loaded.Component /> : null;
}
