import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import './menu.css';
import { Icon, type IconName } from './icon.tsx';

export interface MenuItem {
  readonly name: string;
  readonly label: string;
  readonly icon?: IconName;
  /** One of several that exclude each other: whether it is chosen. */
  readonly isChosen?: boolean;
  readonly onPress: () => void;
}

/** Items that belong together, perhaps under a heading. */
export interface MenuGroup {
  readonly name: string;
  readonly heading?: string;
  readonly items: readonly MenuItem[];
}

interface MenuProps {
  /** What the button is called. */
  readonly name: string;
  /** What it shows. */
  readonly face: ComponentChildren;
  readonly groups: readonly MenuGroup[];
  /** Where the list opens. */
  readonly opens?: 'down' | 'up';
}

/** A button that shows a list of things to do. Arrows move in it, Escape closes it. */
export function Menu({ name, face, groups, opens = 'down' }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    if (!isOpen) return;
    itemsIn(place.current)[0]?.focus();
    const closing = new AbortController();
    const leave = ({ target }: Event) => {
      if (target instanceof Node && place.current?.contains(target) !== true) setOpen(false);
    };
    addEventListener('pointerdown', leave, { signal: closing.signal });
    addEventListener('focusin', leave, { signal: closing.signal });
    return () => closing.abort();
  }, [isOpen]);
  return (
    <div class="menu" ref={place}>
      <button
        ref={button}
        type="button"
        class="menu-button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={name}
        onClick={() => setOpen(!isOpen)}
      >
        {face}
      </button>
      {isOpen && (
        <div
          class={`menu-list menu-${opens}`}
          id={id}
          role="menu"
          aria-label={name}
          tabIndex={-1}
          onKeyDown={(event) => {
            if (event.key === 'Escape') {
              event.stopPropagation();
              setOpen(false);
              button.current?.focus();
            }
            if (moveIn(itemsIn(place.current), event.key)) event.preventDefault();
          }}
        >
          {groups.map((group) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms, and no menu may have one
            <div key={group.name} role="group" aria-label={group.heading} class="menu-group">
              {group.heading !== undefined && (
                <div class="menu-heading" aria-hidden="true">
                  {group.heading}
                </div>
              )}
              {group.items.map((item) => (
                <Item
                  key={item.name}
                  item={item}
                  onDone={() => {
                    setOpen(false);
                    button.current?.focus();
                  }}
                />
              ))}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

function Item({ item, onDone }: { readonly item: MenuItem; readonly onDone: () => void }) {
  const isChoice = item.isChosen !== undefined;
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a choice is a menuitemradio, which is checked or not
    <button
      type="button"
      class="menu-item"
      role={isChoice ? 'menuitemradio' : 'menuitem'}
      aria-checked={isChoice ? item.isChosen : undefined}
      tabIndex={-1}
      onClick={() => {
        onDone();
        item.onPress();
      }}
    >
      <span class="menu-mark">
        {item.isChosen === true && <Icon name="check" />}
        {item.icon !== undefined && <Icon name={item.icon} />}
      </span>
      {item.label}
    </button>
  );
}

function itemsIn(place: HTMLElement | null): readonly HTMLElement[] {
  return [...(place?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
}

/** Whether the key moves in the list. */
function moveIn(items: readonly HTMLElement[], key: string): boolean {
  const from = items.findIndex((item) => item.matches(':focus'));
  const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: -1 }[key];
  if (to === undefined) return false;
  items.at(to % items.length)?.focus();
  return true;
}
