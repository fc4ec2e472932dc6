import type { Signal } from '@preact/signals';

/** Where a person is in what grows. */
export interface Scrolled {
  readonly isAtEnd: boolean;
  /** Something has come since they left the end. */
  readonly hasNews: boolean;
}

/** Nearer to the end, in pixels, they are at it. */
const near = 60;

/** Keeps the end in sight while the contents grow, as long as it was in sight. Returns how to stop. */
export function followEnd(place: HTMLElement, scrolled: Signal<Scrolled>): () => void {
  let height = place.scrollHeight;
  const isNear = (): boolean => place.scrollHeight - place.scrollTop - place.clientHeight < near;
  const onScroll = (): void => {
    const isAtEnd = isNear();
    // Growth is no scrolling.
    if (place.scrollHeight !== height && !isAtEnd) return;
    if (isAtEnd !== scrolled.peek().isAtEnd) scrolled.value = { isAtEnd, hasNews: false };
  };
  const onGrowth = (): void => {
    if (place.scrollHeight === height && isNear()) return;
    const hasGrown = place.scrollHeight > height;
    height = place.scrollHeight;
    if (scrolled.peek().isAtEnd) place.scrollTop = place.scrollHeight;
    else if (hasGrown && !scrolled.peek().hasNews) scrolled.value = { isAtEnd: false, hasNews: true };
  };
  const growth = new ResizeObserver(onGrowth);
  growth.observe(place);
  if (place.firstElementChild !== null) growth.observe(place.firstElementChild);
  place.addEventListener('scroll', onScroll, { passive: true });
  place.scrollTop = place.scrollHeight;
  return () => {
    growth.disconnect();
    place.removeEventListener('scroll', onScroll);
  };
}
