import { expect, test } from 'vitest';
import { withoutSign } from '../../../packages/page/src/lib/labels.ts';
import { cardWords } from '../../../src/approval/asking/words.ts';

test('a button of the page has no sign of a chat before its words', () => {
  const shown = [cardWords.en.buttonApprove, cardWords.zh.buttonDenyAll, cardWords.en.buttonApproveAll(2)].map(
    withoutSign,
  );
  for (const label of shown) expect(label).toMatch(/^\p{L}/u);
  expect(
    ['✅ Approve', '⏭️ Skip this', '✋🏽 No', '👩‍💻 Code', '15 min', '1️⃣ One', '✅', '# x', ''].map(withoutSign),
  ).toEqual(['Approve', 'Skip this', 'No', 'Code', '15 min', '1️⃣ One', '✅', '# x', '']);
});
