import { mkdir, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { toolsToLookAt } from '../../scripts/builtin-definitions.ts';
import { toolGraceOf } from '../../src/cli/run-daemon.ts';
import { ModelError } from '../../src/models/language-model.ts';
import { modelWords } from '../../src/models/words.ts';
import { budgetWords } from '../../src/runs/words.ts';
import { asyncTask, llmOnly, split, storing } from '../../src/tools/output.ts';
import type { ToolRegistration } from '../../src/tools/registry.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { RecordingTool, untilStopped } from '../support/recording-tool.ts';
import { call, resultsOf, wordsOf } from '../support/scripted-model.ts';
import { deploySetting } from './deploy-setting.ts';

test('a run that takes too many turns is ended with words, and goes on when it is told to', async () => {
  const look = new RecordingTool('look', 'memory');
  const { model, channel } = await deploySetting({ config: { agent: { max_turns: 3 } } }, look);
  model.otherwise(() => [call('look', { what: 'again' })]);
  await channel.askAtRest('look around', budgetWords.en.turnsTaken(3));
  expect(look.executed).toHaveLength(3);
  model.otherwise(() => 'enough seen');
  await channel.ask('go on', 'enough seen');
  expect(wordsOf(await model.asked(4))).toContain('Ended: too many turns.');
});

test.each([
  [
    'a failure of the model',
    new ModelError('auth', 'The key of *main* is refused'),
    '⚠️ The key of \\*main\\* is refused',
  ],
  ['a fault of our own', new TypeError('a bug'), 'Something went wrong inside Keyturn'],
])('%s is told, and the next message works', async (_what, error, words) => {
  const { model, channel } = await deploySetting();
  model.next(() => {
    throw error;
  });
  expect((await channel.ask('hello', words)).text).not.toContain('a bug');
  await channel.ask('again', /again$/);
});

test.each([[[]], [[{ type: 'text' as const, text: ' \n' }]]])('an empty answer is told: %j', async (parts) => {
  const { model, channel } = await deploySetting();
  model.next(parts);
  await channel.askAtRest('hello', modelWords.en.nothingSaid);
  await channel.ask('again', /again$/);
  expect(channel.screen).toHaveLength(2);
});

test('what a tool shows to people is shown once and never reaches the model, and the other way round', async () => {
  const report = new RecordingTool('report', 'memory', () => split('SECRET-FOR-THE-MODEL', 'CHART-FOR-PEOPLE'));
  const { setting, model, channel } = await deploySetting({}, report);
  model.next([call('report', { what: 'sales' })], 'here it is');
  await channel.ask('report', 'here it is');
  await setting.restart();
  await channel.whenIdle();
  expect(channel.textsIn('test:ada')).toEqual(['CHART-FOR-PEOPLE', 'here it is']);
  expect(resultsOf(await model.asked(2))).toEqual(['SECRET-FOR-THE-MODEL']);
  await channel.say('and?');
  expect(JSON.stringify(await model.asked(3))).not.toContain('CHART');
  expect(JSON.stringify(channel.traffic)).not.toContain('SECRET');
});

test('a tool that does not exist, bad arguments and a refusal are told to the model, and nobody is asked', async () => {
  const { model, channel, deploy } = await deploySetting({ config: { agent: { mode: 'observer' } } });
  model.next([call('nothing', {}), call('deploy', { what: 7, more: true }), call('deploy', { what: 'site' })], 'I see');
  await channel.ask('do it all', 'I see');
  const [unknown, , refused] = resultsOf(await model.asked(2));
  expect(unknown).toMatch(/There is no tool "nothing" here\. Available: .*\bdeploy, echo, /);
  expect(refused).toContain('not available in observer mode');
  expect(channel.screen).toHaveLength(1);
  expect(deploy.executed).toEqual([]);
});

test('calls behind one that waits for a person run behind it, and those before it at once', async () => {
  const look = new RecordingTool('look', 'memory');
  const { model, channel, deploy } = await deploySetting({ tools: [look.registration] });
  const calls = [call('look', { what: 'a' }), call('deploy', { what: 'site' }), call('look', { what: 'b' })];
  model.next(calls, 'done');
  const card = await channel.cardFor('all');
  await channel.whenIdle();
  expect([look.executed, deploy.executed]).toEqual([['a'], []]);
  await channel.pressToSee(card, 'done');
  expect(resultsOf(await model.asked(2))).toEqual(['done: a', 'done: site', 'done: b']);
});

test('calls behind one that waits for a person are not held up for good: more words let them run', async () => {
  const look = new RecordingTool('look', 'memory');
  const { model, channel, deploy } = await deploySetting({ tools: [look.registration] });
  model.next([call('deploy', { what: 'site' }), call('look', { what: 'b' })], 'both');
  await channel.cardFor('all');
  await channel.whenIdle();
  await channel.ask('and now?', 'both');
  expect([look.executed, deploy.executed]).toEqual([['b'], []]);
});

test('a call that ran when the process died is told as unknown, to the model and to the person', async () => {
  const { setting, model, channel, deploy } = await deploySetting({ config: { approval: { policy: 'always_allow' } } });
  model.next([call('deploy', { what: 'site' })], 'I will look');
  await channel.ask('deploy', 'I will look');
  await setting.stop();
  setting.tamper(`DELETE FROM turns WHERE id > 1; UPDATE conversations SET is_open = 1;
    UPDATE calls SET state = 'begun', outcome = NULL, result = NULL`);
  await setting.start();
  await channel.sees('⚡ Outcome unknown');
  expect(resultsOf(await model.asked(3))).toEqual([expect.stringContaining('Outcome unknown')]);
  expect(deploy.executed).toEqual(['site']);
});

test('a call of which the model wrote nothing before it was cut off does not run, though its tool needs no argument', async () => {
  const { model, channel } = await daemonSetting();
  model.next([call('list_dir', '(cut off)')], 'I was cut off');
  await channel.ask('list', 'I was cut off');
  expect(resultsOf(await model.asked(2))).toEqual([expect.stringContaining('the tool did not run')]);
});

test('a tool may end what it does when the process is told to end, while nothing is sent any more', async () => {
  const work = Promise.withResolvers<void>();
  const slow = new RecordingTool('slow', 'network_read', async (_what, { reply }) => {
    await work.promise;
    await reply('said at the end');
    return llmOnly('done in time');
  });
  const { setting, channel, model, clock } = await daemonSetting({ tools: [slow.registration], toolGrace: 20_000 });
  model.next([call('slow', { what: 'x' })]);
  await channel.say('go');
  await slow.ran(1);
  const stopped = setting.stop();
  await clock.waitsFor(20_000);
  // Nothing is taken in meanwhile: the platform keeps it.
  expect(() => channel.say('too late')).toThrow('the channel was not started');
  clock.advance(19_000);
  work.resolve();
  await stopped;
  expect(setting.rows('SELECT outcome, result FROM calls')).toEqual([{ outcome: 'success', result: 'done in time' }]);
  expect(channel.textsIn('test:ada').join()).not.toContain('said at the end');
  model.next('All done.');
  await setting.start();
  await channel.sees('said at the end');
  await channel.sees('All done.');
});

test('a tool that takes longer is ended', async () => {
  const slow = new RecordingTool('slow', 'network_read', untilStopped);
  const setting = await daemonSetting({ tools: [slow.registration], toolGrace: 20_000 });
  setting.model.next([call('slow', { what: 'x' })]);
  await setting.channel.say('go');
  await slow.ran(1);
  const stopped = setting.stop();
  await setting.clock.passes(20_000);
  await stopped;
  expect(setting.rows('SELECT state FROM calls')).toEqual([{ state: 'begun' }]);
});

test('tools are given long where a supervisor waits, and what the config says', () => {
  const stdin = { isTTY: false };
  expect(toolGraceOf(undefined, { env: { INVOCATION_ID: 'x' }, stdin })).toBe(20_000);
  expect(toolGraceOf(undefined, { env: { NOTIFY_SOCKET: '/run/x' }, stdin })).toBe(20_000);
  expect(toolGraceOf(undefined, { env: { INVOCATION_ID: 'x' }, stdin: { isTTY: true } })).toBe(2_500);
  expect(toolGraceOf(7, { env: { INVOCATION_ID: 'x' }, stdin })).toBe(7_000);
  expect(toolGraceOf(0, { env: {}, stdin })).toBe(0);
});

const perChat = { 'test:team': { disabled: ['category:shell', 'category:network_read', 'read_file'] } };
const openWeb = { http_request: { allowed_domains: ['api.example.com'] } };

test('in a chat with rules of its own, the model is told of fewer tools, and cannot call the others', async () => {
  const { channel, model } = await daemonSetting({ config: { tools: { per_chat: perChat, ...openWeb } } });
  const get = call('http_request', { url: 'https://api.example.com' });
  model.next([call('shell', { command: 'ls' }), call('read_file', { path: 'a' }), get]);
  await channel.say('look', { in: group });
  const [first, second] = [await model.asked(1), await model.asked(2)];
  const names = first.tools.map(({ name }) => name);
  expect(names).toContain('list_dir');
  expect(names).not.toContain('shell');
  expect(names).not.toContain('read_file');
  expect(names).toContain('http_request');
  expect(resultsOf(second)).toEqual([
    expect.stringContaining('There is no tool "shell" here'),
    expect.stringContaining('There is no tool "read_file" here'),
    expect.stringContaining('http_request may not be used for this (network_read)'),
  ]);
  await channel.say('look');
  expect((await model.asked(3)).tools.map(({ name }) => name)).toContain('shell');
});

test('/tools tells what there is in the chat where it is asked', async () => {
  const { channel } = await daemonSetting({ config: { tools: { per_chat: perChat } } });
  expect((await channel.ask('/tools', 'Tools here:', { in: group, at: 'test:team' })).text).not.toContain('`shell`');
  expect((await channel.ask('/tools', 'Tools here:', { at: 'test:ada' })).text).toContain('`shell`');
});

const allowed = { ...openWeb, attempt_completion: { in_chats: true } };

test('each builtin tool is there, and not when it is switched off', async () => {
  const names = toolsToLookAt(allowed).map(({ name }) => name);
  const { setting, channel, model } = await daemonSetting({ config: { tools: { ...allowed, compact: 'always' } } });
  const told = async (): Promise<readonly string[]> => {
    const asked = model.requests.length;
    await channel.say('hello');
    return (await model.asked(asked + 1)).tools.map(({ name }) => name);
  };
  expect(await told()).toEqual(expect.arrayContaining(names));
  const off = names.map((name) => [name, { ...Object(Reflect.get(allowed, name)), enabled: false }]);
  await setting.restart({ tools: Object.fromEntries(off) });
  expect((await told()).filter((name) => names.includes(name))).toEqual([]);
});

test('a tool whose work goes on behind its call tells people later what came of it', async () => {
  const over = Promise.withResolvers<void>();
  const oven = new RecordingTool('oven', 'memory', (what, context) => {
    void over.promise.then(() => context.reply(`The ${what} is baked.`));
    return asyncTask('It bakes.');
  });
  const { model, channel } = await deploySetting({ tools: [oven.registration] });
  model.next([call('oven', { what: 'cake' })], 'I have put it in.');
  await channel.ask('bake a cake', 'I have put it in.');
  expect(resultsOf(await model.asked(2))).toEqual(['It bakes.']);
  over.resolve();
  await channel.sees('The cake is baked.');
});

test('a call in a workspace that is broken does not run, which is said; when it is mended, what waits still can', async () => {
  const { setting, model, channel, deploy } = await deploySetting();
  model.next([call('deploy', { what: 'one' }), call('deploy', { what: 'two' })]);
  await channel.say('do it');
  const open = () => channel.screen.filter(({ buttons }) => buttons.length > 0);
  const [first, second] = await channel.changes.waitFor(() => open().length === 2 && open());
  await rm(setting.workspace, { recursive: true });
  await writeFile(setting.workspace, 'no folder');
  await channel.pressToSee(first ?? '', 'cannot be used');
  await channel.seesAtRest('🚫 It did not run');
  await rm(setting.workspace);
  await mkdir(setting.workspace);
  await channel.askAtRest('hello again', /hello again$/);
  await channel.pressToSee(second ?? '', '✔️ done in');
  expect(wordsOf(await model.asked(3))).toContain('outcome="success"');
  expect(resultsOf(await model.asked(2)).join()).toContain('Not executed: something went wrong');
  expect(deploy.executed).toEqual(['two']);
});

test('a tool that cannot be made for its call, and one whose change cannot be stored, have failed', async () => {
  const look = new RecordingTool('look', 'memory');
  let made = 0;
  const create: ToolRegistration['create'] = (scope) => {
    made += 1;
    if (made > 1) throw new Error('It is broken.');
    return look.registration.create(scope);
  };
  const apply = (): never => {
    throw new Error('It does not fit.');
  };
  const note = new RecordingTool('note', 'memory', () => storing({ apply }));
  const { model, channel } = await deploySetting({ tools: [{ ...look.registration, create }, note.registration] });
  model.next([call('look', { what: 'here' }), call('note', { what: 'tea' })], 'I see');
  await channel.ask('look', 'I see');
  expect(resultsOf(await model.asked(2))).toEqual([
    expect.stringContaining('The tool look did not run: it could not be made for this call.'),
    'note failed, and has changed nothing.',
  ]);
});
