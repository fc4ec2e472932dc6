import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { announcement, probeText } from '../../src/cli/doctor/probes/probe-text.ts';
import { bookingTool } from '../../src/cli/doctor/probes/tool-calls.ts';
import { probeWords } from '../../src/cli/doctor/probes/words.ts';
import { daemonEntry } from '../support/daemon-process.ts';
import { ModelServer } from '../support/model-server.ts';
import { newFolder } from '../support/new-folder.ts';
import { runCommandOf } from '../support/run-command.ts';

/** A folder with this config alone. */
async function homeWith(config: object) {
  const folder = await newFolder();
  const configFile = join(folder, 'config.json');
  writeFileSync(configFile, JSON.stringify(config), { mode: 0o600 });
  return { folder, configFile };
}

const served = (url: string, more: object = {}) => ({
  models: { main: { provider: 'openai_compatible', name: 'test', base_url: url, ...more } },
});

const label = 'main (test)';
const booking = { guest: 'Mira Novak', persons: 3, dishes: ['rice', 'green tea'], outside: true };

test('the costs are said before, each probe tells what it found, and a model that only talks fails', async () => {
  await using model = await ModelServer.start();
  const home = await homeWith(served(model.url));
  const { code, stdout, stderr } = await runCommandOf(home, ['doctor', 'model'], { LANG: 'zh_CN.UTF-8' });
  const lines = stdout.trimEnd().split('\n');
  const { names, outcomes } = probeWords.zh;
  expect({ code, stderr, first: lines[0] }).toEqual({ code: 1, stderr: '', first: announcement(label, false, 'zh') });
  for (const name of [names.tools, names.spelling, names.window, names.vision])
    expect(lines.some((line) => line.startsWith(`${name} [`))).toBe(true);
  expect(lines.find((line) => line.startsWith(names.tools))).toContain(`[${outcomes.not}`);
  // The test's model repeats the request, so it has read the beginning.
  expect(lines.find((line) => line.startsWith(names.window))).toContain(`[${outcomes.ok}`);
});

test('a model that calls its tool is good, whatever else it lacks; programs read the same', async () => {
  await using model = await ModelServer.start();
  model.onUser(bookingTool, { calls: [{ name: bookingTool, arguments: booking }] });
  const home = await homeWith(served(model.url, { images: true }));
  const { code, stdout } = await runCommandOf(home, ['doctor', 'model', '--json']);
  const probed = JSON.parse(stdout);
  expect(code).toBe(0);
  expect(probed).toMatchObject({
    model: label,
    ok: true,
    callsTools: true,
    probes: [
      { name: 'tools', outcome: 'ok' },
      { name: 'spelling', outcome: 'not' },
      { name: 'window', outcome: 'ok' },
      { name: 'vision', outcome: 'not', set: { key: 'models.main.images', value: false } },
    ],
  });
  expect(probed.inputTokens).toBeGreaterThan(3000);
  expect(probeText(probed.probes[3], 'en')).toContain(probeWords.en.set({ key: 'models.main.images', value: 'false' }));
  const quick = await runCommandOf(home, ['doctor', 'model', 'main', '--quick', '--json']);
  expect([quick.code, JSON.parse(quick.stdout).probes.length]).toEqual([0, 2]);
});

test('a fallback does not answer in the place of the model that is looked at', async () => {
  await using other = await ModelServer.start();
  const { models } = served(other.url);
  const broken = { provider: 'openai_compatible', name: 'x', base_url: 'http://127.0.0.1:4/v1', fallback: ['main'] };
  const home = await homeWith({ model: 'broken', models: { ...models, broken } });
  const { code, stdout } = await runCommandOf(home, ['doctor', 'model', '--quick', '--json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([
    1,
    { ok: false, probes: [{ outcome: 'unanswered' }, { outcome: 'not-asked' }] },
  ]);
  expect(other.requests).toEqual([]);
});

test('the practice mode is no AI, and is not probed', async () => {
  const home = await homeWith({ model: 'offline' });
  const told = await runCommandOf(home, ['doctor', 'model']);
  expect(told).toEqual({ code: 0, stdout: `${probeWords.en.practice}\n`, stderr: '' });
  const { stdout } = await runCommandOf(home, ['doctor', 'model', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, says: probeWords.en.practice, probes: [] });
});

test('Ctrl-C ends it at once, and what was found stays on the screen', async () => {
  await using model = await ModelServer.start();
  const asked = Promise.withResolvers<void>();
  const never = Promise.withResolvers<void>();
  model.onUser(bookingTool, { calls: [{ name: bookingTool, arguments: booking }] });
  model.otherwise(() => {
    asked.resolve();
    return { text: 'late', until: never.promise };
  });
  const home = await homeWith(served(model.url));
  const child = spawn(process.execPath, [daemonEntry(), 'doctor', 'model', '--config', home.configFile], {
    cwd: home.folder,
    env: { PATH: process.env.PATH ?? '', HOME: home.folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const printed = text(child.stdout);
  await asked.promise;
  child.kill('SIGINT');
  const [code, signal] = await once(child, 'exit');
  expect([code, signal]).toEqual([null, 'SIGINT']);
  expect(await printed).toContain(probeWords.en.calls);
  await model.broken;
  never.resolve();
});
