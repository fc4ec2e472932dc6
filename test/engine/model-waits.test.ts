import { expect, test } from 'vitest';
import { z } from 'zod';
import { ModelError } from '../../src/models/language-model.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { registrationOf } from '../../src/tools/registry.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, held, type Scripted, wordsOf } from '../support/scripted-model.ts';

const minute = 60_000;

function unreachable(retryAfter?: number): never {
  throw new ModelError('transient', 'It is overloaded.', retryAfter === undefined ? {} : { retryAfter });
}

/** A model that cannot be reached, and a person who has said something to it. */
async function waiting() {
  const setting = await daemonSetting();
  setting.model.otherwise(() => unreachable());
  await setting.channel.askAtRest('hello', 'The model is unreachable; I keep trying until');
  return { ...setting };
}

test('a model that cannot be reached is tried again, ever more seldom, and the chat says until when', async () => {
  const { setting, clock } = await waiting();
  const { model, channel } = setting;
  const pauses = [5000, 10_000, 20_000, 40_000, minute, minute];
  for (const [index, pause] of pauses.entries()) {
    await clock.waitsFor(pause);
    await channel.whenIdle();
    expect(model.requests).toHaveLength(index + 1);
    clock.advance(pause);
    await model.asked(index + 2);
    await channel.whenIdle();
  }
  model.otherwise(() => 'here I am');
  clock.advance(minute);
  await channel.sees('here I am');
  expect(channel.textsIn('test:ada')).toHaveLength(2);
  expect(setting.rows("SELECT * FROM attempts WHERE kind = 'wait'")).toEqual([]);
});

test('a run that has waited for half an hour ends with the reason', async () => {
  const { setting, clock } = await waiting();
  const { channel } = setting;
  clock.advance(30 * minute);
  await channel.seesAtRest('⚠️ It is overloaded.');
  expect(setting.rows('SELECT is_open FROM conversations')).toEqual([{ is_open: 0 }]);
});

test('a run waits on in the next process, until the time that was said', async () => {
  const { setting, clock } = await waiting();
  const { model, channel } = setting;
  await setting.stop();
  clock.advance(3000);
  await setting.start();
  await channel.whenIdle();
  expect(model.requests).toHaveLength(1);
  await setting.stop();
  clock.advance(29 * minute);
  await setting.start();
  await model.asked(2);
  await channel.whenIdle();
  clock.advance(minute);
  await channel.sees('⚠️ It is overloaded.');
  expect(channel.textsIn('test:ada').filter((text) => text.includes('keep trying'))).toHaveLength(1);
});

test('a run does not wait longer because the clock was set back', async () => {
  const { setting, clock } = await waiting();
  const { model, channel } = setting;
  clock.jump(-60 * minute);
  clock.advance(5000);
  await model.asked(2);
  await channel.whenIdle();
  clock.advance(30 * minute);
  await channel.sees('⚠️ It is overloaded.');
});

test('what is said while a run waits is answered with it', async () => {
  const { setting, clock } = await waiting();
  const { model, channel } = setting;
  await channel.sayAtRest('are you there?');
  expect(model.requests).toHaveLength(1);
  model.next('for both');
  clock.advance(5000);
  await channel.sees('for both');
  expect(wordsOf(await model.asked(2))).toBe('hello\n\nare you there?');
});

test('a wait is over when what it was for is taken back', async () => {
  const { setting, model, channel } = await daemonSetting();
  model.next(() => unreachable());
  await channel.ask('hello', 'I keep trying until', { key: 'm1' });
  await channel.takeBack('m1');
  await channel.whenIdle();
  expect(setting.rows('SELECT * FROM attempts')).toEqual([]);
});

test('/stop ends the wait, and the next message is tried at once', async () => {
  const { setting, clock } = await waiting();
  const { model, channel } = setting;
  await channel.askAtRest('/stop', 'Stopped');
  clock.advance(30 * minute);
  await channel.whenIdle();
  expect(model.requests).toHaveLength(1);
  model.next('fresh');
  await channel.ask('again', 'fresh');
});

test('a run that waits in the middle of its work goes on from there', async () => {
  const look = new RecordingTool('look', 'memory');
  const { model, channel, clock } = await daemonSetting({ tools: [look.registration] });
  model.next([call('look', { what: 'here' })], () => unreachable(), 'seen');
  await channel.askAtRest('look', 'I keep trying until');
  clock.advance(5000);
  await channel.sees('seen');
  expect(model.requests).toHaveLength(3);
});

test.each<[string, Scripted]>([
  ['a provider that wants more patience than there is', () => unreachable(31 * minute)],
  ['an answer that broke off once it had begun', { early: 'First ', rest: () => unreachable() }],
])('%s is not waited for', async (_what, answer) => {
  const { model, channel } = await daemonSetting();
  model.next(answer);
  await channel.ask('hello', '⚠️ It is overloaded.');
});

const cut = (): never => {
  throw new ModelError('transient', 'It broke off.');
};

test.each(['stop', 'cut'])(
  'what people saw of an answer before a %s stays, marked, and the model reads it',
  async (how) => {
    const { model, channel } = await daemonSetting({ channel: { streams: true } });
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
  const { model, channel } = await daemonSetting({ channel: { streams: true }, tools: [registrationOf(look)] });
  model.next({ early: 'First, the sky', rest: () => [call('look', {})] }, 'and then the sea');
  await channel.ask('explain', 'First, the sky');
  await judged.promise;
  await channel.ask('/stop', 'Stopped');
  await channel.seesAtRest('(interrupted)');
  await channel.say('go on');
  const { messages } = await model.asked(2);
  expect(messages[1]).toMatchObject({ role: 'assistant', parts: [{ type: 'text', text: 'First, the sky' }] });
});
