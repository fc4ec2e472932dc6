import { expect, test } from 'vitest';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, resultsOf } from '../support/scripted-model.ts';
import { approveButton, deploySetting } from './deploy-setting.ts';

const twoAMinute = { tools: { rate_limits: { deploy: { calls: 2, per_secs: 60 } } } };

test('a call too many is asked of nobody, and runs again when its time has come', async () => {
  const { setting, model, channel, clock, deploy } = await deploySetting({ config: twoAMinute });
  model.next(
    [call('deploy', { what: 'one' })],
    [call('deploy', { what: 'two' })],
    [call('deploy', { what: 'three' })],
    'enough for now',
  );
  await channel.say('deploy all');
  await channel.press(await approveButton(channel));
  await deploy.ran(1);
  await model.asked(2);
  await channel.changes.waitFor(() => channel.screen.filter(({ kind }) => kind === 'card').length === 2);
  clock.advance(20_000);
  await channel.pressToSee(await approveButton(channel), 'enough for now');

  expect(deploy.executed).toEqual(['one', 'two']);
  expect(resultsOf(await model.asked(4)).at(-1)).toBe(
    'Not executed, and nobody was asked: there were too many calls. deploy may be called 2 times in 1 min for one person, and has been. It can be called again in 40 s; until then, do without it.',
  );
  expect(setting.rows('SELECT count(*) AS count FROM approvals')).toEqual([{ count: 2 }]);

  clock.advance(40_000);
  model.next([call('deploy', { what: 'three' })], 'done');
  await channel.say('now?');
  await channel.pressToSee(await approveButton(channel), 'done');
  expect(deploy.executed).toEqual(['one', 'two', 'three']);
});

test('each person has a count of their own, and a tool that does not ask is bounded, too', async () => {
  const look = new RecordingTool('look', 'memory');
  const config = { tools: { rate_limits: { look: { calls: 1, per_secs: 60 } } } };
  const { model, channel } = await deploySetting({ config, allowFrom: ['bo'] }, look);
  model.next(
    [call('look', { what: 'a' }), call('look', { what: 'b' })],
    'seen',
    [call('look', { what: 'c' })],
    'bo has seen',
  );
  await channel.ask('look', 'seen');
  expect(look.executed).toEqual(['a']);
  await channel.say('look', { by: 'bo' });
  await channel.changes.waitFor(() => look.executed.length === 2);
  expect(look.executed).toEqual(['a', 'c']);
});

test('why somebody denies reaches neither the model nor the audit with a secret in it', async () => {
  const { setting, model, channel } = await deploySetting({ secrets: ['hunter2-hunter2'] });
  model.next([call('deploy', { what: 'site' })], 'a pity');
  await channel.say('deploy');
  const button = await approveButton(channel);
  const [, id] = button.split(':');
  await channel.ask(`/deny ${id} the password hunter2-hunter2 is old`, 'a pity');
  const [result] = resultsOf(await model.asked(2));
  expect(result).toContain('Their reason: the password [secret] is old');
  expect(JSON.stringify(setting.rows('SELECT * FROM audit'))).toContain('the password [secret] is old');
  expect(JSON.stringify(setting.rows('SELECT * FROM audit'))).not.toContain('hunter2');
});
