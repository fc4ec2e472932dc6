import { onTestFinished } from 'vitest';
import type { ManualClock } from './manual-clock.ts';

/** Lets time pass in little steps until the test ends: for what waits for a process to end. */
export function letPass(clock: ManualClock): void {
  const pump = setInterval(() => clock.advance(25), 5);
  onTestFinished(() => clearInterval(pump));
}
