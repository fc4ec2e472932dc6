import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished, vi } from 'vitest';

/** How this process waits for the disk, until the end of the test. */
export interface Syncs {
  /** How often it has begun to wait. */
  count: number;
  /** From now on the disk does not answer. */
  hold(): void;
  /** What was held is answered in its order, and the disk is well again. */
  release(): void;
  /** What was held, and all that comes until the disk is well again, is answered with this error. */
  fail(error: NodeJS.ErrnoException): void;
}

export function countSyncs(): Syncs {
  let isHeld = false;
  let fault: NodeJS.ErrnoException | undefined;
  let held: ((error: NodeJS.ErrnoException | null) => void)[] = [];
  function answerAll(): void {
    isHeld = false;
    const waiting = held;
    held = [];
    for (const answer of waiting) answer(fault ?? null);
  }
  const syncs: Syncs = {
    count: 0,
    hold() {
      isHeld = true;
    },
    release() {
      fault = undefined;
      answerAll();
    },
    fail(error) {
      fault = error;
      answerAll();
    },
  };
  const { fdatasync } = fs;
  const spy = vi.spyOn(fs, 'fdatasync').mockImplementation((descriptor, callback) => {
    syncs.count += 1;
    if (isHeld) held.push(callback);
    else if (fault !== undefined) queueMicrotask(() => callback(fault ?? null));
    else fdatasync(descriptor, callback);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    syncs.release();
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  return syncs;
}
