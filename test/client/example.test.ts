import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { call, resultsOf } from '../support/scripted-model.ts';
import { waitUntil } from '../support/wait-for.ts';
import { remoteDaemon } from './client-setting.ts';

const root = join(import.meta.dirname, '../..');

test('the device of the example offers its two tools, which a chat calls', async () => {
  const setting = await remoteDaemon({ config: { remote_tools: { categories: { '*': 'network_read' } } } });
  const { model, channel } = setting.daemon;
  const token = await setting.token('laptop');
  const source = await readFile(join(root, 'examples/device/device.js'), 'utf8');
  const here = source
    .replace(`'keyturn/client'`, JSON.stringify(pathToFileURL(join(root, 'src/client/client.ts')).href))
    .replace('ws://127.0.0.1:42617', setting.address);
  expect(here).not.toBe(source);
  const folder = await mkdtemp(join(tmpdir(), 'keyturn-example-'));
  await writeFile(join(folder, 'device.mjs'), here);
  const device = spawn(process.execPath, [join(folder, 'device.mjs')], {
    env: { PATH: process.env.PATH, KEYTURN_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  device.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  onTestFinished(async () => {
    device.kill();
    await rm(folder, { recursive: true, force: true });
  });
  await waitUntil(async () => (await (await setting.ask('/api/tools', token)).text()).includes('device_info'));
  model.next([call('device_info', {}), call('notify', { text: 'Dinner is ready.' })], 'noted');
  await channel.say('tell me');
  const [info, shown] = resultsOf(await model.asked(2));
  expect(info).toContain('uptime_secs');
  expect(shown).toBe('It answered nothing.');
  await waitUntil(() => said.includes('🔔 Dinner is ready.'));
});
