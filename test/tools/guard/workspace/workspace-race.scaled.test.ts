import { mkdir, readdir, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Onward, TreeEntry } from '../../../../src/tools/guard/workspace/workspace.ts';
import { isThorough } from '../../../support/thorough.ts';
import { workspaceSetting } from './workspace-setting.ts';

/** Does the step again and again until the work is done. */
async function meanwhile(step: () => Promise<void>, work: () => Promise<void>): Promise<void> {
  let isOver = false;
  const stepping = (async () => {
    while (!isOver) {
      await step();
      // Now and then the work gets through: it is to be hit at every point of its way.
      for (let turns = Math.random() * 200; turns > 0; turns--) await setImmediate();
    }
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await stepping;
  }
}

/** Tries for a while, and until it came through and was refused several times: else nothing was tried. */
async function tryOften(attempt: () => Promise<boolean>): Promise<void> {
  const [soonest, latest] = [performance.now() + (isThorough ? 3_000 : 200), performance.now() + 15_000];
  let [done, refused] = [0, 0];
  while (performance.now() < latest && (performance.now() < soonest || Math.min(done, refused) < 5)) {
    if (await attempt()) done += 1;
    else refused += 1;
  }
  expect(Math.min(done, refused)).toBeGreaterThanOrEqual(5);
}

test.each([true, false])(
  'a directory that turns into a link and back never leads a read or a write outside',
  async (byHandle) => {
    const { root, outside, workspace } = await workspaceSetting(byHandle);
    const trap = join(root, 'trap');
    await mkdir(trap);
    await writeFile(join(trap, 'secret.txt'), 'inside');
    const swap = async (): Promise<void> => {
      await rename(trap, `${trap}-kept`);
      // A write that comes between makes a directory of its own.
      for (let linked = false; !linked; ) {
        linked = await symlink(outside, trap).then(
          () => true,
          () => false,
        );
        if (!linked) await rm(trap, { recursive: true, force: true, maxRetries: 20, retryDelay: 1 });
      }
      await unlink(trap);
      for (let back = false; !back; ) {
        back = await rename(`${trap}-kept`, trap).then(
          () => true,
          () => false,
        );
        if (!back) await rm(trap, { recursive: true, force: true, maxRetries: 20, retryDelay: 1 });
      }
    };
    await meanwhile(swap, async () => {
      await tryOften(async () => {
        const [written, read] = await Promise.allSettled([
          workspace.write('trap/new.txt', 'x'),
          workspace.read('trap/secret.txt'),
        ]);
        if (read.status === 'fulfilled') expect(read.value.toString()).toBe('inside');
        return written.status === 'fulfilled';
      });
    });
    // Where directories cannot be held by their handles, an empty file may be left outside, but never content.
    for (const name of await readdir(outside)) {
      expect(await readFile(join(outside, name), 'utf8')).toBe(name === 'secret.txt' ? 'secret' : '');
    }
    if (byHandle) {
      expect(await readdir(outside)).toEqual(['secret.txt']);
      expect((await readdir(trap)).filter((name) => name.startsWith('.keyturn'))).toEqual([]);
    }
  },
);

test.each([true, false])(
  'a file that turns into a link and back never leads a read or a write outside',
  async (byHandle) => {
    const { root, outside, workspace } = await workspaceSetting(byHandle);
    const path = join(root, 'file.txt');
    const swap = async (): Promise<void> => {
      await symlink(join(outside, 'secret.txt'), `${path}.link`);
      await rename(`${path}.link`, path);
      await writeFile(`${path}.file`, 'inside');
      await rename(`${path}.file`, path);
    };
    await meanwhile(swap, async () => {
      await tryOften(async () => {
        const [written, read] = await Promise.allSettled([
          workspace.write('file.txt', 'inside'),
          workspace.read('file.txt'),
        ]);
        if (read.status === 'fulfilled') expect(read.value.toString()).toBe('inside');
        return written.status === 'fulfilled';
      });
    });
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  },
);

test.each([true, false])(
  'a walk past a directory and a file that turn into links and back never reads outside',
  async (byHandle) => {
    const { root, outside, workspace } = await workspaceSetting(byHandle);
    const [trap, file] = [join(root, 'trap'), join(root, 'file.txt')];
    await mkdir(trap);
    await writeFile(join(trap, 'inside.txt'), 'inside');
    await writeFile(file, 'inside');
    const swap = async (): Promise<void> => {
      await rename(trap, `${trap}-kept`);
      await symlink(outside, trap);
      await symlink(join(outside, 'secret.txt'), `${file}.link`);
      await rename(`${file}.link`, file);
      await setImmediate();
      await unlink(trap);
      await rename(`${trap}-kept`, trap);
      await writeFile(`${file}.file`, 'inside');
      await rename(`${file}.file`, file);
    };
    const { signal } = new AbortController();
    const readAll = async (entry: TreeEntry): Promise<Onward> => {
      if (entry.type === 'file') {
        const read = await entry.read(100).catch(() => undefined);
        expect([undefined, 'inside', '']).toContain(read?.toString());
      }
      return 'on';
    };
    await meanwhile(swap, async () => {
      await tryOften(async () => {
        const { unopened } = await workspace.walk('.', readAll, signal);
        const held = workspace.withFile('file.txt', 100, async ({ path }) => readFile(path, 'utf8'));
        const [content] = await Promise.allSettled([held]);
        // Without open-file paths, the work reads by the name, which may be exchanged once more.
        if (byHandle && content.status === 'fulfilled') expect(content.value).toBe('inside');
        return unopened === 0 && content.status === 'fulfilled';
      });
    });
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  },
);
