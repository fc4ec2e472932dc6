import { expect, test } from 'vitest';
import { type Failure, PlayedDisk } from '../support/power/disk.ts';
import type { Deed } from '../support/power/recording.ts';
import { SeededRandom } from '../support/random.ts';

const nothing: Failure = { hasJournal: false, names: 'none', arrival: { type: 'none' } };
const made: Deed = { type: 'opened', path: '/data/a', isNew: true, isCut: false };
const syncedFolder: Deed = { type: 'synced', path: '/data', isWhole: true };
const syncedFile: Deed = { type: 'synced', path: '/data/a', isWhole: true };

function written(words: string, at = 0): Deed {
  return { type: 'written', path: '/data/a', at, bytes: Buffer.from(words) };
}

/** What is left of files when the power fails behind these deeds, each of which takes an instant. */
function left(deeds: readonly Deed[], failure: Failure, seed = 1): Readonly<Record<string, string>> {
  const recorded = deeds.map((deed, place) => ({ deed, began: place, ended: place }));
  const disk = new PlayedDisk('/data', recorded);
  disk.playTo(deeds.length);
  const image = disk.fail(failure, new SeededRandom(seed));
  return Object.fromEntries([...image].flatMap(([path, found]) => (found === 'folder' ? [] : [[path, String(found)]])));
}

test('what was synced stays, and what was written since is lost', () => {
  const deeds = [made, written('one'), syncedFile, syncedFolder, written('two'), written('more', 3)];
  expect(left(deeds, nothing)).toEqual({ '/data/a': 'one' });
  expect(left(deeds, { ...nothing, arrival: { type: 'all' } })).toEqual({ '/data/a': 'twomore' });
  expect(left(deeds, { ...nothing, arrival: { type: 'length' } })).toEqual({ '/data/a': 'one\0\0\0\0' });
});

test('a file that is synced has no name until its folder is, but on a disk with a journal', () => {
  const deeds = [made, written('one'), syncedFile];
  expect(left(deeds, nothing)).toEqual({});
  expect(left(deeds, { ...nothing, hasJournal: true })).toEqual({ '/data/a': 'one' });
});

test('a name that is changed is the old one or the new one', () => {
  const renamed: Deed = { type: 'renamed', path: '/data/a', to: '/data/b' };
  const deeds = [made, written('one'), syncedFile, syncedFolder, renamed];
  expect(left(deeds, nothing)).toEqual({ '/data/a': 'one' });
  expect(left(deeds, { ...nothing, names: 'all' })).toEqual({ '/data/b': 'one' });
  expect(left([...deeds, syncedFolder], nothing)).toEqual({ '/data/b': 'one' });
});

test('a sector of a write arrives whole, or not at all', () => {
  const deeds = [made, syncedFile, syncedFolder, written('x'.repeat(2000))];
  const found = Array.from({ length: 20 }, (_, seed) =>
    left(deeds, { ...nothing, arrival: { type: 'torn', sector: 512 } }, seed),
  );
  expect(new Set(found.map((one) => JSON.stringify(one))).size).toBeGreaterThan(5);
  for (const { '/data/a': content = '' } of found)
    for (let at = 0; at < content.length; at += 512) expect(new Set(content.slice(at, at + 512)).size).toBe(1);
});

test('a sync keeps nothing that was written while it went on', () => {
  const disk = new PlayedDisk('/data', [
    { deed: made, began: 0, ended: 0 },
    { deed: syncedFolder, began: 1, ended: 1 },
    { deed: syncedFile, began: 2, ended: 4 },
    { deed: written('late'), began: 3, ended: 3 },
  ]);
  disk.playTo(5);
  expect(disk.fail(nothing, new SeededRandom(1)).get('/data/a')?.toString()).toBe('');
});
