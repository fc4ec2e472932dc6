import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, readdir, readFile, rename, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspaceWords } from '../../../../src/tools/guard/workspace/words.ts';
import { workspaces } from '../../../../src/tools/guard/workspace/workspace.ts';
import { quotePath } from '../../../../src/tools/guard/workspace/workspace-error.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { workspaceSetting as setting } from './workspace-setting.ts';

const say = workspaceWords.en;

/** Both ways to hold a directory: by its open handle, as on Linux, and by path with a check, as elsewhere. */
describe.each([
  ['with open-file paths', true],
  ['without open-file paths', false],
])('a workspace %s', (_way, byHandle) => {
  test('reads and writes files by relative paths and by absolute ones inside', async () => {
    const { root, workspace } = await setting(byHandle);
    expect(await workspace.write('a/b/c.txt', 'hallo')).toEqual({ created: true, size: 5 });
    expect(await workspace.write(join(root, 'a/b/c.txt'), 'ä')).toEqual({ created: false, size: 2 });
    expect((await workspace.read('a/./b/../b/c.txt')).toString()).toBe('ä');
    expect(await workspace.list('a/b', 10)).toEqual({ entries: [{ name: 'c.txt', type: 'file', size: 2 }], total: 1 });
    await workspace.write('a..b.txt', 'x');
    expect((await workspace.read('a..b.txt')).toString()).toBe('x');
  });

  test('is made when it is missing', async () => {
    const root = join(await newFolder(), 'deep', 'workspace');
    await workspaces({}, byHandle)(root).write('x.txt', 'x');
    expect(await readFile(join(root, 'x.txt'), 'utf8')).toBe('x');
  });

  test.each([
    ['../outside/secret.txt', /is outside the workspace/],
    ['a/../../outside/secret.txt', /is outside the workspace/],
    ['..', /is outside the workspace/],
    ['/etc/passwd', /is outside the workspace/],
    ['~/.ssh/id_rsa', /is outside the workspace/],
    ['~root/x', /is outside the workspace/],
    ['', /path is empty/],
    ['  ', /path is empty/],
    ['a\0.txt', /NUL character/],
    ['x'.repeat(300), say.pathTooLong({ path: quotePath('x'.repeat(300)) })],
    ['a/'.repeat(3000), say.pathTooLong({ path: quotePath('a/'.repeat(3000)) })],
    ['absent/../../x', /is outside the workspace/],
  ])('refuses the path %j in every operation', async (path, message) => {
    const { workspace } = await setting(byHandle);
    await expect(workspace.read(path)).rejects.toThrow(message);
    await expect(workspace.write(path, 'x')).rejects.toThrow(message);
    await expect(workspace.list(path, 10)).rejects.toThrow(message);
  });

  test('creates no folder of a path that is too long', async () => {
    const { root, workspace } = await setting(byHandle);
    const path = `${'deep/'.repeat(1000)}x`;
    await expect(workspace.write(path, 'x')).rejects.toThrow(say.pathTooLong({ path: quotePath(path) }));
    expect(await readdir(root)).not.toContain('deep');
  });

  test('follows links that stay inside, and none that lead outside', async () => {
    const { root, outside, workspace } = await setting(byHandle);
    await workspace.write('real/file.txt', 'inside');
    await symlink('real', join(root, 'folder'));
    await symlink(join(root, 'real/file.txt'), join(root, 'absolute.txt'));
    await symlink('../outside', join(root, 'escape'));
    await symlink(join(outside, 'secret.txt'), join(root, 'secret.txt'));
    await symlink('escape/secret.txt', join(root, 'twice.txt'));
    // The words do not tell whether there is such a file.
    await symlink(join(outside, 'absent.txt'), join(root, 'absent.txt'));
    await symlink('loop', join(root, 'loop'));

    expect((await workspace.read('folder/file.txt')).toString()).toBe('inside');
    await workspace.write('absolute.txt', 'changed');
    expect(await readFile(join(root, 'real/file.txt'), 'utf8')).toBe('changed');
    for (const path of ['escape/secret.txt', 'secret.txt', 'twice.txt', 'escape/new.txt', 'absent.txt']) {
      await expect(workspace.read(path)).rejects.toThrow(say.astray({ path: `"${path}"` }));
      await expect(workspace.write(path, 'x')).rejects.toThrow(say.astray({ path: `"${path}"` }));
    }
    await expect(workspace.list('escape', 10)).rejects.toThrow('outside the workspace');
    await expect(workspace.read('loop')).rejects.toThrow(say.astray({ path: '"loop"' }));
    expect(await readdir(outside)).toEqual(['secret.txt']);
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  });

  test('does not create the target of a dangling link', async () => {
    const { root, workspace } = await setting(byHandle);
    await symlink('later.txt', join(root, 'dangling.txt'));
    await symlink('later', join(root, 'dangling'));
    await expect(workspace.write('dangling.txt', 'x')).rejects.toThrow(say.astray({ path: '"dangling.txt"' }));
    await expect(workspace.write('dangling/x.txt', 'x')).rejects.toThrow(say.astray({ path: '"dangling/x.txt"' }));
    expect((await readdir(root)).sort()).toEqual(['dangling', 'dangling.txt']);
  });

  test('does not read or write a file with a second name, nor write a read-only one', async () => {
    const { root, outside, workspace } = await setting(byHandle);
    await link(join(outside, 'secret.txt'), join(root, 'hard.txt'));
    await expect(workspace.write('hard.txt', 'x')).rejects.toThrow(say.hardLink({ path: '"hard.txt"', toRead: false }));
    await expect(workspace.read('hard.txt')).rejects.toThrow(say.hardLink({ path: '"hard.txt"', toRead: true }));
    expect((await workspace.list('.', 10)).entries).toEqual([{ name: 'hard.txt', type: 'file', size: 6 }]);
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    await workspace.write('fixed.txt', 'x');
    await chmod(join(root, 'fixed.txt'), 0o444);
    await expect(workspace.write('fixed.txt', 'y')).rejects.toThrow(say.readOnly({ path: '"fixed.txt"' }));
  });

  test('uses regular files only, and never waits for a pipe', async () => {
    const { root, workspace } = await setting(byHandle);
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await mkdir(join(root, 'folder'));
    await workspace.write('file', 'x');
    await expect(workspace.read('pipe')).rejects.toThrow(say.device({ path: '"pipe"' }));
    await expect(workspace.write('pipe', 'x')).rejects.toThrow(say.device({ path: '"pipe"' }));
    await expect(workspace.read('folder')).rejects.toThrow('is a directory');
    await expect(workspace.write('folder', 'x')).rejects.toThrow('is a directory');
    await expect(workspace.read('file/below')).rejects.toThrow(say.underName({ path: '"file/below"', name: 'file' }));
    await expect(workspace.write('file/below', 'x')).rejects.toThrow(
      say.underName({ path: '"file/below"', name: 'file' }),
    );
    await expect(workspace.list('file', 10)).rejects.toThrow(say.notAFolder({ path: '"file"' }));
    await expect(workspace.read('absent')).rejects.toThrow(say.missing({ path: '"absent"' }));
    await expect(workspace.list('absent', 10)).rejects.toThrow(say.missing({ path: '"absent"' }));
  });

  test('writes atomically: the mode stays, nobody sees half a file, nothing is left behind', async () => {
    const { root, workspace } = await setting(byHandle);
    const path = join(root, 'tool.sh');
    await writeFile(path, 'a'.repeat(1_000_000));
    await chmod(path, 0o777);
    const seen = new Set<string>();
    const writes = (async () => {
      for (const letter of 'bcdefgh') await workspace.write('tool.sh', letter.repeat(1_000_000));
      return true;
    })();
    for (let written = false; !written; written = await Promise.race([writes, Promise.resolve(false)])) {
      const content = await readFile(path, 'utf8');
      seen.add(content === content.charAt(0).repeat(1_000_000) ? 'whole' : `half, ${content.length}`);
    }
    expect([...seen]).toEqual(['whole']);
    expect((await stat(path)).mode & 0o777).toBe(0o777);
    expect(await readdir(root)).toEqual(['tool.sh']);
  });

  test('refuses what is too large, to read and to write', async () => {
    const { root, workspace } = await setting(byHandle);
    await writeFile(join(root, 'huge'), '');
    await truncate(join(root, 'huge'), 10 * 2 ** 20 + 1);
    await expect(workspace.read('huge')).rejects.toThrow(
      say.tooLargeToRead({ path: '"huge"', size: '10.0 MB', most: '10.0 MB' }),
    );
    await expect(workspace.write('big', 'x'.repeat(10 * 2 ** 20 + 1))).rejects.toThrow(
      'at most 10.0 MB can be written',
    );
    expect(await readdir(root)).toEqual(['huge']);
  });

  test('that was replaced by a link is no longer used', async () => {
    const { root, outside, workspace } = await setting(byHandle);
    await rename(root, `${root}-old`);
    await symlink(outside, root);
    await expect(workspace.read('secret.txt')).rejects.toThrow(say.workspaceIsLink);
    await expect(workspace.write('new.txt', 'x')).rejects.toThrow(say.workspaceIsLink);
  });
});
