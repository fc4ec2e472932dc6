import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { processBounds } from '../../../src/tools/guard/process/sandbox.ts';
import { newFolder } from '../../support/new-folder.ts';
import { writePlugin, writeTroublesome } from '../../support/plugin-files.ts';
import { processesWith } from '../../support/processes.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { realSandbox } from '../../tools/guard/process/sandbox-setting.ts';
import { type PluginSetting, pluginSetting, startTrusted } from './plugin-setting.ts';

/** The folder of the plugins is private, as it is in the data folder: only what is a plugin's own is shown to it. */
async function sandboxed(): Promise<PluginSetting & { readonly secret: string }> {
  const home = await newFolder();
  const secret = join(home, 'secret');
  await writeFile(secret, 'hunter2');
  const made = processBounds({
    sandbox: await realSandbox(),
    isRequired: true,
    hidden: { privatePaths: [home, dirname(process.execPath)] },
    allowedDomains: [],
  });
  onTestFinished(() => made.stop());
  const folder = join(home, 'plugins');
  const setting = await pluginSetting({ bounds: made.bounds, settings: { plugin_dirs: [folder] } });
  await writeTroublesome(folder);
  await writePlugin(folder, {
    name: 'reader',
    version: '1',
    description: 'Reads.',
    tools: [
      { name: 'read_it', description: 'x', parameters: { path: 'string' }, command: 'cat {{path}}' },
      { name: 'write_it', description: 'x', parameters: { path: 'string' }, command: 'echo hi > {{path}}' },
      { name: 'write_above', description: 'x', command: 'pwd; echo hi > ../above', working_dir: 'sub' },
    ],
  });
  await startTrusted(setting, 'troublesome', 'reader');
  return { ...setting, folder, secret };
}

test('a program in the sandbox changes its workspace alone, and reads nothing of ours', async () => {
  const { call, workspace, folder, secret } = await sandboxed();
  const file = join(workspace, 'file');
  expect((await call('touch', { path: file })).forLlm).toBe(`wrote ${file}`);
  expect(await readFile(file, 'utf8')).toBe('was here');
  const own = join(folder, 'troublesome', 'program.mjs');
  expect((await call('touch', { path: own })).forLlm).toContain('EROFS');
  // What it writes elsewhere is gone with it.
  await call('touch', { path: secret });
  expect(await readFile(secret, 'utf8')).toBe('hunter2');
});

test('a command in the sandbox sees its own folder, and neither other plugins nor ours', async () => {
  const { call, folder, secret, workspace } = await sandboxed();
  expect((await call('read_it', { path: join(folder, 'plugin', 'plugin.json') })).isError).toBe(false);
  expect((await call('read_it', { path: join(folder, 'troublesome', 'plugin.json') })).isError).toBe(true);
  expect((await call('read_it', { path: secret })).isError).toBe(true);
  expect((await call('write_it', { path: join(folder, 'plugin', 'new') })).isError).toBe(true);
  expect((await call('write_it', { path: 'new' })).isError).toBe(false);
  expect((await call('write_above')).forLlm).toContain('"sub" does not exist');
  await mkdir(join(workspace, 'sub'));
  expect((await call('write_above')).forLlm).toContain(`\n${workspace}/sub`);
  expect(await readFile(join(workspace, 'above'), 'utf8')).toBe('hi\n');
});

test('a call of a plugin in the sandbox is confined, and stopping leaves no process of it', async () => {
  const { prepare, call, plugins } = await sandboxed();
  expect((await prepare('say', { text: 'x' })).facets).toEqual({
    brings: 'plugin troublesome',
    covers: ['text: x, nothing else'],
  });
  const sleep = `sleep 96${Math.floor(Math.random() * 1e9)}`;
  await call('children', { sleep });
  const asArguments = sleep.replace(' ', '\0');
  await waitUntil(async () => (await processesWith(asArguments)).length === 2, { what: 'its children' });
  await plugins.stop();
  expect(await processesWith(asArguments)).toEqual([]);
});
