import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished, vi } from 'vitest';

/** Counts how often this process waits for the disk, until the end of the test. */
export function countSyncs(): { count: number } {
  const syncs = { count: 0 };
  const { fdatasyncSync } = fs;
  const spy = vi.spyOn(fs, 'fdatasyncSync').mockImplementation((descriptor) => {
    syncs.count += 1;
    fdatasyncSync(descriptor);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  return syncs;
}
