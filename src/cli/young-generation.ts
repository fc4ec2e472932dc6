import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** The size, in bytes, at which it grows no more: two halves of 4 MB. */
const enough = 8 * 2 ** 20;

/**
 * Keeps V8's young generation from growing far beyond 8 MB, as `--max-semi-space-size=4` does for a process that is started with it
 * (`sparingOptions`). Otherwise a burst of messages grows it to as much as 128 MB. Set at once instead of when it has grown so far,
 * it would stay at 1 MB, and be collected far too often. Call what this returns at first, and after each collection that has made
 * it small.
 */
export function youngGenerationLimit(): () => void {
  const observer = new PerformanceObserver(() => {
    if (youngSize() < enough) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  return () => {
    setFlagsFromString('--semi-space-growth-factor=2');
    observer.disconnect();
    observer.observe({ entryTypes: ['gc'] });
  };
}

/** In bytes. */
function youngSize(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
