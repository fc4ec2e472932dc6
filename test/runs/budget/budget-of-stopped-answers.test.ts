import { describe, expect, test } from 'vitest';
import { ModelError } from '../../../src/models/language-model.ts';
import { daemonSetting } from '../../support/daemon-setting.ts';
import { ScriptedModel } from '../../support/scripted-model.ts';
import { WrittenAnswer } from '../../support/written-answer.ts';
import { narrow, talk } from '../context/narrow-window.ts';
import { spendingSetting } from './budget-setting.ts';

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
