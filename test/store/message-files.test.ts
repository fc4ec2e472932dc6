import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMessageFiles } from '../../src/store/files.ts';
import { FileNotKeptError } from '../../src/tools/output.ts';
import { newFolder } from '../support/new-folder.ts';

async function folders() {
  const folder = await newFolder();
  return { files: createMessageFiles(join(folder, 'files')), at: (name: string) => join(folder, name) };
}

function draftOf(path: string) {
  return { name: 'a.txt', mediaType: 'text/plain', path };
}

test('a copy does not change with the original, and only its owner reads it', async () => {
  const { files, at } = await folders();
  writeFileSync(at('a.txt'), 'then');
  chmodSync(at('a.txt'), 0o444);
  expect(await files.keep('m1', [draftOf(at('a.txt'))])).toEqual([{ name: 'a.txt', mediaType: 'text/plain', size: 4 }]);
  chmodSync(at('a.txt'), 0o644);
  writeFileSync(at('a.txt'), 'now');
  const copy = files.pathOf('m1', '0');
  expect(readFileSync(copy, 'utf8')).toBe('then');
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(statSync(join(copy, '..')).mode & 0o777).toBe(0o700);
});

test('of a link, what it leads to is kept', async () => {
  const { files, at } = await folders();
  writeFileSync(at('a.txt'), 'text');
  symlinkSync(at('a.txt'), at('link'));
  await files.keep('m1', [draftOf(at('link'))]);
  writeFileSync(at('a.txt'), 'other');
  expect(readFileSync(files.pathOf('m1', '0'), 'utf8')).toBe('text');
});

test.each([
  ['is not there', () => {}],
  ['is a folder', (path: string) => void mkdirSync(path)],
  ['is a pipe, which would never end', (path: string) => void execFileSync('mkfifo', [path])],
])('a file that %s can not be kept, and the error names it', async (_what, make) => {
  const { files, at } = await folders();
  make(at('a.txt'));
  const kept = files.keep('m1', [draftOf(at('a.txt'))]);
  await expect(kept).rejects.toBeInstanceOf(FileNotKeptError);
  await expect(kept).rejects.toThrow(/^The file a\.txt could not be made ready for sending: /);
});

test('what is kept is known by its message, until it is removed', async () => {
  const { files, at } = await folders();
  expect(await files.owners()).toEqual([]);
  writeFileSync(at('a.txt'), 'text');
  await files.keep('m1', [draftOf(at('a.txt'))]);
  await files.keepText('m2', 'whole');
  await files.keepText('m2', 'whole');
  expect((await files.owners()).toSorted()).toEqual(['m1', 'm2']);
  expect([await files.has('m2', 'text'), await files.has('m2', '0'), await files.has('m3', '0')]).toEqual([
    true,
    false,
    false,
  ]);
  await files.remove('m1');
  await files.remove('m1');
  expect(await files.owners()).toEqual(['m2']);
});
