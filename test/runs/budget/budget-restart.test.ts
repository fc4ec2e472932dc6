import { describe, expect, test } from 'vitest';
import { wordsOf } from '../../support/scripted-model.ts';
import { spendingSetting } from './budget-setting.ts';

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
