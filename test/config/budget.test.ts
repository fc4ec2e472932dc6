import { describe, expect, test } from 'vitest';
import { loadText } from './load-text.ts';

const price = { input_per_million: 3, output_per_million: 15, cached_input_per_million: 0.3 };
const main = { provider: 'anthropic', name: 'm', api_key: 'k' };
const local = { provider: 'openai_compatible', name: 'l', base_url: 'http://127.0.0.1:1/v1' };

describe('a budget of money', () => {
  test('says at start which models it does not count', async () => {
    const config = { model: 'main', models: { main: { ...main, price }, local }, budget: { money_per_day: 5 } };
    expect((await loadText(JSON.stringify(config))).warnings).toEqual([
      'models.local has no price: limits on money do not count it.',
    ]);
  });

  test('says so where there is no model with a price at all', async () => {
    expect((await loadText('{"budget": {"money_per_run": 5}}')).warnings).toEqual([
      'budget limits money, but models has no model with a price.',
    ]);
  });

  test('is alone in this: a budget of tokens needs no prices', async () => {
    const config = { models: { local }, budget: { tokens_per_day: 5 } };
    expect((await loadText(JSON.stringify(config))).warnings).toEqual([]);
  });
});

test.each([
  ['{"budget": {"money_per_day": 0}}', 'budget.money_per_day'],
  ['{"budget": {"tokens_per_run": 1.5}}', 'budget.tokens_per_run'],
  ['{"budget": {"per_day": 1}}', 'budget.per_day: unknown key'],
])('%s is refused', async (text, words) => {
  await expect(loadText(text)).rejects.toThrow(words);
});
