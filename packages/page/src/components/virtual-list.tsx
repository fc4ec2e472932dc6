import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import './virtual-list.css';

interface VirtualListProps<Item> {
  /** What it lists, for readers of the screen. */
  readonly label: string;
  readonly items: readonly Item[];
  /** All rows are as high as this, in pixels. */
  readonly rowHeight: number;
  readonly keyOf: (item: Item) => string | number;
  readonly draw: (item: Item, index: number) => ComponentChildren;
  /** How many there are in all, if not all are here yet. Undefined: nobody knows. */
  readonly total?: number | undefined;
  /** A row was chosen by the keyboard. Presses are for what the row draws. */
  readonly onOpen?: (item: Item) => void;
  /** The end is near: get more. Called again while it stays near and there are more items. */
  readonly onNearEnd?: (() => void) | undefined;
}

/** Rows drawn above and below those that are seen. */
const beyond = 8;

/** Draws only the rows that are seen, of any number. Arrows, Page, Home and End move in it; Enter opens. */
export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { label, items, rowHeight, keyOf, draw, onOpen, onNearEnd } = props;
  const place = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ first: 0, rows: 20 });
  const [active, setActive] = useState(0);
  const current = Math.min(active, Math.max(0, items.length - 1));
  /** The row that the keyboard has gone to, and that has to be drawn before it can have the focus. */
  const wanted = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    const list = place.current;
    if (list === null) return;
    const look = () => setSeen((former) => sameOr(former, seenIn(list, rowHeight)));
    look();
    const watching = new ResizeObserver(look);
    watching.observe(list);
    list.addEventListener('scroll', look, { passive: true });
    return () => {
      watching.disconnect();
      list.removeEventListener('scroll', look);
    };
  }, [rowHeight]);
  useEffect(() => {
    if (seen.first + seen.rows + 2 * beyond >= items.length) onNearEnd?.();
  }, [seen, items.length, onNearEnd]);
  useLayoutEffect(() => {
    const row = wanted.current === undefined ? null : place.current?.querySelector(`[data-row="${wanted.current}"]`);
    if (!(row instanceof HTMLElement)) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  });

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the rows within
    <div
      ref={place}
      class="virtual-list"
      onKeyDown={(event) => {
        const row = event.target instanceof HTMLElement ? event.target : undefined;
        if (row?.dataset.row === undefined) return;
        const item = items[current];
        if (event.key === 'Enter' && item !== undefined && onOpen !== undefined) {
          event.preventDefault();
          onOpen(item);
          return;
        }
        const to = movedTo(event.key, current, { last: items.length - 1, page: Math.max(1, seen.rows - 1) });
        if (to === undefined) return;
        event.preventDefault();
        wanted.current = to;
        setActive(to);
        reveal(place.current, to, rowHeight);
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: the rows of a `ul` would have to be its children, and here only some are there */}
      <div role="list" aria-label={label} class="virtual-list-all" style={{ height: `${items.length * rowHeight}px` }}>
        {drawnRows(seen, items.length, current).map((index) => {
          const item = items[index];
          return item === undefined ? null : (
            // biome-ignore lint/a11y/useSemanticElements: as above
            <div
              key={keyOf(item)}
              role="listitem"
              class="virtual-list-row"
              data-row={index}
              aria-posinset={index + 1}
              aria-setsize={props.total ?? (onNearEnd === undefined ? items.length : -1)}
              tabIndex={index === current ? 0 : -1}
              style={{ height: `${rowHeight}px`, transform: `translateY(${index * rowHeight}px)` }}
              onFocus={() => setActive(index)}
            >
              {draw(item, index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface Seen {
  readonly first: number;
  readonly rows: number;
}

function seenIn(list: HTMLElement, rowHeight: number): Seen {
  return { first: Math.floor(list.scrollTop / rowHeight), rows: Math.ceil(list.clientHeight / rowHeight) + 1 };
}

/** The former, if nothing has changed, so that nothing is drawn. */
function sameOr(former: Seen, now: Seen): Seen {
  return former.first === now.first && former.rows === now.rows ? former : now;
}

/** Those that are seen, some around them, and the one that has the focus, or would get it. */
function drawnRows({ first, rows }: Seen, count: number, active: number): readonly number[] {
  const from = Math.max(0, Math.min(first, count) - beyond);
  const to = Math.min(count, first + rows + beyond);
  const drawn = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
  if (active < from) return [active, ...drawn];
  return active >= to && active < count ? [...drawn, active] : drawn;
}

function movedTo(
  key: string,
  from: number,
  { last, page }: { readonly last: number; readonly page: number },
): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return Math.min(last, from + 1);
    case 'ArrowUp':
      return Math.max(0, from - 1);
    case 'PageDown':
      return Math.min(last, from + page);
    case 'PageUp':
      return Math.max(0, from - page);
    case 'Home':
      return 0;
    case 'End':
      return last;
  }
  return undefined;
}

/** Scrolls as little as shows the row. */
function reveal(list: HTMLElement | null, row: number, rowHeight: number): void {
  if (list === null) return;
  const [top, bottom] = [row * rowHeight, (row + 1) * rowHeight];
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}
