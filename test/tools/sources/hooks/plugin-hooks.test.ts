import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type DaemonSetting, daemonSetting } from '../../../support/daemon-setting.ts';
import { RecordingTool } from '../../../support/recording-tool.ts';
import { call, resultsOf } from '../../../support/scripted-model.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { writePlugin } from '../plugin/plugin-setting.ts';

/** Cancels what is forbidden, changes what is to be changed, fails at the rest; and writes down what has ended. */
const program = `#!/usr/bin/env node
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
function before({ arguments: { what } }) {
  if (what === 'forbidden') return { decision: 'cancel', reason: 'The plugin says no.' };
  if (what === 'one') return { decision: 'modify', arguments: { what: 'two' } };
  if (what === 'deep') return 'DEEP';
  if (what === 'broken') throw new Error('oh');
  return { decision: 'continue' };
}
const methods = {
  initialize: () => ({}),
  shutdown: () => ({}),
  before_tool_call: before,
  after_tool_call: ({ outcome, result }) => { appendFileSync('ended.txt', outcome + ' ' + result + '\\n'); return {}; },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  let answer;
  try { answer = { result: methods[method](params) }; } catch (error) { answer = { error: { code: 1, message: error.message } }; }
  const nested = '['.repeat(100000) + ']'.repeat(100000);
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }).replace('"DEEP"', nested));
}
`;

/** A daemon whose calls a plugin sees; trusted, unless it is to wait for that. */
async function housed(longLived: boolean, hook: object = {}) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'keyturn-plugins-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const binary = { path: 'watch.mjs', long_lived: longLived };
  const manifest = { name: 'watch', version: '1', description: 'Watches.', execution: 'binary', binary };
  await writePlugin(folder, manifest, 'watch', { 'watch.mjs': program });
  const look = new RecordingTool('look', 'network_read');
  const asked = { plugin: 'watch', tools: ['look'], ...hook };
  const hooks = { before_tool_call: [asked], after_tool_call: [{ plugin: 'watch', tools: ['look'] }] };
  const config = { plugins: { enabled: true, plugin_dirs: [folder] }, hooks };
  const setting = await daemonSetting({ config, tools: [look.registration] });
  await setting.channel.say('hi');
  await setting.channel.sees('The plugin `watch` is new here');
  return { setting, look };
}

async function lookAt(setting: DaemonSetting, what: string): Promise<string> {
  const before = setting.model.requests.length;
  setting.model.next([call('look', { what })], 'done');
  await setting.channel.say(`look at ${what}`);
  return resultsOf(await setting.model.asked(before + 2)).at(-1) ?? '';
}

async function trust(setting: DaemonSetting): Promise<void> {
  const [row] = setting.rows('SELECT asked_id FROM trusted');
  await setting.channel.say(`/trust ${row?.asked_id}`);
  await setting.channel.sees('Trusted: the plugin');
}

describe.each([
  ['that goes on running', true],
  ['that is started for each event', false],
])('a plugin %s', (_what, longLived) => {
  test('may be a hook, once an owner trusts it', async () => {
    const { setting, look } = await housed(longLived);
    expect(await lookAt(setting, 'around')).toContain('what it does not see does not run');
    await trust(setting);
    await waitUntil(async () => (await lookAt(setting, 'around')) === 'done: around');
    expect(await lookAt(setting, 'one')).toMatch(/^done: two\n\[A hook/);
    expect(await lookAt(setting, 'forbidden')).toContain('The plugin says no.');
    expect(await lookAt(setting, 'broken')).toContain('It failed');
    expect(await lookAt(setting, 'deep')).toContain('It failed');
    expect(look.executed).toEqual(['around', 'two']);
    const ended = (): Promise<string> => readFile(join(setting.workspace, 'ended.txt'), 'utf8').catch(() => '');
    await waitUntil(async () => (await ended()) === 'success done: around\nsuccess done: two\n', {
      what: 'it to be told',
    });
  });
});

test('a plugin that is a hook may be one that is not needed', async () => {
  const { setting } = await housed(true, { on_failure: 'continue' });
  expect(await lookAt(setting, 'forbidden')).toBe('done: forbidden');
});
