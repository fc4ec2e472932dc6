import { mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createBuild } from '../../../src/features/page/server/build.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { type Log, silentLog } from '../../../src/lib/log.ts';
import { newFolder } from '../../support/new-folder.ts';

const modules = resolve(import.meta.dirname, '../../../node_modules');
const minute = 60_000;

describe('the page of a clone', () => {
  test('is built once for all who ask at a time, and again when its sources are newer', async () => {
    const clone = await cloned();
    const build = builderIn(clone);
    expect(await Promise.all([build(), build(), build()])).toEqual(['built', 'built', 'built']);
    expect(clone.logged).toEqual(['info']);
    expect(await scriptOf(clone)).toContain('first words');
    expect(await builderIn(clone)()).toBe('built');
    expect(clone.logged).toEqual(['info']);
    await clone.write('src/main.js', 'document.title = "other words";', minute);
    expect(await builderIn(clone)()).toBe('built');
    expect(await scriptOf(clone)).toContain('other words');
    // Nothing of the former one is left, nor of the building.
    const names = await readdir(join(clone.dist, 'assets'));
    expect([names.length, (await readdir(clone.dist)).toSorted()]).toEqual([1, ['assets', 'index.html']]);
  });

  test('is whole, though two processes build it at once', async () => {
    const clone = await cloned();
    expect(await Promise.all([builderIn(clone)(), builderIn(clone)()])).toEqual(['built', 'built']);
    expect(await scriptOf(clone)).toContain('first words');
  });

  test('is not shown if it cannot be built; the log says why, and the next who asks has it built', async () => {
    const clone = await cloned();
    await clone.write('src/main.js', 'document.title = ;');
    const build = builderIn(clone);
    expect(await build()).toBe('failed');
    expect(clone.logged).toEqual(['error']);
    await clone.write('src/main.js', 'document.title = "mended words";');
    expect(await build()).toBe('built');
    expect(await scriptOf(clone)).toContain('mended words');
  });

  test('stays as it is where what builds it is not installed; without any, there is none', async () => {
    const clone = await cloned();
    await rm(join(clone.folder, 'node_modules'));
    expect(await builderIn(clone)()).toBe('unbuilt');
    await mkdir(clone.dist, { recursive: true });
    await writeFile(join(clone.dist, 'index.html'), 'old');
    await clone.write('src/main.js', 'newer', minute);
    expect(await builderIn(clone)()).toBe('built');
    expect(clone.logged).toEqual(['warn']);
    expect(await readFile(join(clone.dist, 'index.html'), 'utf8')).toBe('old');
  });
});

test('a package shows what it brings, and builds nothing', async () => {
  const folder = await newFolder();
  const clone = { folder, logged: [] };
  expect(await builderIn(clone)()).toBe('unbuilt');
  await mkdir(join(folder, 'packages/page/dist'), { recursive: true });
  await writeFile(join(folder, 'packages/page/dist/index.html'), 'brought');
  expect(await builderIn(clone)()).toBe('built');
  expect(clone.logged).toEqual([]);
});

interface Clone {
  readonly folder: string;
  readonly dist: string;
  /** The levels of what was logged. */
  readonly logged: string[];
  /** `later`: how much newer than now it is, in ms. */
  readonly write: (name: string, text: string, later?: number) => Promise<void>;
}

/** A small page with its sources. */
async function cloned(): Promise<Clone> {
  const folder = await newFolder();
  const page = join(folder, 'packages/page');
  await mkdir(join(page, 'src'), { recursive: true });
  await mkdir(join(folder, 'packages/client/src'), { recursive: true });
  await symlink(modules, join(folder, 'node_modules'));
  const write: Clone['write'] = async (name, text, later = 0) => {
    await writeFile(join(page, name), text);
    const at = (Date.now() + later) / 1000;
    await utimes(join(page, name), at, at);
  };
  await write('index.html', '<script type="module" src="/src/main.js"></script>', -minute);
  await write('src/main.js', 'document.title = "first words";', -minute);
  return { folder, dist: join(page, 'dist'), logged: [], write };
}

function builderIn({ folder, logged }: Pick<Clone, 'folder' | 'logged'>) {
  const log: Log = {
    ...silentLog,
    info: () => void logged.push('info'),
    warn: () => void logged.push('warn'),
    error: () => void logged.push('error'),
  };
  const environment = { PATH: process.env.PATH };
  return createBuild({ folder, log, environment, clock: systemClock, ending: new AbortController().signal });
}

/** The only script of what was built. */
async function scriptOf({ dist }: Clone): Promise<string> {
  const index = await readFile(join(dist, 'index.html'), 'utf8');
  const [, name = ''] = /src="\/(assets\/[^"]+\.js)"/.exec(index) ?? [];
  return readFile(join(dist, name), 'utf8');
}
