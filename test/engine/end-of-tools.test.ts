import { expect, test } from 'vitest';
import { toolGraceOf } from '../../src/cli/run-daemon.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { RecordingTool, untilStopped } from '../support/recording-tool.ts';
import { call } from '../support/scripted-model.ts';

test('a tool may end what it does when the process is told to end, while nothing is sent any more', async () => {
  const work = Promise.withResolvers<void>();
  const slow = new RecordingTool('slow', 'network_read', async (_what, { reply }) => {
    await work.promise;
    await reply('said at the end');
    return llmOnly('done in time');
  });
  const setting = await daemonSetting({ tools: [slow.registration], toolGrace: 20_000 });
  const { channel, model, clock } = setting;
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
