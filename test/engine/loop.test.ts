import { expect, test } from 'vitest';
import { ModelError } from '../../src/models/language-model.ts';
import { split } from '../../src/tools/output.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, resultsOf, wordsOf } from '../support/scripted-model.ts';
import { deploySetting } from './deploy-setting.ts';

test('a run that takes too many turns is ended with words, and goes on when it is told to', async () => {
  const look = new RecordingTool('look', 'memory');
  const { model, channel } = await deploySetting({ config: { agent: { max_turns: 3 } } }, look);
  model.otherwise(() => [call('look', { what: 'again' })]);
  await channel.askAtRest('look around', 'I have taken 3 turns for this and stopped here');
  expect(look.executed).toHaveLength(3);
  model.otherwise(() => 'enough seen');
  await channel.ask('go on', 'enough seen');
  expect(wordsOf(await model.asked(4))).toContain('it had taken too many turns');
});

test('a failure of the model is told, and the next message works', async () => {
  const { model, channel } = await deploySetting();
  model.next(() => {
    throw new ModelError('auth', 'The key of *main* is refused');
  });
  await channel.ask('hello', '⚠️ The key of \\*main\\* is refused');
  await channel.ask('again', /again$/);
});

test('a fault of our own is told too, and the next message works', async () => {
  const { model, channel } = await deploySetting();
  model.next(() => {
    throw new TypeError('a bug');
  });
  expect((await channel.ask('hello', 'Something went wrong inside Keyturn')).text).not.toContain('a bug');
  await channel.ask('again', /again$/);
});

test.each([[[]], [[{ type: 'text' as const, text: ' \n' }]], [[{ type: 'reasoning' as const, text: 'hm' }]]])(
  'an empty answer is told: %j',
  async (parts) => {
    const { model, channel } = await deploySetting();
    model.next(parts);
    await channel.askAtRest('hello', 'The model gave an empty answer');
    await channel.ask('again', /again$/);
    expect(channel.screen).toHaveLength(2);
  },
);

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
  await channel.pressToSee(card.buttons[0]?.[0]?.actionId ?? '', 'done');
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
  await channel.sees('⚠️ Outcome unknown');
  expect(resultsOf(await model.asked(3))).toEqual([expect.stringContaining('Outcome unknown')]);
  expect(deploy.executed).toEqual(['site']);
});

test('a call of which the model wrote nothing before it was cut off does not run, though its tool needs no argument', async () => {
  const { model, channel } = await daemonSetting();
  model.next([call('list_dir', '(cut off)')], 'I was cut off');
  await channel.ask('list', 'I was cut off');
  expect(resultsOf(await model.asked(2))).toEqual([expect.stringContaining('the tool did not run')]);
});
