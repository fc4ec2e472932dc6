import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deploySetting } from '../../../engine/deploy-setting.ts';
import { type DaemonSetting, daemonSetting } from '../../../support/daemon-setting.ts';
import { letPass } from '../../../support/let-pass.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { noTool } from '../../../support/no-tool.ts';
import { writePlugin } from '../../../support/plugin-files.ts';
import { RecordingTool } from '../../../support/recording-tool.ts';
import { call, resultsOf } from '../../../support/scripted-model.ts';
import { useTool } from '../../../support/use-tool.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { type HookFolder, hookFolder, says } from './hook-setting.ts';

async function hooked(before: (folder: HookFolder) => Promise<readonly object[]>, more: object = {}) {
  const folder = await hookFolder();
  const look = new RecordingTool('look', 'network_read');
  const config = { hooks: { before_tool_call: await before(folder) }, ...more };
  return { folder, look, ...(await deploySetting({ config, tools: [look.registration] })) };
}

const brackets = (bracket: string): string => `head -c 100000 /dev/zero | tr '\\0' '${bracket}'`;

/** JSON that is right, but that nothing can go through which recurses. */
const nestedDecision = `printf '{"decision":"modify","arguments":{"what":'; ${brackets('[')}; ${brackets(']')}; printf '}}'`;

describe('a hook before a call', () => {
  test('is told of it, and lets it go on as if there were no hook', async () => {
    const one = await hooked(async (hooks) => [await hooks.hook('watch', says({ decision: 'continue' }))]);
    const { folder, setting, look } = one;
    expect(await useTool(one, 'look', { what: 'around' })).toBe('done: around');
    expect(look.executed).toEqual(['around']);
    expect(await folder.told('watch')).toEqual([
      {
        event: 'before_tool_call',
        call_id: expect.any(String),
        tool: 'look',
        source: { type: 'custom' },
        category: 'network_read',
        arguments: { what: 'around' },
        conversation: { channel: 'test', chat_id: 'ada', kind: 'direct' },
        principal: 'test:ada',
        workspace: setting.workspace,
      },
    ]);
  });

  test('cancels it: nobody is asked, nothing runs, and the model is told why', async () => {
    const one = await hooked(async (hooks) => [
      await hooks.hook('guard', says({ decision: 'cancel', reason: 'Not on a Friday.' })),
    ]);
    expect(await useTool(one, 'deploy', { what: 'site' })).toBe(
      'Not executed: a hook set up by the operator refused this call, and nobody was asked. Not on a Friday.',
    );
    expect(one.deploy.executed).toEqual([]);
    expect(one.channel.screen.filter(({ kind }) => kind === 'card')).toEqual([]);
  });

  test('changes it: people see what will run, that runs, after a restart too, and the model knows of the change', async () => {
    const { folder, setting, model, channel, deploy } = await hooked(async (hooks) => [
      await hooks.hook('change', says({ decision: 'modify', arguments: { what: 'staging' } })),
    ]);
    model.next([call('deploy', { what: 'site' })], 'done');
    const card = await channel.cardFor('deploy');
    expect((await channel.card()).text).toContain('staging');
    expect((await channel.card()).text).not.toContain('site');
    await setting.restart();
    await channel.pressToSee(card, 'done');
    expect(deploy.executed).toEqual(['staging']);
    const [result] = resultsOf(await model.asked(2));
    expect(result).toMatch(/^done: staging\n\[A hook set up by the operator changed the arguments/);
    expect(model.requests[1]?.messages).toContainEqual(
      expect.objectContaining({ parts: [expect.objectContaining({ arguments: { what: 'site' } })] }),
    );
    expect(await folder.told('change')).toHaveLength(1);
    const [row] = setting.rows("SELECT detail FROM audit WHERE kind = 'call-proposed'");
    expect(row?.detail).toContain('"changedBy":"hooks.before_tool_call[0]"');
  });

  test('cannot make a call of it that its tool does not take', async () => {
    const one = await hooked(async (hooks) => [
      await hooks.hook('spoil', says({ decision: 'modify', arguments: { what: { no: 'text' } } })),
    ]);
    expect(await useTool(one, 'look', { what: 'around' })).toMatch(
      /a hook set up by the operator changed this call.*not your fault.*what/s,
    );
    expect(one.look.executed).toEqual([]);
  });

  test('cannot change it into what a rule forbids', async () => {
    const worse = says({ decision: 'modify', arguments: { command: 'rm -rf stuff' } });
    const one = await hooked(async (hooks) => [await hooks.hook('worsen', worse, { tools: ['shell'] })]);
    expect(await useTool(one, 'shell', { command: 'ls' })).toContain('a rule forbids this call');
    expect(one.channel.screen.filter(({ kind }) => kind === 'card')).toEqual([]);
  });

  test('sees what the hooks before it have made of the call, and only calls that it is about', async () => {
    const one = await hooked(async (hooks) => [
      await hooks.hook('first', says({ decision: 'modify', arguments: { what: 'one' } })),
      await hooks.hook('others', says({ decision: 'cancel' }), { tools: ['deploy', 'read_*'] }),
      await hooks.hook('writers', says({ decision: 'cancel' }), { categories: ['network_write', 'shell'] }),
      await hooks.hook('second', says({ decision: 'continue' }), { tools: ['lo*'], categories: ['network_read'] }),
    ]);
    const { folder, look } = one;
    await useTool(one, 'look', { what: 'zero' });
    expect(look.executed).toEqual(['one']);
    expect(await useTool(one, 'nowhere', {})).toContain(noTool('nowhere'));
    expect(await folder.told('first')).toMatchObject([{ arguments: { what: 'zero' } }]);
    expect(await folder.told('second')).toMatchObject([{ arguments: { what: 'one' } }]);
    expect([...(await folder.told('others')), ...(await folder.told('writers'))]).toEqual([]);
  });

  describe.each([
    ['ends with an exit code', 'echo secrets of mine >&2; exit 3'],
    ['ends with an exit code, whatever it says', `${says({ decision: 'continue' })}; exit 3`],
    ['says what is no JSON', 'echo all is well'],
    ['says nothing', 'true'],
    ['says JSON that is no decision', says({ decision: 'perhaps' })],
    ['changes the arguments into no object', says({ decision: 'modify', arguments: ['a'] })],
    ['does not even exist', 'exec ./nowhere'],
    [
      'says what is nested without end',
      `printf '{"decision":"modify","arguments":{"what":'; head -c 100000 /dev/zero | tr '\\0' '['`,
    ],
    ['says what closes as deep', nestedDecision],
    ['says more than it may', `head -c 3000000 /dev/zero | tr '\\0' ' '; ${says({ decision: 'continue' })}`],
    ['reads nothing of what it is told', 'exit 3'],
  ])('that %s', (_what, words) => {
    test('has cancelled the call, and the model is not told what it said', async () => {
      const one = await hooked(async (hooks) => [await hooks.hook('broken', words)]);
      const result = await useTool(one, 'look', { what: 'around' });
      expect(result).toContain('It failed, and what it does not see does not run.');
      expect(result).not.toContain('secrets');
      expect(one.look.executed).toEqual([]);
    });

    test('lets the call go on where the config says so', async () => {
      const one = await hooked(async (hooks) => [await hooks.hook('broken', words, { on_failure: 'continue' })]);
      await useTool(one, 'look', { what: 'around' });
      expect(one.look.executed).toEqual(['around']);
    });
  });

  test('that takes too long has failed, and is ended', async () => {
    const { folder, model, channel, clock, look } = await hooked(async (hooks) => [
      await hooks.hook('slow', 'sleep 1000', { timeout_secs: 7 }),
    ]);
    model.next([call('look', { what: 'around' })], 'done');
    await channel.say('look');
    await folder.heard('slow', 1);
    await clock.waitsFor(7_000);
    letPass(clock);
    await channel.sees('done');
    expect(resultsOf(await model.asked(2))[0]).toContain('It failed');
    expect(look.executed).toEqual([]);
  });

  test('ends with the run that a person stops', async () => {
    const { folder, model, channel, clock, look } = await hooked(async (hooks) => [
      await hooks.hook('slow', 'sleep 1000'),
    ]);
    model.next([call('look', { what: 'around' })], 'the next answer');
    await channel.say('look');
    await folder.heard('slow', 1);
    letPass(clock);
    await channel.ask('/stop', 'Stopped');
    await channel.ask('and now?', 'the next answer');
    expect(look.executed).toEqual([]);
  });

  test('leaves no trace when the process ends while it decides: the model is asked again', async () => {
    const { folder, setting, model, channel, clock, look } = await hooked(async (hooks) => [
      await hooks.hook('slow', `test $(wc -l < slow.told) -gt 1 || sleep 1000\n${says({ decision: 'continue' })}`, {
        // However long the stop takes by the clock, which runs ahead.
        timeout_secs: 300,
      }),
    ]);
    model.next([call('look', { what: 'around' })], [call('look', { what: 'again' })], 'done');
    await channel.say('look');
    await folder.heard('slow', 1);
    letPass(clock);
    await setting.restart();
    await channel.sees('done');
    expect(look.executed).toEqual(['again']);
    expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'success' }]);
  });
});

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
  const folder = await newFolder();
  const binary = { path: 'watch.mjs', long_lived: longLived };
  const manifest = { name: 'watch', version: '1', description: 'Watches.', execution: 'binary', binary };
  await writePlugin(folder, manifest, 'watch', { 'watch.mjs': program });
  const look = new RecordingTool('look', 'network_read');
  const asked = { plugin: 'watch', tools: ['look'], ...hook };
  const hooks = { before_tool_call: [asked], after_tool_call: [{ plugin: 'watch', tools: ['look'] }] };
  const config = { plugins: { enabled: true, plugin_dirs: [folder] }, hooks };
  const setting = await daemonSetting({ config, tools: [look.registration] });
  await setting.channel.ask('hi', 'The plugin `watch` is new here');
  return { setting, look };
}

function lookAt(setting: DaemonSetting, what: string): Promise<string> {
  return useTool(setting, 'look', { what });
}

async function trust(setting: DaemonSetting): Promise<void> {
  const [row] = setting.rows('SELECT asked_id FROM trusted');
  await setting.channel.ask(`/trust ${row?.asked_id}`, 'Trusted: the plugin');
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

test('what hooks run is kept from tools where it lies in the workspace, or is missing there', async () => {
  const { setting, model, channel, workspace } = await daemonSetting({ config: { agent: { mode: 'autonomous' } } });
  const hook = { command: 'sh ./check.sh', working_dir: workspace, on_failure: 'continue' };
  await setting.restart({ hooks: { before_tool_call: [hook] } });
  letPass(setting.clock);
  for (const path of ['check.sh', 'other.sh']) model.next([call('write_file', { path, content: 'exit 0' })]);
  model.next('done');
  await channel.ask('let all go on', 'done');
  expect(resultsOf(await model.asked(2))).toEqual([expect.stringContaining('belongs to Keyturn itself')]);
  expect(await readdir(workspace)).toEqual(['other.sh']);
});
