import { describe, expect, test } from 'vitest';
import { held, wordsOf } from '../../support/scripted-model.ts';
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
    await channel.seesAtRest('Nobody said whether I should go on');
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
