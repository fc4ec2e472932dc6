import { useEffect, useState } from 'preact/hooks';

/** Whether the page is at least so wide, in pixels. */
export function useWide(width: number): boolean {
  const [isWide, note] = useState(() => queryOf(width).matches);
  useEffect(() => {
    const query = queryOf(width);
    const look = () => note(query.matches);
    look();
    query.addEventListener('change', look);
    return () => query.removeEventListener('change', look);
  }, [width]);
  return isWide;
}

function queryOf(width: number): MediaQueryList {
  return matchMedia(`(min-width: ${width}px)`);
}
