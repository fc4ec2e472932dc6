import { expect, test } from 'vitest';
import { z } from 'zod';
import { ModelError } from '../../src/models/language-model.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { registrationOf } from '../../src/tools/registry.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { call, held } from '../support/scripted-model.ts';

const cut = (): never => {
  throw new ModelError('transient', 'It broke off.');
};

test.each(['stop', 'cut'])(
  'what people saw of an answer before a %s stays, marked, and the model reads it',
  async (how) => {
    const setting = await daemonSetting({ channel: { streams: true } });
    const { model, channel } = setting;
    model.next({ early: 'First, the sky', rest: how === 'cut' ? cut : held('').script }, 'and then the sea');
    await channel.say('explain');
    if (how === 'stop') {
      await channel.sees('First, the sky');
      await channel.say('/stop');
    }
    await channel.seesAtRest('(interrupted)');
    await channel.say('go on');
    const { messages } = await model.asked(2);
    expect(messages).toMatchObject([
      { role: 'user', text: 'explain' },
      { role: 'assistant', parts: [{ type: 'text', text: 'First, the sky' }] },
      { role: 'user', text: expect.stringContaining('broken off') },
    ]);
    await channel.sees('and then the sea');
  },
);

test('what people saw of an answer stays when /stop comes while its calls are judged', async () => {
  const judged = Promise.withResolvers<void>();
  const look = defineTool({
    name: 'look',
    category: 'memory',
    description: 'Looks.',
    input: z.object({}),
    describeCall: () => {
      judged.resolve();
      return new Promise<string>(() => {});
    },
    execute: async () => llmOnly('seen'),
  });
  const setting = await daemonSetting({ channel: { streams: true }, tools: [registrationOf(look)] });
  const { model, channel } = setting;
  model.next({ early: 'First, the sky', rest: () => [call('look', {})] }, 'and then the sea');
  await channel.ask('explain', 'First, the sky');
  await judged.promise;
  await channel.ask('/stop', 'Stopped');
  await channel.seesAtRest('(interrupted)');
  await channel.say('go on');
  const { messages } = await model.asked(2);
  expect(messages[1]).toMatchObject({ role: 'assistant', parts: [{ type: 'text', text: 'First, the sky' }] });
});
