import { expect, test } from 'vitest';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, wordsOf } from '../support/scripted-model.ts';
import { deploySetting } from './deploy-setting.ts';

test('a run of seventy turns is told its task in every request, and what was said before it in the first ones', async () => {
  const look = new RecordingTool('look', 'memory');
  const { model, channel } = await deploySetting({ config: { agent: { max_turns: 200 } } }, look);
  await channel.ask('before', 'echo: before');
  const calls = Array.from({ length: 70 }, (_, index) => [call('look', { what: String(index) })]);
  model.next(...calls, 'all seen');
  await channel.askAtRest('look seventy times', 'all seen');
  expect(look.executed).toHaveLength(70);
  const requests = model.requests.slice(1);
  expect(requests).toHaveLength(71);
  expect(requests.filter((request) => !wordsOf(request).includes('look seventy times'))).toEqual([]);
  // Each knows all that the run has done so far.
  expect(requests.map(({ messages }) => messages.filter(({ role }) => role === 'results').length)).toEqual(
    Array.from({ length: 71 }, (_, index) => index),
  );
  expect(requests[0] && wordsOf(requests[0])).toContain('before');
});
