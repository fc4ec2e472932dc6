import { describe, expect, test } from 'vitest';
import { held } from '../../support/scripted-model.ts';
import { spendingSetting } from './budget-setting.ts';

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
