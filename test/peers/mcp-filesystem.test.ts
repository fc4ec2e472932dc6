import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mcpSetting } from '../support/mcp/mcp-setting.ts';
import { newFolder } from '../support/new-folder.ts';
import { call } from '../support/scripted-model.ts';
import { useTool } from '../support/use-tool.ts';

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));

/** A daemon with the reference server for files, which is trusted to say what only reads. */
async function setUp(root: string) {
  const more = { trust_annotations: true, tools: { write_file: { category: 'filesystem_write' } } };
  return mcpSetting({ files: { command: process.execPath, args: [program, root], ...more } });
}

test('the reference server for files reads without being asked for, in its own folder alone', async () => {
  const root = await newFolder();
  await writeFile(join(root, 'note.txt'), 'tea at four');
  await mkdir(join(root, 'deep'));
  const setting = await setUp(root);
  expect(await useTool(setting, 'files_read_text_file', { path: join(root, 'note.txt') })).toBe('tea at four');
  expect(await useTool(setting, 'files_list_directory', { path: root })).toContain('[DIR] deep');
  expect(await useTool(setting, 'files_read_text_file', { path: '/etc/passwd' })).toContain('Access denied');
  expect(await useTool(setting, 'files_read_text_file', { path: join(root, '../../etc/passwd') })).toContain(
    'Access denied',
  );
});

test('the filesystem server writes when a person has allowed it, and not before', async () => {
  const root = await newFolder();
  const setting = await setUp(root);
  const path = join(root, 'new.txt');
  setting.model.next([call('files_write_file', { path, content: 'done' })]);
  await setting.channel.say('write it');
  const card = await setting.channel.card();
  expect(card.text).toContain('Tool `files_write_file`, category `filesystem_write`');
  await expect(readFile(path)).rejects.toThrow('ENOENT');
  await setting.channel.press(card);
  await setting.channel.sees('✔️ done in');
  expect(await readFile(path, 'utf8')).toBe('done');
});
