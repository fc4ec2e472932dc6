import { expect, test } from 'vitest';
import { ModelError } from '../../src/models/language-model.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { held } from '../support/scripted-model.ts';

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
    await channel.sees('(interrupted)');
    await channel.whenIdle();
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
