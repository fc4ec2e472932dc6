import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** So long must the buttons have been seen before they do anything, in ms. */
const leastSeen = 500;

/**
 * Whether the element has been seen, in whole and without a break, for long enough that a press on it can be meant. It begins
 * again when `settled` changes: something else may stand where it stood.
 */
export function useSeen(place: RefObject<HTMLElement | null>, settled: string | number): boolean {
  const [isSeen, see] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isThere = false;
    const look = () => {
      clearTimeout(timer);
      see(false);
      if (isThere && document.visibilityState === 'visible') timer = setTimeout(() => see(true), leastSeen);
    };
    const watching = new IntersectionObserver(
      ([entry]) => {
        isThere = entry !== undefined && entry.intersectionRatio > 0.95;
        look();
      },
      { threshold: [0, 0.96] },
    );
    watching.observe(element);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      watching.disconnect();
      document.removeEventListener('visibilitychange', look);
    };
  }, [place, settled]);
  return isSeen;
}
