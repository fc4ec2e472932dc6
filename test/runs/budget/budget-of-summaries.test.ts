import { describe, expect, test } from 'vitest';
import { ModelError } from '../../../src/models/language-model.ts';
import { daemonSetting, group } from '../../support/daemon-setting.ts';
import { askedOf, asksForSummary, narrow, summariesOf, talk, tokensOf, tooLong } from '../context/narrow-window.ts';

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
