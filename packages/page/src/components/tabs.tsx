import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import './tabs.css';
import { Badge } from './badge.tsx';

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: string;
  /** How many things are there; 0 is not shown. */
  readonly count?: number | undefined;
}

interface TabsProps<Name extends string> {
  /** What the tabs are about, for readers of the screen. */
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  /** What the chosen tab shows. */
  readonly children: ComponentChildren;
}

/** Several things in one place, one at a time. Arrows move between them. */
export function Tabs<Name extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  // On a phone there are more tabs than fit.
  useEffect(() => showChosen(list.current), [chosen]);
  return (
    <div class="tabs">
      <div
        ref={list}
        class="tabs-list"
        role="tablist"
        aria-label={label}
        onKeyDown={(event) => {
          const next = movedTo(
            event.key,
            tabs.findIndex(({ name }) => name === chosen),
            tabs.length,
          );
          const tab = next === undefined ? undefined : tabs[next];
          if (next === undefined || tab === undefined) return;
          event.preventDefault();
          onChoose(tab.name);
          const button = list.current?.children[next];
          if (button instanceof HTMLElement) button.focus();
        }}
      >
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            class="tabs-tab"
            aria-selected={tab.name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab.name === chosen ? 0 : -1}
            onClick={() => onChoose(tab.name)}
          >
            {tab.label}
            {tab.count !== undefined && tab.count > 0 && <Badge>{tab.count}</Badge>}
          </button>
        ))}
      </div>
      <div class="tabs-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </div>
  );
}

function showChosen(list: HTMLElement | null): void {
  list?.querySelector('[aria-selected="true"]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
}

/** Which one the key leads to. Undefined: the key is for something else. */
function movedTo(key: string, from: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return (from + 1) % count;
    case 'ArrowLeft':
      return (from + count - 1) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
  }
  return undefined;
}
