import { describe, expect, test } from 'vitest';
import { nobody, toolsToLookAt } from '../../../scripts/builtin-definitions.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { createToolRegistry } from '../../../src/tools/registry.ts';
import { killedBeforeEnd } from '../../engine/killed-before-end.ts';
import { daemonSetting, group } from '../../support/daemon-setting.ts';
import { RecordingTool } from '../../support/recording-tool.ts';
import { useTool } from '../../support/use-tool.ts';

const deploy = new RecordingTool('deploy', 'shell').registration;

test('the tools are listed with their source, their category, whether they ask, and what they are for', async () => {
  const setting = await daemonSetting({ tools: [deploy] });
  const lines = (await useTool(setting, 'list_tools', {})).split('\n');
  expect(lines).toContain('deploy (custom, shell, asks a person first): Does what deploy does.');
  expect(lines).toContain(
    'read_file (builtin, filesystem_read, does not ask): Reads a text file in the workspace, or looks at a picture (JPEG, PNG, GIF, WebP).',
  );
  expect(lines.find((line) => line.startsWith('message '))).toContain('(builtin, messaging, asks a person first)');
  const declared = setting.model.requests[0]?.tools.map(({ name }) => name) ?? [];
  expect(lines.map((line) => line.split(' ')[0])).toEqual([...declared, 'find_tools'].sort());
});

test('one category of tools can be listed alone, and what may not be used here is not there', async () => {
  const perChat = { 'test:team': { disabled: ['write_file', 'category:shell'] } };
  const setting = await daemonSetting({ tools: [deploy], config: { tools: { per_chat: perChat } } });
  const writing = { category: 'filesystem_write' };
  expect(await useTool(setting, 'list_tools', writing)).toMatch(/^edit_file .*\nwrite_file .*$/);
  expect(await useTool(setting, 'list_tools', writing, { in: group })).toMatch(/^edit_file .*$/);
  expect(await useTool(setting, 'list_tools', { category: 'shell' }, { in: group })).toBe(
    'There is no such tool here.',
  );
  expect(await useTool(setting, 'list_tools', { name: 'deploy' }, { in: group })).toContain(
    'There is no tool "deploy"',
  );
});

test('one tool is explained with all that it takes', async () => {
  const setting = await daemonSetting({ config: { agent: { mode: 'observer' } } });
  const told = await useTool(setting, 'list_tools', { name: 'find_files' });
  expect(told).toMatch(/^find_files \(builtin, filesystem_read, does not ask\)\nFinds files/);
  expect(told).toContain('"pattern": {');
  expect(await useTool(setting, 'list_tools', { name: 'write_file' })).toContain('refused in this mode');
  expect(await useTool(setting, 'list_tools', { name: 'find_file' })).toContain('Do you mean find_files?');
});

test.each([
  ['list_tools', {}],
  ['echo', { message: 'hello' }],
])('%s only reads: killed before its end, it runs again', (name, args) => killedBeforeEnd(name, args));

/** What the model is told of a tool under these settings; undefined if there is no such tool. */
async function told(name: string, settings: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const registry = createToolRegistry({ log: silentLog });
  for (const tool of toolsToLookAt(settings)) registry.register(tool, { type: 'builtin' });
  const definition = (await registry.definitions(nobody)).find((one) => one.name === name);
  return definition && JSON.stringify(definition);
}

describe('what the builtin tools say of themselves', () => {
  test.each([
    ['shell', { shell: { timeout_secs: 7 } }, 'Default 7.'],
    ['http_request', { http_request: { allowed_domains: ['api.example.com'] } }, 'api.example.com'],
  ])('%s says something else under other settings', async (name, settings, words) => {
    expect(await told(name, settings)).toContain(words);
  });

  test('each is registered under the name and category that it has', async () => {
    for (const { name, category, create } of toolsToLookAt({ http_request: { allowed_domains: ['*'] } })) {
      expect(await create(nobody)).toMatchObject({ name, category });
    }
  });

  test('http_request is not there while no host is allowed', async () => {
    expect(await told('http_request', {})).toBeUndefined();
  });
});
