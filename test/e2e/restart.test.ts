import { expect, test } from 'vitest';
import { Errand, errandRequests } from './errand.ts';

test.concurrent('the cards that were open when it was killed work after the restart, and also when they are pressed before it', async () => {
  await using errand = await Errand.start([]);
  errand.begin();
  const [writing, ledger] = await errand.cards();
  await errand.setting.daemon.kill();
  const early = errand.approve(writing);
  // Both are delivered at once, and the first counts.
  const late = errand.setting.telegram.press(errand.chat, writing.id, '❌ Deny');
  await errand.setting.restart();
  await early.answered;
  expect((await late.answered).text).toBe('That is already approved.');
  await errand.setting.shows(errand.chat, writing.id, '✔️');
  await errand.setting.restart();
  errand.approve(ledger);
  await errand.setting.shows(errand.chat, ledger.id, '✔️');
  await errand.end();
  expect(errand.countSaid(/✅ .* allowed it/)).toBe(2);
  expect(errand.countSaid('🔑')).toBe(0);
  expect(errand.isWritten()).toBe(true);
  expect(errand.ledger()).toEqual(['unique']);
  expect(errand.setting.model.requests).toHaveLength(errandRequests + 1);
});
