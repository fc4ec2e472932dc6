import fs, { fstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished, vi } from 'vitest';
import type { SeededRandom } from './random.ts';

const sectorSize = 512;

/** A disk that answers when it is told to, of which the power may fail. */
export interface Power {
  /** Of how many syncs the end is awaited. */
  readonly awaited: number;
  /** The first sync that is awaited ends, with an error if there is one. */
  answer(error?: NodeJS.ErrnoException): void;
  /** What is on the disk for certain. */
  synced(path: string): Buffer;
  /** What a power failure now may leave behind: of each sector, either what was synced last or what was written since. */
  left(path: string, random: SeededRandom): Buffer;
  /** From now on, syncs are the system's again. */
  end(): void;
}

/** Begin when what stands in these files is on the disk. `onSync` is told the file when a sync begins. */
export function failingPower(paths: readonly string[], onSync: (path: string) => void = () => {}): Power {
  const contents = new Map(paths.map((path) => [path, readFileSync(path)]));
  const awaited: ((error?: NodeJS.ErrnoException) => void)[] = [];
  const spy = vi.spyOn(fs, 'fdatasync').mockImplementation((descriptor, callback) => {
    const { ino } = fstatSync(descriptor);
    const path = paths.find((candidate) => statSync(candidate).ino === ino);
    if (path === undefined) throw new Error('a file is synced that is not watched');
    const content = readFileSync(path);
    awaited.push((error) => {
      if (error === undefined) contents.set(path, content);
      callback(error ?? null);
    });
    onSync(path);
  });
  syncBuiltinESMExports();
  const end = (): void => {
    for (const answer of awaited.splice(0)) answer();
    spy.mockRestore();
    syncBuiltinESMExports();
  };
  onTestFinished(end);
  const synced = (path: string): Buffer => contents.get(path) ?? Buffer.alloc(0);
  return {
    get awaited(): number {
      return awaited.length;
    },
    answer: (error) => awaited.shift()?.(error),
    synced,
    left: (path, random) => mixture(synced(path), readFileSync(path), random),
    end,
  };
}

function mixture(synced: Buffer, written: Buffer, random: SeededRandom): Buffer {
  const longer = Math.max(synced.length, written.length);
  const size = random.chance(0.5) ? longer : Math.max(synced.length, random.integer(0, longer));
  const left = Buffer.alloc(size);
  synced.copy(left);
  const isThere = arrival(size, random);
  for (let start = 0; start < Math.min(size, written.length); start += sectorSize) {
    if (isThere(start)) written.copy(left, start, start, start + sectorSize);
  }
  return left;
}

/** Which sectors have arrived: those before a place, those behind it, or any. */
function arrival(size: number, random: SeededRandom): (start: number) => boolean {
  const place = random.chance(0.5) ? random.integer(0, size) : random.integer(0, Math.min(size, 100 * sectorSize));
  const share = random.integer(0, 10) / 10;
  return random.pick([(start) => start < place, (start) => start > place, () => random.chance(share)]);
}

/** Writes what is left of a database and its log into another place, to be opened there. */
export function leave(left: (path: string) => Buffer, file: string, copy: string): void {
  for (const end of ['', '-wal']) writeFileSync(`${copy}${end}`, left(`${file}${end}`));
}
