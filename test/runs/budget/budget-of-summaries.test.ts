import { describe, expect, test } from 'vitest';
import { ModelError } from '../../../src/models/language-model.ts';
import { daemonSetting, group } from '../../support/daemon-setting.ts';
import { ScriptedModel } from '../../support/scripted-model.ts';
import { WrittenAnswer } from '../../support/written-answer.ts';
import { askedOf, asksForSummary, narrow, summariesOf, talk, tokensOf, tooLong } from '../context/narrow-window.ts';
import { spendingSetting } from './budget-setting.ts';

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
    expect(text).toBe('⏸️ The budget of Ada is used up: 800 of 800 tokens today. Nothing was summarised.');
    await setting.channel.whenIdle();
    expect(summariesOf(setting)).toEqual([]);
    expect(setting.rows('SELECT summary_for, is_open FROM conversations')).toEqual([{ summary_for: null, is_open: 0 }]);
    setting.clock.advance(24 * 3_600_000);
    await setting.channel.ask('/compact', 'Summarised');
  });

  test('is refused where the budget of all is used up', async () => {
    const setting = await talked({ tokens_per_day: 800 });
    await setting.channel.ask('/compact', 'The budget of all is used up');
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
    expect((await setting.channel.card()).text).toContain('The budget of Ada is used up: 800 of 750 tokens today.');
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
