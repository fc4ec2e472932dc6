import fc from 'fast-check';
import { expect, test } from 'vitest';
import { call } from '../support/scripted-model.ts';
import { spendingSetting } from './budget-setting.ts';

/** Each is a whole daemon, started several times. */
const property = { seed: 20_261_121, numRuns: Math.min(100, Number(process.env.KEYTURN_PROPERTY_RUNS ?? 5)) };

const usage = fc.record({ inputTokens: fc.nat(400), outputTokens: fc.nat(100), cost: fc.nat(3000) });
const key = fc.constantFrom(
  'tokens_per_run',
  'tokens_per_person_per_day',
  'tokens_per_day',
  'money_per_run',
  'money_per_day',
);

test('whatever calls take, a bound is overshot by the one call that reaches it, across restarts', {
  timeout: 300_000,
}, async () => {
  const scene = fc.record({
    key,
    limit: fc.integer({ min: 1, max: 1500 }),
    usages: fc.array(usage, { minLength: 1, maxLength: 8 }),
    extensions: fc.nat(2),
    restartsWhileAsking: fc.boolean(),
    restartsAtCall: fc.option(fc.integer({ min: 2, max: 6 })),
  });
  await fc.assert(
    fc.asyncProperty(scene, async ({ key, limit, usages, extensions, restartsWhileAsking, restartsAtCall }) => {
      const isMoney = key.startsWith('money');
      const budget = { [key]: isMoney ? limit / 1_000_000 : limit };
      const { setting, model, channel } = await spendingSetting({
        budget,
        agent: { max_turns: 60, burst_ms: 0, max_repeats: 0 },
      });
      let [spent, allowed, calls] = [0, limit, 0];
      let restarted: Promise<void> | undefined;
      let isCounted = true;
      /** What was broken off with the process is an estimate. */
      const count = (): void => {
        const [{ tokens = 0, cost = 0 } = {}] = setting.rows(
          'SELECT sum(tokens) AS tokens, sum(cost) AS cost FROM spending',
        );
        if (!isCounted) spent = Number(isMoney ? cost : tokens);
        isCounted = true;
      };
      model.otherwise(() => {
        count();
        // The call must not be made if what came before has reached the bound.
        expect(spent).toBeLessThan(allowed);
        const took = usages[calls % usages.length] ?? { inputTokens: 1, outputTokens: 0, cost: 1 };
        calls += 1;
        const isLast = calls >= 50;
        if (calls === restartsAtCall && restarted === undefined) {
          restarted = setting.restart();
          isCounted = false;
          return [];
        }
        model.usage = took;
        spent += isMoney ? took.cost : took.inputTokens + took.outputTokens;
        return isLast ? 'enough' : [call('look', { what: String(calls) })];
      });
      await channel.say('look around');
      for (let extension = 0; ; extension += 1) {
        await channel.changes.waitFor(
          () => channel.screen.some(({ buttons, text }) => buttons.length > 0 || text === 'enough'),
          { what: 'a card, or the end' },
        );
        if (channel.screen.some(({ text }) => text === 'enough')) break;
        await restarted;
        const card = await channel.card();
        count();
        if (!isMoney)
          expect(card.text).toContain(`${spent.toLocaleString('en-US')} of ${limit.toLocaleString('en-US')} tokens`);
        expect(spent).toBeGreaterThanOrEqual(allowed);
        if (restartsWhileAsking) await setting.restart();
        if (extension === extensions) break;
        allowed = spent + limit;
        await channel.press(card);
        await channel.changes.waitFor(
          () => channel.screen.every(({ ref, buttons }) => ref !== card.ref || buttons.length === 0),
          {
            what: 'the card to say so',
          },
        );
      }
      await restarted;
      await setting.stop();
    }),
    property,
  );
});
