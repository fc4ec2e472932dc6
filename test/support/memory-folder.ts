import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';

/**
 * Has tests keep their files in memory where there is room for them: a third of their time would be waiting for the disk.
 * Empty where there is none, or it is small, or what lies there cannot be executed, as in some containers.
 */
export function memoryFolder(): { readonly TMPDIR?: string } {
  const trial = `/dev/shm/keyturn-trial-${process.pid}`;
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize < 2 * 2 ** 30) return {};
    writeFileSync(trial, '#!/bin/sh\n', { mode: 0o700 });
    execFileSync(trial);
    return { TMPDIR: '/dev/shm' };
  } catch {
    return {};
  } finally {
    rmSync(trial, { force: true });
  }
}
