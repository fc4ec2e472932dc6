import { expect, test } from 'vitest';
import { modelWords } from '../../../src/conversation/commands/model/words.ts';
import { ModelError } from '../../../src/models/language-model.ts';
import { daemonSetting } from '../../support/daemon-setting.ts';
import { wordsOf } from '../../support/scripted-model.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { askedOf, asksForSummary, lastWordsOf, narrow, summariesOf, talk, tokensOf, tooLong } from './narrow-window.ts';

async function talked(times: number, length = 400) {
  const setting = await daemonSetting({ config: { agent: { burst_ms: 0, context_tokens: 32_000 } } });
  narrow(setting, 32_000, 'They talked of words.');
  await talk(setting, times, length);
  return setting;
}

test('/context says in a few lines what fills the window', async () => {
  const setting = await talked(3);
  const { text } = await setting.channel.ask('/context', '**Context**');
  expect(text).toMatch(/about \d+ of 32000 tokens \(\d+ %\) for scripted/);
  for (const what of ['Instructions', 'Tools', 'Messages and results'])
    expect(text).toMatch(new RegExp(`- ${what}[^:]*: \\d+`));
  expect(text).not.toContain('Summary');
  expect(text.split('\n').length).toBeLessThan(10);
});

test('/compact summarises all but the newest, says what that saved, and /context shows it', async () => {
  const setting = await talked(10);
  const { text } = await setting.channel.ask('/compact', 'Summarised');
  expect(text).toMatch(/about \d+ tokens became \d+/);
  expect(summariesOf(setting)).toHaveLength(1);
  await talk(setting, 1, 20, 50);
  expect(lastWordsOf(setting)).toContain('> They talked of words.');
  expect(lastWordsOf(setting)).toContain('message-0009');
  expect(lastWordsOf(setting)).not.toContain('message-0003');
  expect((await setting.channel.ask('/context', '**Context**')).text).toMatch(/Summary of the oldest part: \d+/);
});

test('/compact twice says the second time that there is nothing to do, and asks nobody', async () => {
  const setting = await talked(10);
  await setting.channel.askAtRest('/compact', 'Summarised');
  await setting.channel.ask('/compact', 'nothing to summarise');
  expect(summariesOf(setting)).toHaveLength(1);
  expect(setting.rows('SELECT * FROM summaries')).toHaveLength(1);
});

test('/compact where nothing was said says so', async () => {
  const setting = await daemonSetting();
  await setting.channel.ask('/compact', modelWords.en.nothingSaid);
  await setting.channel.ask('/context', '**Context**');
});

test('/compact of which the model cannot be asked says so and changes nothing', async () => {
  const setting = await talked(10);
  setting.model.otherwise((request) => {
    if (asksForSummary(request)) throw new ModelError('transient', 'It is overloaded.');
    return 'an answer';
  });
  await setting.channel.ask('/compact', 'Nothing has changed');
  await setting.channel.ask('and now?', 'an answer');
  expect(lastWordsOf(setting)).toContain('message-0000');
});

test.each([
  [1, 'Summarised'],
  [4, 'Please tell me again what matters'],
])(
  '/compact whose request is too long %i times is tried with half as much, four times at most',
  async (times, words) => {
    const setting = await talked(9, 8000);
    setting.model.next(...Array.from({ length: times }, () => refuse), 'They talked of words.');
    await setting.channel.ask('/compact', words);
    const sizes = summariesOf(setting).map(tokensOf);
    expect(sizes).toHaveLength(Math.min(times + 1, 4));
    expect(sizes).toEqual([...new Set(sizes)].toSorted((one, other) => other - one));
  },
);

function refuse(): never {
  throw tooLong();
}

test('/compact that a process did not come to is done by the next one', async () => {
  const setting = await talked(10);
  await setting.stop();
  setting.tamper(`UPDATE conversations SET summary_for = 'test:ada', is_open = 1`);
  await setting.start();
  await setting.channel.seesAtRest('Summarised');
  expect(setting.rows('SELECT summary_for, is_open FROM conversations')).toEqual([{ summary_for: null, is_open: 0 }]);
});

test('/stop ends a summary that is being written, and the conversation goes on with all that was said', async () => {
  const setting = await talked(10);
  setting.model.next(
    (_request, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('late'))),
  );
  await setting.channel.say('/compact');
  await setting.model.asked(11);
  await setting.channel.ask('/stop', 'Stopped');
  await talk(setting, 1, 20, 60);
  expect(summariesOf(setting)).toHaveLength(1);
  expect(lastWordsOf(setting)).toContain('message-0000');
});

test('a summary is paid for also where the process is killed while the model writes it', async () => {
  const setting = await talked(10);
  const counted: unknown[] = [];
  setting.model.next(async () => {
    const asks = () => setting.rows(`SELECT model, tokens > 500 AS counted FROM attempts WHERE kind = 'ask'`);
    // Once it takes a second.
    await waitUntil(() => asks().length > 0, { meanwhile: () => setting.clock.advance(100) });
    counted.push(...asks());
    return 'They talked.';
  });
  await setting.channel.sayAtRest('/compact');
  expect(counted).toEqual([{ model: 'scripted', counted: 1 }]);
  expect(setting.rows('SELECT * FROM attempts')).toEqual([]);
});

test('what is said while a summary is written is answered behind it, and is not part of it', async () => {
  const setting = await talked(10);
  const { promise, resolve } = Promise.withResolvers<string>();
  setting.model.next(() => promise);
  await setting.channel.say('/compact');
  await setting.model.asked(11);
  await setting.channel.say('meanwhile message-0077');
  resolve('The tale so far.');
  await setting.channel.sees('heard message-0077');
  expect(lastWordsOf(setting)).toContain('> The tale so far.');
  expect(summariesOf(setting).map(wordsOf)[0]).not.toContain('message-0077');
  expect(askedOf(setting)).toHaveLength(11);
});

test.each([
  ['always', true],
  ['never', false],
  ['auto', true],
])(
  'tools are told in one sentence each, or in full: %s, where they take much of a small window',
  async (compact, isShort) => {
    const tools = { compact };
    const setting = await daemonSetting({ config: { agent: { burst_ms: 0, context_tokens: 4000 }, tools } });
    await setting.channel.ask('hello', 'echo: hello');
    await setting.channel.ask('again', 'echo: again');
    const [first, second] = setting.model.requests.map(({ tools: told }) => JSON.stringify(told));
    expect(first).toBe(second);
    const full = await daemonSetting();
    await full.channel.ask('hello', 'echo: hello');
    expect((first ?? '').length < JSON.stringify(full.model.requests[0]?.tools).length).toBe(isShort);
  },
);
