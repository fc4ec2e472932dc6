import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newFolder } from '../../../support/new-folder.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { sandboxSetting } from './sandbox-setting.ts';

const protectedNames = ['.git/hooks/', '.git/config', '.envrc', '.bashrc', '.vscode/'];
const writes = ['echo x > .envrc', 'echo x > .bashrc', 'mkdir .vscode', 'ln -s x .bashrc', 'mkdir -p .git/hooks'];

describe('what a listing in the sandbox shows', () => {
  test('a command that only reads sees the workspace as it is, and can write nothing there', async () => {
    const { run, workspace } = await sandboxSetting({ protectedNames });
    await mkdir(join(workspace, 'sub'));
    await writeFile(join(workspace, 'sub', 'file'), 'old');
    const listed = await run('ls -A . sub', { isReadOnly: true });
    expect(listed).toMatchObject({ stdout: '.:\nsub\n\nsub:\nfile\n', exitCode: 0, refusals: [] });
    for (const attempt of [...writes, 'echo x > new', 'echo x > sub/file', 'mkdir sub/.vscode', 'mv sub other']) {
      const { exitCode, refusals } = await run(attempt, { isReadOnly: true });
      expect(`${attempt}: ${exitCode}`).toMatch(/: [1-9]\d*$/);
      expect(refusals).toEqual([expect.stringContaining('only reads')]);
    }
    expect(await readdir(workspace, { recursive: true })).toEqual(['sub', 'sub/file']);
    expect(await readFile(join(workspace, 'sub', 'file'), 'utf8')).toBe('old');
  });

  test('one that only reads has a place for its temporary files, and runs where a protected name is a link', async () => {
    const { run, workspace } = await sandboxSetting({ protectedNames });
    await symlink('real', join(workspace, '.envrc'));
    expect(await run('echo x > /tmp/x; cat /tmp/x; ls -A', { isReadOnly: true })).toMatchObject({
      stdout: 'x\n.envrc\n',
      refusals: [],
    });
  });

  test('private files inside a workspace stay hidden from one that only reads, and the folders on the way read-only', async () => {
    const workspace = await newFolder();
    await mkdir(join(workspace, 'way', 'data'), { recursive: true });
    await writeFile(join(workspace, 'way', 'data', 'secret'), 'secret');
    const { run } = await sandboxSetting({ workspace, privatePaths: [join(workspace, 'way', 'data')] });
    const { stdout } = await run('cat way/data/secret; ls -A way; echo x > way/new', { isReadOnly: true });
    expect(stdout).toBe('data\n');
    expect(await readdir(join(workspace, 'way'))).toEqual(['data']);
  });

  test('what a killed process has left goes with the next command, also with one that only reads', async () => {
    const { run, workspace } = await sandboxSetting({ protectedNames });
    const { run: runNext } = await sandboxSetting({ workspace, protectedNames });
    const aborting = new AbortController();
    const held = run('echo begun > begun; exec sleep 60', { signal: aborting.signal });
    await waitUntil(() => existsSync(join(workspace, 'begun')), { what: 'the command to run' });
    expect((await runNext('ls -A', { isReadOnly: true })).stdout).toBe('begun\n');
    aborting.abort();
    await held;
  });

  test('where names are held, a listing says that they are not files, and a text that mentions one is left alone', async () => {
    const { run, workspace } = await sandboxSetting({ protectedNames });
    const held = [
      'These are not files: .envrc, .bashrc, .vscode/. The sandbox holds the names while a command runs, so that it cannot write them (tools.shell.protected).',
    ];
    for (const listing of ['touch a; ls -la', 'touch a; find .', 'touch a; ls -aQ'])
      expect(`${listing}: ${(await run(listing)).refusals}`).toBe(`${listing}: ${held}`);
    expect((await run("touch a; echo 'put it into .bashrc'; ls")).refusals).toEqual([]);
    await writeFile(join(workspace, '.bashrc'), 'mine');
    expect((await run('touch a; ls -la; cat .bashrc')).refusals).toEqual([expect.not.stringContaining('.bashrc')]);
  });

  test('one that only reads is told of names that another command holds at the same time', async () => {
    const { run, workspace } = await sandboxSetting({ protectedNames });
    const aborting = new AbortController();
    const held = run('echo begun > begun; exec sleep 60', { signal: aborting.signal });
    await waitUntil(() => existsSync(join(workspace, 'begun')), { what: 'the command to run' });
    const { stdout, refusals } = await run('ls -A', { isReadOnly: true });
    expect(stdout).toContain('.envrc');
    expect(refusals).toEqual([expect.stringContaining('not files: .envrc')]);
    aborting.abort();
    await held;
    expect((await run('ls -A', { isReadOnly: true })).stdout).toBe('begun\n');
  });
});
