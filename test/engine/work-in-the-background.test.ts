import { expect, test } from 'vitest';
import { asyncTask } from '../../src/tools/output.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, resultsOf } from '../support/scripted-model.ts';
import { deploySetting } from './deploy-setting.ts';

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
