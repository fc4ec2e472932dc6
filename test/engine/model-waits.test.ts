import { expect, test } from 'vitest';
import { z } from 'zod';
import { engineWords } from '../../src/engine/words.ts';
import { ModelError } from '../../src/models/language-model.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { registrationOf } from '../../src/tools/registry.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { anyTime, anything, saidLike } from '../support/said.ts';
import { call, held, type Scripted, wordsOf } from '../support/scripted-model.ts';

const minute = 60_000;
const overloaded = 'It is overloaded.';
const waits = waitsFor(overloaded);

/** What a person reads while a run waits for its model. */
function waitsFor(why: string): RegExp {
  return saidLike(engineWords.en.waitsForModel({ why, ...anyTime }));
}

function unreachable(retryAfter?: number): never {
  throw new ModelError('transient', overloaded, retryAfter === undefined ? {} : { retryAfter });
}

/** A model that has answered, and cannot be reached now, and a person who has said something to it. */
async function waiting() {
  const setting = await daemonSetting();
  setting.model.next('here');
  await setting.channel.askAtRest('are you there?', 'here');
  setting.model.otherwise(() => unreachable());
  await setting.channel.askAtRest('hello', waits);
  return { ...setting };
}

test('a model that has never answered is waited for a minute, and its fault is said', async () => {
  const { setting, model, channel, clock } = await daemonSetting();
  model.otherwise(() => unreachable());
  await channel.askAtRest('hello', waits);
  clock.advance(minute);
  await channel.seesAtRest('⚠️ It is overloaded.');
  expect(setting.rows("SELECT * FROM attempts WHERE kind = 'wait'")).toEqual([]);
});

test('a model whose address is not known is waited for a minute, even if it has answered', async () => {
  const { model, channel, clock } = await daemonSetting();
  await channel.ask('hello', 'echo: hello');
  model.otherwise(() => {
    throw new ModelError('transient', 'The address cannot be found.', { isDoubtful: true });
  });
  await channel.askAtRest('and now?', waitsFor('The address cannot be found.'));
  clock.advance(minute);
  await channel.seesAtRest('⚠️ The address cannot be found.');
});

test('/status says how the last request to the model ended, and since when', async () => {
  const { model, channel } = await daemonSetting();
  await channel.ask('hello', 'echo: hello');
  await channel.ask('/status', /Model: scripted, answered \d\d:\d\d/);
  model.otherwise(() => unreachable());
  await channel.askAtRest('and now?', waits);
  await channel.ask('/status', /Model: scripted: since \d\d:\d\d(?: UTC)?: It is overloaded\./);
});

test('a faulty answer is not waited for', async () => {
  const { model, channel } = await daemonSetting();
  model.next(() => {
    throw new ModelError('faulty', 'Out of memory.');
  });
  await channel.ask('hello', '⚠️ Out of memory.');
  expect(channel.textsIn('test:ada').join()).not.toMatch(waitsFor(anything));
});

/** An answer of which people see a beginning, and that waits for its model. */
async function brokenOff(...later: readonly Scripted[]) {
  const setting = await daemonSetting({ channel: { streams: true } });
  setting.model.next({ early: 'First, the sky', rest: () => unreachable() }, ...later);
  await setting.channel.ask('explain', waits);
  await setting.clock.waitsFor(5000);
  return setting;
}

test('an answer that breaks off waits for its model, and goes on where it stopped', async () => {
  const { model, channel, clock } = await brokenOff(() => unreachable(), ' and then the sea.');
  clock.advance(5000);
  await model.asked(2);
  await clock.waitsFor(10_000);
  clock.advance(10_000);
  await channel.sees('First, the sky and then the sea.');
  await channel.whenIdle();
  expect(model.requests.at(-1)?.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', parts: [{ type: 'text', text: 'First, the sky' }] },
    { role: 'user', text: expect.stringContaining('answer_cut') },
  ]);
  expect(channel.textsIn('test:ada').filter((text) => waits.test(text))).toHaveLength(1);
  model.next('again');
  await channel.ask('what?', 'again');
  expect(model.last.messages[1]).toMatchObject({ parts: [{ text: 'First, the sky' }, { text: ' and then the sea.' }] });
});

test('an answer that breaks off ends with what was seen, if its model does not come back', async () => {
  const { channel, clock, model } = await brokenOff();
  model.otherwise(() => unreachable());
  for (let waited = 0; waited < 31; waited += 1) {
    const times = model.requests.length;
    clock.advance(minute);
    await Promise.race([model.asked(times + 1), channel.sees('⚠️ It is overloaded.')]);
  }
  await channel.seesAtRest('(interrupted)');
});

test('a model that breaks off again and again is asked three times', async () => {
  const more = (early: string): Scripted => ({ early, rest: () => unreachable() });
  const { model, channel, clock } = await brokenOff(more(' is blue'), more(' and wide'), more(' and deep'));
  for (const times of [2, 3, 4]) {
    clock.advance(5000);
    await model.asked(times);
    if (times < 4) await clock.waitsFor(5000);
  }
  await channel.seesAtRest('⚠️ It is overloaded.');
  expect(model.requests).toHaveLength(4);
});

test('/stop ends the wait of an answer that broke off, and what was seen stays', async () => {
  const { model, channel, clock } = await brokenOff();
  await channel.say('/stop');
  await channel.seesAtRest('First, the sky\n\n*(interrupted)*');
  clock.advance(minute);
  await channel.whenIdle();
  expect(model.requests).toHaveLength(1);
});

test('an answer that broke off is asked for again by the next process', async () => {
  const { setting, model, channel } = await brokenOff();
  await setting.stop();
  model.next('First, the sky, all of it');
  await setting.start();
  await channel.sees('First, the sky, all of it');
  expect(model.last.messages).toMatchObject([{ role: 'user', text: 'explain' }]);
});

test('a model that cannot be reached is tried again, ever more seldom, and the chat says until when', async () => {
  const { setting, clock } = await waiting();
  const { model, channel } = setting;
  const pauses = [5000, 10_000, 20_000, 40_000, minute, minute];
  for (const [index, pause] of pauses.entries()) {
    await clock.waitsFor(pause);
    await channel.whenIdle();
    expect(model.requests).toHaveLength(index + 2);
    clock.advance(pause);
    await model.asked(index + 3);
    await channel.whenIdle();
  }
  model.otherwise(() => 'here I am');
  clock.advance(minute);
  await channel.sees('here I am');
  expect(channel.textsIn('test:ada')).toHaveLength(3);
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
  expect(model.requests).toHaveLength(2);
  await setting.stop();
  clock.advance(29 * minute);
  await setting.start();
  await model.asked(3);
  await channel.whenIdle();
  clock.advance(minute);
  await channel.sees('⚠️ It is overloaded.');
  expect(channel.textsIn('test:ada').filter((text) => waits.test(text))).toHaveLength(1);
});

test('a run does not wait longer because the clock was set back', async () => {
  const { setting, clock } = await waiting();
  const { model, channel } = setting;
  clock.jump(-60 * minute);
  clock.advance(5000);
  await model.asked(3);
  await channel.whenIdle();
  clock.advance(30 * minute);
  await channel.sees('⚠️ It is overloaded.');
});

test('what is said while a run waits is answered with it', async () => {
  const { setting, clock } = await waiting();
  const { model, channel } = setting;
  await channel.sayAtRest('are you well?');
  expect(model.requests).toHaveLength(2);
  model.next('for both');
  clock.advance(5000);
  await channel.sees('for both');
  expect(wordsOf(await model.asked(3))).toContain('hello\n\nare you well?');
});

test('a wait is over when what it was for is taken back', async () => {
  const { setting, model, channel } = await daemonSetting();
  model.next(() => unreachable());
  await channel.ask('hello', waits, { key: 'm1' });
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
  expect(model.requests).toHaveLength(2);
  model.next('fresh');
  await channel.ask('again', 'fresh');
});

test('a run that waits in the middle of its work goes on from there', async () => {
  const look = new RecordingTool('look', 'memory');
  const { model, channel, clock } = await daemonSetting({ tools: [look.registration] });
  model.next([call('look', { what: 'here' })], () => unreachable(), 'seen');
  await channel.askAtRest('look', waits);
  clock.advance(5000);
  await channel.sees('seen');
  expect(model.requests).toHaveLength(3);
});

test.each<[string, Scripted]>([['a provider that wants more patience than there is', () => unreachable(31 * minute)]])(
  '%s is not waited for',
  async (_what, answer) => {
    const { model, channel } = await daemonSetting();
    model.next(answer);
    await channel.ask('hello', '⚠️ It is overloaded.');
  },
);

const cut = (): never => {
  throw new ModelError('faulty', 'It broke off.');
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
      { role: 'user', text: expect.stringContaining('broke off') },
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
