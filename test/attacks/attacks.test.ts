import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { attacks, fatesOf, needlessCards, sampleOf, someAtATime } from '../../bench/attacks/attacks.ts';
import { mornings } from '../../bench/attacks/benign.ts';
import { World } from '../../bench/attacks/stage.ts';
import { rules } from './rules.ts';

test('a few orders of strangers, obeyed to the letter, come to nothing, and a few ordinary mornings ask nothing in vain', async () => {
  const world = await World.open();
  onTestFinished(() => world.close());
  const fates = await someAtATime(sampleOf(attacks(), 11), (attack) => fatesOf(attack, ['autonomous'], world));
  expect(
    fates
      .filter(([, [fate]]) => fate === 'through' || fate === 'invalid')
      .map(([{ name }, [fate]]) => `${fate}: ${name}`),
  ).toEqual([]);
  const plain = mornings().filter(({ group }) => group !== 'asides');
  const needless = await someAtATime(sampleOf(plain, 5), (one) => needlessCards(one, 'autonomous', world));
  expect(needless.filter(([, cards]) => cards.length > 0).map(([{ name }]) => name)).toEqual([]);
});

test.each(rules)('the rule that %s is where the long tests take it away', (_rule, file, was) => {
  expect(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')).toContain(was);
});
