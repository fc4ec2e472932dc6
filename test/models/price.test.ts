import { describe, expect, test } from 'vitest';
import { ModelError } from '../../src/models/language-model.ts';
import { costOf, withPrice } from '../../src/models/price.ts';
import { eventsOf, request } from './ask.ts';
import { SteppingModel } from './stepping-model.ts';

const price = { inputPerMillion: 3, outputPerMillion: 15 };

describe('the price of an answer', () => {
  test.each([
    ['what it read and wrote', { inputTokens: 1000, outputTokens: 100 }, price, 4500],
    [
      'what was kept from before, like the rest',
      { inputTokens: 1000, cachedInputTokens: 900, outputTokens: 0 },
      price,
      3000,
    ],
    [
      'what was kept from before, where that is cheaper',
      { inputTokens: 1000, cachedInputTokens: 900, outputTokens: 0 },
      { ...price, cachedInputPerMillion: 0.3 },
      570,
    ],
    [
      'no part of a millionth less than it is',
      { inputTokens: 1, outputTokens: 0 },
      { ...price, inputPerMillion: 0.1 },
      1,
    ],
    ['nothing', { inputTokens: 0, outputTokens: 0 }, price, 0],
  ])('counts %s', (_what, usage, priced, cost) => {
    expect(costOf(usage, priced)).toBe(cost);
  });

  test('comes with the answer, and the name of who gave it', async () => {
    const finish = { type: 'finish', answer: { parts: [], usage: { inputTokens: 10, outputTokens: 1 } } } as const;
    expect(await eventsOf(withPrice(new SteppingModel([[finish]]), 'main', price), request('hello'))).toEqual([
      { type: 'finish', answer: { parts: [], usage: { inputTokens: 10, outputTokens: 1, model: 'main', cost: 45 } } },
    ]);
    expect(await eventsOf(withPrice(new SteppingModel([[finish]]), 'main', undefined), request('hello'))).toEqual([
      { type: 'finish', answer: { parts: [], usage: { inputTokens: 10, outputTokens: 1, model: 'main' } } },
    ]);
  });

  test('comes with a failure, too, that took something', async () => {
    const failure = new ModelError('transient', 'broken', {
      usage: { inputTokens: 10, outputTokens: 1 },
      retryAfter: 5,
    });
    await expect(
      eventsOf(withPrice(new SteppingModel([[failure]]), 'main', price), request('hello')),
    ).rejects.toMatchObject({
      fault: 'transient',
      message: 'broken',
      retryAfter: 5,
      usage: { inputTokens: 10, outputTokens: 1, model: 'main', cost: 45 },
    });
  });
});
