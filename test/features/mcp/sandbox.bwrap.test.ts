import { spawnSync } from 'node:child_process';
import { constants, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { letPass } from '../../support/let-pass.ts';
import { mcpSetting } from '../../support/mcp/mcp-setting.ts';
import { definition, serverFolder } from '../../support/mcp/server-folder.ts';
import { newFolder } from '../../support/new-folder.ts';
import { processesWith } from '../../support/processes.ts';
import { useTool } from '../../support/use-tool.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { realSandbox } from '../../tools/guard/process/sandbox-setting.ts';

test('an MCP server in the sandbox works, and writes in its own folder alone', async () => {
  const server = await serverFolder(definition('touch'));
  const elsewhere = await newFolder();
  const config = server.config({ sandbox: true, cwd: server.path, ...(await programIn(server.path)) });
  const setting = await mcpSetting({ box: config }, { sandbox: await realSandbox() });
  expect(await useTool(setting, 'box_touch', { path: join(server.path, 'own') })).toBe('written');
  expect(await useTool(setting, 'box_touch', { path: join(elsewhere, 'other') })).not.toContain('written');
  expect(await useTool(setting, 'box_touch', { path: '/etc/keyturn-test' })).toMatch(/EROFS|EACCES|EPERM/);
});

/** It tells so once it has tried to start the server. */
async function saysThereIsNone({ channel }: Awaited<ReturnType<typeof mcpSetting>>): Promise<void> {
  await waitUntil(async () => {
    channel.clear();
    return (await channel.ask('/status', 'is up for')).text.includes('there is none: it was switched off');
  });
}

test('whether an MCP server has its sandbox is asked at each start of it, whatever was edited before', async () => {
  const server = await serverFolder(definition('touch'));
  const { path } = server;
  const elsewhere = await newFolder();
  const mcp_servers = { box: server.config({ sandbox: true, cwd: path, ...(await programIn(path)) }) };
  const sandbox = await realSandbox();
  const setting = await mcpSetting(mcp_servers, { sandbox });
  const [own, other] = [join(path, 'own'), join(elsewhere, 'other')];
  expect(await useTool(setting, 'box_touch', { path: own })).toBe('written');
  await setting.edit({ mcp_servers }, { sandbox: { holds: false, reason: 'it was switched off' } });
  letPass(setting.clock);
  // In its namespace it has another id. Some end with the first that is killed.
  spawnSync('kill', ['-9', ...(await processesWith(path))]);
  await waitUntil(async () => (await processesWith(path)).length === 0);
  expect(await useTool(setting, 'box_touch', { path: other })).not.toContain('written');
  await saysThereIsNone(setting);
  await setting.edit({ mcp_servers }, { sandbox });
  setting.clock.advance(600_000);
  await waitUntil(async () => (await useTool(setting, 'box_touch', { path: own })) === 'written');
  expect(await useTool(setting, 'box_touch', { path: other })).not.toContain('written');
});

test('an MCP server that has no sandbox yet is started once an edit has brought one', async () => {
  const server = await serverFolder(definition('touch'));
  const { path } = server;
  const mcp_servers = { box: server.config({ sandbox: true, cwd: path, ...(await programIn(path)) }) };
  const setting = await mcpSetting(mcp_servers, { sandbox: { holds: false, reason: 'it was switched off' } });
  await saysThereIsNone(setting);
  await setting.edit({ mcp_servers }, { sandbox: await realSandbox() });
  setting.clock.advance(600_000);
  await waitUntil(async () => (await useTool(setting, 'box_touch', { path: join(path, 'own') })) === 'written');
});

/** Wherever this project stands, the sandbox may hide it: what is to run in there stands in the server's own folder. */
async function programIn(folder: string): Promise<{ readonly command: string; readonly args: readonly string[] }> {
  const command = join(folder, 'node');
  const script = join(folder, 'server.ts');
  await copyFile(process.execPath, command, constants.COPYFILE_FICLONE);
  await copyFile(fileURLToPath(new URL('../../support/mcp/scripted-server.ts', import.meta.url)), script);
  return { command, args: [script, folder, ''] };
}
