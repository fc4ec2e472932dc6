import { execFileSync } from 'node:child_process';
import { link, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonValue } from '../../../../src/lib/json.ts';
import { searchTree } from '../../../../src/tools/builtin/files/search-tree.ts';
import { type Workspace, workspaces } from '../../../../src/tools/guard/workspace/workspace.ts';
import { WorkspaceError } from '../../../../src/tools/guard/workspace/workspace-error.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { isThorough, sampled } from '../../../support/thorough.ts';
import { listed } from '../../setting.ts';
import { fileToolsIn, plant } from './file-tools-setting.ts';
import { depth, systemFiles, trapLinks, traversalStrings } from './traversal-strings.ts';

/** What stands in the files outside, and in no name. The pattern of a search is a part of it. */
const canary = 'canary-b3f1-of-the-outside';
const secrets = [canary, 'root:x:0', 'PATH='];

/** A workspace deep in folders of which each has something to steal, full of links, pipes and devices. */
async function trap() {
  const folder = await newFolder();
  const levels = Array.from({ length: depth }, (_, index) => join(folder, 'level/'.repeat(index)));
  for (const level of levels) await plant(level, { 'outside/secret.txt': canary, 'secret.txt': canary });
  const nearest = levels.at(-1) ?? folder;
  const workspace = join(nearest, 'workspace');
  await plant(workspace, { 'inside/mine.txt': 'mine', 'inside/deep/mine.txt': 'mine' });
  await layLinks(workspace, nearest);
  return { ...fileToolsIn(folder, workspace), secret: join(nearest, 'outside/secret.txt') };
}

async function layLinks(workspace: string, nearest: string): Promise<void> {
  const outside = join(nearest, 'outside');
  const links = {
    up: '..',
    out: outside,
    'chain-1': 'chain-2',
    'chain-2': './inside/../chain-3',
    'chain-3': 'inside/back/outside',
    'inside/back': '../..',
    'inside/deep/chain': '../../chain-1',
    root: '/',
    proc: '/proc/self',
    dots: 'inside/deep/../../../outside',
    'again-out': 'again/../../outside',
    again: 'inside',
    'secret-link': join(outside, 'secret.txt'),
    'secret-chain': 'chain-1/secret.txt',
    dangling: join(outside, 'new.txt'),
    loop: 'loop',
    zero: '/dev/zero',
    null: '/dev/null',
    memory: '/proc/self/mem',
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(workspace, name));
  await link(join(outside, 'secret.txt'), join(workspace, 'secret-hard'));
  execFileSync('mkfifo', [join(workspace, 'pipe')]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(workspace, 'socket'), resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
}

/** All there is beside the workspace: what it is, when it was changed, and what stands in it. */
async function outsideOf({ folder, workspace }: Awaited<ReturnType<typeof trap>>): Promise<readonly string[]> {
  const seen: string[] = [];
  const look = async (path: string): Promise<void> => {
    if (path === workspace) return;
    const found = await lstat(path);
    const { ino, mode, mtimeMs, nlink, size } = found;
    const content = found.isFile() ? await readFile(path, 'utf8') : '';
    seen.push([path, ino, mode, nlink, size, mtimeMs, content].join(' '));
    if (found.isDirectory()) for (const name of (await readdir(path)).sort()) await look(join(path, name));
  };
  await look(folder);
  return seen;
}

const number = traversalStrings(['/somewhere/outside/secret.txt', ...systemFiles]).length;

describe(`${number} strings that try to leave the workspace`, () => {
  test('are at least five hundred, and hold one for each link that was laid', () => {
    expect(number).toBeGreaterThanOrEqual(500);
    expect(traversalStrings(['/x'])).toEqual(expect.arrayContaining(trapLinks));
  });

  test('read nothing outside: read_file, read_document, list_dir, find_files, search_files, and files that are held to be sent', async () => {
    const setting = await trap();
    const { workspace, secret, call } = setting;
    const before = await outsideOf(setting);
    const guards = [true, false].map((byHandle) => workspaces({}, byHandle)(workspace));
    const search = (path: string, files?: string) => async (): Promise<string> => {
      const args = { pattern: canary.slice(2), path, files, context: 1, is_regex: false, ignore_case: true };
      return (await searchTree({ root: workspace, rules: {}, args, maxResults: 50, maxFileBytes: 1e6, timeout: 5e3 }))
        .forLlm;
    };
    const hold = (guard: Workspace, path: string) => async (): Promise<string> => {
      try {
        return await guard.withFile(path, 1e6, async (held) => readFile(held.path, 'utf8'));
      } catch (cause) {
        if (cause instanceof WorkspaceError) return cause.message;
        throw cause;
      }
    };
    const tool = (name: string, args: JsonValue) => async (): Promise<string> => (await call(name, args)).forLlm;
    for (const text of sampled(traversalStrings([secret, ...systemFiles]), 8)) {
      const isPattern = text.length <= 500;
      const attempts = [
        tool('read_file', { path: text }),
        tool('read_document', { path: text }),
        tool('list_dir', { path: text }),
        tool('find_files', { pattern: './secret*', path: text }),
        ...(isPattern ? [tool('find_files', { pattern: text }), search('.', text)] : []),
        search(text),
        ...guards.map((guard) => hold(guard, text)),
      ];
      for (const output of await Promise.all(attempts.map((attempt) => attempt()))) {
        for (const each of secrets) expect(output, JSON.stringify(text)).not.toContain(each);
        // Names of what is outside: neither list_dir nor find_files shows one with its size.
        expect(output, JSON.stringify(text)).not.toMatch(/secret\.txt {2}\d/);
      }
    }
    expect(await outsideOf(setting)).toEqual(before);
  });

  test('change and make nothing outside: write_file, edit_file', async () => {
    const setting = await trap();
    const { workspace, secret, call } = setting;
    const before = await outsideOf(setting);
    let inert = 0;
    const attempt = async (text: string): Promise<void> => {
      const edited = await call('edit_file', { path: text, old_text: 'canary', new_text: 'gone' });
      expect(edited.isError, JSON.stringify(text)).toBe(true);
      const written = await call('write_file', { path: text, content: 'written' });
      if (!written.isError) inert += 1;
    };
    const texts = sampled(traversalStrings([secret]), 8);
    const atOnce = 16;
    for (let start = 0; start < texts.length; start += atOnce) {
      await Promise.all(texts.slice(start, start + atOnce).map(attempt));
    }
    expect(await outsideOf(setting)).toEqual(before);
    // Most of them are just odd names on this system: then the file is in the workspace.
    expect(inert).toBeGreaterThan(isThorough ? 200 : 50);
    expect(await readFile(join(workspace, 'inside/mine.txt'), 'utf8')).toBe('mine');
  });

  test('find nothing outside in the thread of its own that a search has', async () => {
    const { secret, call } = await trap();
    for (const path of [secret, '../outside', 'chain-1', 'secret-hard', 'zero', '.']) {
      const { forLlm } = await call('search_files', { pattern: 'b3f1', path });
      expect(forLlm).not.toContain(canary);
    }
  });
});

test.each([
  ...listed`
      con ¦ NUL.txt ¦ aux. ¦ dots... ¦ a:b ¦ file.txt::$DATA ¦ C:\Windows\win.ini ¦ \\server\share\x ¦ ..\..\x
      ¦ %2e%2e%2fx ¦ ..%c0%af ¦ .... ¦ -rf ¦ $(id)`,
  'trailing space ',
  '\uff0e\uff0e\u2215x',
])('%j is a name like others', async (name) => {
  const folder = await newFolder();
  await mkdir(join(folder, 'workspace'));
  const { workspace, call } = fileToolsIn(folder, join(folder, 'workspace'));
  expect((await call('write_file', { path: name, content: 'content' })).isError).toBe(false);
  expect(await readdir(workspace)).toEqual([name]);
  expect((await call('read_file', { path: name })).forLlm).toMatch(/\ncontent$/);
  await writeFile(join(workspace, 'other'), '');
  expect((await call('list_dir', {})).forLlm.split('\n')).toHaveLength(2);
});
