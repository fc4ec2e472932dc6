import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';
import { useTool } from '../support/use-tool.ts';

const token = 'the-token-in-the-config';
const written = JSON.stringify({ owners: ['test:ada'], token });
const variables = `TOKEN=${token}\n`;
const widened = '{ "owners": ["test:eve"] }';

/** Every builtin tool that takes a path, used on the path. */
const attempts: readonly (readonly [tool: string, args: (path: string) => Readonly<Record<string, unknown>>])[] = [
  ['read_file', (path) => ({ path })],
  ['read_document', (path) => ({ path })],
  ['list_dir', (path) => ({ path })],
  ['find_files', (path) => ({ pattern: path })],
  ['search_files', (path) => ({ pattern: 'token', path })],
  ['write_file', (path) => ({ path, content: widened })],
  ['edit_file', (path) => ({ path, edits: [{ old_text: 'test:ada', new_text: 'test:eve' }] })],
  ['edit_file', (path) => ({ path, old_text: 'test:ada', new_text: 'test:eve' })],
  ['send_file', (path) => ({ path })],
];

test('no tool reads, changes or sends the config and its secrets, by whatever name, though they lie in the workspace and nothing asks', async () => {
  const config = {
    agent: { mode: 'autonomous' },
    approval: { policy: 'always_allow' },
    security: { taint: 'off' },
  };
  const privatePaths: string[] = [];
  const setting = await daemonSetting({ config, privatePaths });
  const own = join(setting.workspace, 'config.json');
  const env = join(setting.workspace, '.env');
  privatePaths.push(own, env);
  await mkdir(join(setting.workspace, 'sub'), { recursive: true });
  await Promise.all([writeFile(own, written), writeFile(env, variables)]);
  await symlink(own, join(setting.workspace, 'notes.txt'));
  await symlink(setting.workspace, join(setting.workspace, 'sub', 'here'));
  await link(own, join(setting.workspace, 'copy.json'));
  await link(env, join(setting.workspace, 'copy.env'));
  await setting.restart();

  const names = [
    'config.json',
    './sub/../config.json',
    own,
    'notes.txt',
    'copy.json',
    'sub/here/config.json',
    '.env',
    'copy.env',
  ];
  for (const [tool, args] of attempts) {
    for (const name of names) {
      const said = await useTool(setting, tool, Object(args(name)));
      expect(`${tool} ${name}: ${said}`).not.toContain(token);
    }
  }
  expect(await readFile(own, 'utf8')).toBe(written);
  expect(await readFile(env, 'utf8')).toBe(variables);
  expect(setting.rows('SELECT * FROM attachments')).toEqual([]);

  // The tools work: on a file of the person's own, they do all of that.
  await writeFile(join(setting.workspace, 'mine.txt'), 'test:ada');
  const others = await Promise.all([useTool(setting, 'read_file', { path: 'mine.txt' })]);
  expect(others[0]).toContain('test:ada');
  await useTool(setting, 'write_file', { path: 'mine.txt', content: widened });
  expect(await readFile(join(setting.workspace, 'mine.txt'), 'utf8')).toBe(widened);
});
