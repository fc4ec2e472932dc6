import { describe, expect, test } from 'vitest';
import { approvalWords } from '../../src/approval/words.ts';
import { ModelError } from '../../src/models/language-model.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { held, ScriptedModel, wordsOf } from '../support/scripted-model.ts';
import { WrittenAnswer } from '../support/written-answer.ts';
import { spendingSetting } from './budget-setting.ts';
import { askedOf, asksForSummary, narrow, summariesOf, talk, tokensOf, tooLong } from './context/narrow-window.ts';

const agent = { burst_ms: 0, max_repeats: 0, context_tokens: 1000 };

describe('calls of several conversations beside each other', () => {
  test('wait for each other where one may use up what is left of the day', async () => {
    const { model, channel } = await spendingSetting({ agent, budget: { tokens_per_day: 150 } });
    const [first, second] = [held('one'), held('two')];
    model.next(first.script, second.script);
    await channel.say('hello');
    await model.asked(1);
    await channel.say('hello', { by: 'bob' });
    await channel.ask('/status', 'is up for');
    expect(model.requests).toHaveLength(1);
    first.release();
    await channel.sees('one');
    await model.asked(2);
    second.release();
    await channel.sees('two');
    expect((await channel.cardFor('more')).text).toContain('200 of 150 tokens today');
  });

  test.each([
    ['behind one that ends', true],
    ['that begin in the same instant', false],
  ])('go on one by one where several wait %s', async (_what, isOneBefore) => {
    const people = ['bob', 'cleo', 'dan', 'eve'];
    const { model, channel } = await spendingSetting({ agent, budget: { tokens_per_day: 250 } }, { allowFrom: people });
    const first = held('one');
    if (isOneBefore) {
      model.next(first.script);
      await channel.say('hello');
      await model.asked(1);
    }
    let [open, most] = [0, 0];
    model.otherwise(async () => {
      open += 1;
      most = Math.max(most, open);
      // All that may begin does so before the first of them ends.
      for (let count = 0; count < 20; count += 1) await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return 'two';
    });
    await Promise.all(people.map((by) => channel.say('hello', { by })));
    first.release();
    await channel.changes.waitFor(() => channel.screen.some(({ text }) => text.includes('300 of 250 tokens today')));
    await Promise.all(people.map((chatId) => channel.whenIdle({ channel: 'test', chatId, kind: 'direct' })));
    expect(most).toBe(1);
    expect(model.requests).toHaveLength(3);
  });

  test('go on beside each other where they cannot', async () => {
    const { model, channel } = await spendingSetting({ agent, budget: { tokens_per_day: 1_000_000 } });
    const [first, second] = [held('one'), held('two')];
    model.next(first.script, second.script);
    await channel.say('hello');
    await channel.say('hello', { by: 'bob' });
    await model.asked(2);
    second.release();
    await channel.sees('two');
    first.release();
    await channel.sees('one');
  });

  test('of other people do not matter to the budget of one', async () => {
    const { model, channel } = await spendingSetting({ agent, budget: { tokens_per_person_per_day: 150 } });
    const first = held('one');
    model.next(first.script, 'two');
    await channel.say('hello');
    await model.asked(1);
    await channel.ask('hello', 'two', { by: 'bob' });
    first.release();
    await channel.sees('one');
  });

  test('stop waiting when a person stops them', async () => {
    const { model, channel, setting } = await spendingSetting({ agent, budget: { tokens_per_day: 150 } });
    const first = held('one');
    model.next(first.script);
    await channel.say('hello');
    await model.asked(1);
    await channel.say('hello', { by: 'bob' });
    await channel.ask('/stop', '🛑 Stopped.', { by: 'bob', at: 'test:bob' });
    await channel.whenIdle({ channel: 'test', chatId: 'bob', kind: 'direct' });
    first.release();
    await channel.seesAtRest('one');
    expect(model.requests).toHaveLength(1);
    expect(setting.rows('SELECT is_open FROM conversations')).toEqual([{ is_open: 0 }, { is_open: 0 }]);
  });
});

const goOn = (actions: readonly (readonly { readonly actionId: string }[])[]): string =>
  actions[0]?.[0]?.actionId ?? '';

describe('a restart', () => {
  test('leaves what a run has spent as it was, and adds the request that it breaks off', async () => {
    const { model, channel, setting } = await spendingSetting({ budget: { tokens_per_run: 20_000 } }, { tokens: 9000 });
    let stopped: Promise<void> | undefined;
    model.next([{ type: 'call', modelCallId: 'a', name: 'look', arguments: { what: 'one' } }], () => {
      stopped = setting.stop();
      return [];
    });
    await channel.say('look around');
    await model.asked(2);
    await stopped;
    await setting.start();
    // The second was lost with the process, and made again.
    expect((await channel.card()).text).toMatch(/2\d,\d{3} of 20,000 tokens/);
    await channel.whenIdle();
    expect(model.requests).toHaveLength(3);
  });

  test('leaves the question standing: its button works in the next process', async () => {
    const { model, channel, setting } = await spendingSetting({ budget: { tokens_per_run: 250 } });
    const card = await channel.cardFor('look around');
    await channel.whenIdle();
    await setting.restart();
    await channel.whenIdle();
    expect(model.requests).toHaveLength(3);
    model.otherwise(() => 'all seen');
    await channel.pressToSee(goOn(card.buttons), 'all seen');
  });

  test('leaves what was allowed as it was', async () => {
    const { model, channel, setting } = await spendingSetting({ budget: { tokens_per_run: 20_000 } }, { tokens: 9000 });
    const card = await channel.cardFor('look around');
    let stopped: Promise<void> | undefined;
    model.next(() => {
      stopped = setting.stop();
      return [];
    });
    await channel.press(goOn(card.buttons));
    await model.asked(4);
    await stopped;
    await setting.start();
    expect((await channel.card()).text).toMatch(/\d\d,\d{3} of 20,000 tokens/);
    await channel.whenIdle();
    expect(model.requests).toHaveLength(6);
  });

  test('does not hold up the end of a question that nobody answered', async () => {
    const { channel, clock, setting } = await spendingSetting({
      budget: { tokens_per_run: 250, ask_timeout_secs: 60 },
    });
    await channel.cardFor('look around');
    await channel.whenIdle();
    await setting.stop();
    clock.advance(61_000);
    await setting.start();
    await channel.seesAtRest(approvalWords.en.nobodySaid({ canGoOn: false }));
    expect(setting.rows(`SELECT kind, reason FROM turns ORDER BY id DESC LIMIT 1`)).toEqual([
      { kind: 'closing', reason: 'budget' },
    ]);
  });

  test('leaves what was spent on a day as it was, and so does a budget that comes into the config later', async () => {
    const { model, channel, setting } = await spendingSetting({});
    model.otherwise((request) => `echo: ${wordsOf(request).length}`);
    await channel.ask('one', 'echo');
    await setting.restart({ budget: { money_per_day: 1, tokens_per_person_per_day: 100 } });
    expect((await channel.cardFor('two')).text).toContain('100 of 100 tokens today');
    expect(model.requests).toHaveLength(1);
  });
});

const utc = { schedule: { time_zone: 'UTC' } };

async function talked(budget: object, times = 8) {
  const agent = { burst_ms: 0, context_tokens: 32_000 };
  const setting = await daemonSetting({ config: { agent, budget, tools: utc }, allowFrom: ['bob'] });
  narrow(setting, 32_000, 'They talked of words.');
  setting.model.usage = { inputTokens: 90, outputTokens: 10 };
  await talk(setting, times, 400);
  return setting;
}

describe('/compact', () => {
  test('is refused where the budget of its person is used up, and costs nothing', async () => {
    const setting = await talked({ tokens_per_person_per_day: 800 });
    const { text } = await setting.channel.ask('/compact', 'used up');
    expect(text).toBe('⏸️ The budget of Ada is used up: 800 of 800 tokens today (UTC). Nothing was summarised.');
    await setting.channel.whenIdle();
    expect(summariesOf(setting)).toEqual([]);
    expect(setting.rows('SELECT summary_for, is_open FROM conversations')).toEqual([{ summary_for: null, is_open: 0 }]);
    setting.clock.advance(24 * 3_600_000);
    await setting.channel.ask('/compact', 'Summarised');
  });

  test('is refused where the budget of all is used up', async () => {
    const setting = await talked({ tokens_per_day: 800 });
    await setting.channel.ask('/compact', "Everybody's budget is used up");
    expect(summariesOf(setting)).toEqual([]);
  });

  test('is paid for by the person who wants it, also in a group', async () => {
    const setting = await talked({}, 1);
    for (let count = 0; count < 6; count += 1) {
      await setting.channel.say(`@bot ${'word '.repeat(80)}message-${count + 1000}`, { in: group });
      await setting.channel.sees(`heard message-${count + 1000}`, 'test:team');
    }
    await setting.channel.askAtRest('/compact', 'Summarised', { in: group, by: 'bob', at: 'test:team' });
    expect(setting.rows('SELECT principal, sum(tokens) AS tokens FROM spending GROUP BY principal')).toEqual([
      { principal: 'test:ada', tokens: 700 },
      { principal: 'test:bob', tokens: 100 },
    ]);
  });

  test('leaves what a run has spent as it was', async () => {
    const setting = await talked({ tokens_per_run: 1000 });
    setting.tamper(`UPDATE conversations SET spent_run = 'run99', spent_tokens = 777`);
    await setting.channel.askAtRest('/compact', 'Summarised');
    expect(setting.rows('SELECT spent_run, spent_tokens FROM conversations')).toEqual([
      { spent_run: 'run99', spent_tokens: 777 },
    ]);
  });
});

/** What it has taken is to be paid for all the same. */
function fails(): never {
  throw new ModelError('transient', 'It broke off.', { usage: { inputTokens: 90, outputTokens: 10 } });
}

/** A window that is nearly full, with a budget that one more call uses up. */
async function nearlyFull(limit: number, summary: (request: Parameters<typeof tokensOf>[0]) => string) {
  const agent = { burst_ms: 0, context_tokens: 4000, max_repeats: 0 };
  const config = { agent, budget: { tokens_per_person_per_day: limit }, tools: { only: [], ...utc } };
  const setting = await daemonSetting({ config });
  setting.model.usage = { inputTokens: 90, outputTokens: 10 };
  setting.model.otherwise((request) => {
    if (tokensOf(request) > 4000) throw tooLong();
    return asksForSummary(request) ? summary(request) : `heard ${JSON.stringify(request.messages).length}`;
  });
  for (let count = 0; count < 7; count += 1) {
    await setting.channel.say('word '.repeat(240));
    await setting.model.asked(count + 1);
    await setting.channel.whenIdle();
  }
  return setting;
}

describe('a summary that is needed', () => {
  test.each([
    ['and that could be written', () => 'the tale'],
    ['and that is none', () => '---'],
    ['and that fails', fails],
  ])('%s is paid for before the question is: the budget is looked at in between', async (_what, summary) => {
    const setting = await nearlyFull(750, summary);
    await setting.channel.say('word '.repeat(1200));
    expect((await setting.channel.card()).text).toContain(
      'The budget of Ada is used up: 800 of 750 tokens today (UTC).',
    );
    await setting.channel.whenIdle();
    expect([summariesOf(setting).length, askedOf(setting).length]).toEqual([1, 7]);
  });

  test('of more than one request holds is written in several, with a look at the budget before each', async () => {
    const agent = { burst_ms: 0, context_tokens: 100_000, max_repeats: 0 };
    const config = { agent, budget: { tokens_per_person_per_day: 2050 }, tools: { only: [], ...utc } };
    const setting = await daemonSetting({ config });
    setting.model.usage = { inputTokens: 90, outputTokens: 10 };
    narrow(setting, 100_000);
    await talk(setting, 20, 2400);
    narrow(setting, 4000, 'so far');
    await setting.restart({ agent: { ...agent, context_tokens: 4000 } });
    await setting.channel.cardFor('and now?');
    await setting.channel.whenIdle();
    expect(summariesOf(setting)).toHaveLength(1);
    expect(setting.rows('SELECT * FROM summaries')).toHaveLength(1);
    await setting.channel.say('/stop');
    await setting.restart({ agent: { ...agent, context_tokens: 4000 }, budget: {} });
    await setting.channel.ask('and message-0099', 'heard message-0099');
    expect(summariesOf(setting).length).toBeGreaterThan(2);
    expect(setting.rows('SELECT * FROM summaries')).toHaveLength(summariesOf(setting).length);
    expect(setting.channel.screen.filter(({ text }) => text.includes('could not summarise'))).toEqual([]);
  });
});

describe('an answer that is broken off', () => {
  test('counts for as much as was written of it, and what was asked: stopping each one saves nothing', async () => {
    const { model, channel, setting } = await spendingSetting({ budget: { tokens_per_person_per_day: 2000 } });
    const answer = new WrittenAnswer();
    model.next(answer);
    await channel.say('tell me all');
    await answer.write('word '.repeat(2000));
    await channel.askAtRest('/stop', 'Stopped');
    const [{ tokens = 0 } = {}] = setting.rows('SELECT tokens FROM spending');
    expect(tokens).toBeGreaterThan(3000);
    expect((await channel.cardFor('again')).text).toContain('The budget of Ada is used up');
    expect(model.requests).toHaveLength(1);
  });

  test('counts what was asked, if a person stops it before it begins', async () => {
    const { model, channel, setting } = await spendingSetting({});
    model.next(new WrittenAnswer());
    await channel.say('word '.repeat(1000));
    await model.asked(1);
    await channel.askAtRest('/stop', 'Stopped');
    const [{ tokens = 0 } = {}] = setting.rows('SELECT tokens FROM spending');
    expect(tokens).toBeGreaterThan(1000);
    expect(tokens).toBeLessThan(20_000);
  });

  test('counts what was asked, if the process ends before it begins: each start asks again', async () => {
    const { model, channel, setting } = await spendingSetting({});
    model.next(new WrittenAnswer());
    await channel.say('word '.repeat(1000));
    await model.asked(1);
    await setting.stop();
    const [{ tokens = 0 } = {}] = setting.rows('SELECT tokens FROM spending');
    expect(tokens).toBeGreaterThan(1000);
  });

  test('by its provider counts as well, and one that was never begun does not', async () => {
    const { model, channel, setting } = await spendingSetting({
      agent: { burst_ms: 0, max_repeats: 0, wait_for_model_secs: 0 },
    });
    const broken = (): never => {
      throw new ModelError('transient', 'It broke off.');
    };
    model.next(broken);
    await channel.askAtRest('one', 'It broke off');
    expect(setting.rows('SELECT tokens FROM spending')).toEqual([]);
    model.next({ early: 'Half of ', rest: broken });
    await channel.say('two');
    await channel.changes.waitFor(
      () => channel.screen.filter(({ text }) => text.includes('It broke off')).length === 2,
    );
    await channel.whenIdle();
    expect(setting.rows('SELECT tokens FROM spending')).toEqual([{ tokens: expect.any(Number) }]);
  });

  test('is priced as the config says', async () => {
    const price = { input_per_million: 1, output_per_million: 1000 };
    const models = { scripted: { provider: 'openai_compatible', name: 'x', base_url: 'http://127.0.0.1:1', price } };
    const { model, channel, setting } = await spendingSetting({ models });
    const answer = new WrittenAnswer();
    model.next(answer);
    await channel.say('tell me all');
    await answer.write('x'.repeat(3500));
    await channel.askAtRest('/stop', 'Stopped');
    const [{ cost = 0 } = {}] = setting.rows('SELECT cost FROM spending');
    expect(cost).toBeGreaterThanOrEqual(1_000_000);
  });

  test('is a summary that is stopped, too', async () => {
    const setting = await daemonSetting({ config: { agent: { burst_ms: 0, context_tokens: 32_000 } } });
    narrow(setting, 32_000);
    await talk(setting, 6, 400);
    const [{ tokens: before = 0 } = {}] = setting.rows('SELECT sum(tokens) AS tokens FROM spending');
    const answer = new WrittenAnswer();
    setting.model.next(answer);
    await setting.channel.say('/compact');
    await answer.write('So far');
    await setting.channel.askAtRest('/stop', 'Stopped');
    const [{ tokens: after = 0 } = {}] = setting.rows('SELECT sum(tokens) AS tokens FROM spending');
    expect(Number(after) - Number(before)).toBeGreaterThan(400);
  });
});

test('an answer of which a server does not say what it took is estimated, and priced as the config says', async () => {
  const silent = new ScriptedModel('silent');
  silent.usage = { inputTokens: 0, outputTokens: 0, model: 'silent' };
  const price = { input_per_million: 0, output_per_million: 1000 };
  const models = { silent: { provider: 'openai_compatible', name: 'x', base_url: 'http://127.0.0.1:1', price } };
  const { channel, setting } = await spendingSetting({ models }, { moreModels: { silent } });
  silent.otherwise(() => 'word '.repeat(350));
  await channel.say('/model silent');
  await channel.askAtRest('hello', 'word');
  const [{ model, tokens = 0, cost } = {}] = setting.rows('SELECT model, tokens, cost FROM spending');
  expect([model, cost]).toEqual(['silent', 500_000]);
  expect(tokens).toBeGreaterThan(500);
});

test.each([
  ['a fraction', 10.5, 11],
  ['less than nothing', -5, 0],
  ['no number', Number.NaN, 0],
])('an answer that is said to have taken %s is kept, and counted in wholes', async (_what, outputTokens, counted) => {
  const { model, channel, setting } = await spendingSetting({});
  model.usage = { inputTokens: 7, outputTokens };
  model.next('hello');
  await channel.askAtRest('hi', 'hello');
  expect(setting.rows('SELECT tokens FROM spending')).toEqual([{ tokens: 7 + counted }]);
});
