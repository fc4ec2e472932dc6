import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DaemonSetting } from '../../../support/daemon-setting.ts';
import { useTool } from '../../../support/use-tool.ts';

test('a daemon whose config lies in the workspace shows it to no tool, nor in the chat', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'keyturn-private-')));
  const config = join(folder, 'workspace/config.json');
  const setting = new DaemonSetting(folder, { privatePaths: [config, join(folder, 'workspace/.env')] });
  onTestFinished(async () => {
    await setting.stop();
    await rm(folder, { recursive: true, force: true });
  });
  await mkdir(join(folder, 'workspace'));
  await writeFile(config, '{"token": "canary"}');
  await writeFile(join(folder, 'workspace/.env'), 'TOKEN=canary');
  await setting.start();
  for (const [tool, path] of [
    ['read_file', 'config.json'],
    ['read_file', './x/../.env'],
    ['send_file', 'config.json'],
  ] as const) {
    expect(await useTool(setting, tool, { path })).toContain('belongs to Keyturn itself');
  }
  expect(JSON.stringify([setting.channel.screen, setting.model.requests])).not.toContain('canary');
});
