import { expect, test } from 'vitest';
import { AnsweredTrust } from '../../src/daemon/answered-trust.ts';
import type { TrustSubject } from '../../src/feature-points.ts';
import { MemoryTrust } from '../support/memory-trust.ts';

const subject: TrustSubject = { kind: 'plugin', name: 'dice', fingerprint: 'a'.repeat(64), what: 'It rolls dice.' };

test('nothing of others is trusted while no feature keeps what owners trust, even what the config vouches for', async () => {
  const trust = new AnsweredTrust();
  expect(await trust.review(subject, () => {}, true)).toBe(false);
  trust.answeredBy([{}, {}]);
  expect(await trust.review(subject, () => {}, true)).toBe(false);
});

test('what owners trust is answered by the feature that keeps it, and so are their later decisions', async () => {
  const [trust, kept] = [new AnsweredTrust(), new MemoryTrust()];
  trust.answeredBy([{}, { trust: kept }]);
  const decisions: boolean[] = [];
  expect(await trust.review(subject, (isTrusted) => decisions.push(isTrusted))).toBe(false);
  kept.trust('dice');
  expect(decisions).toEqual([true]);
  expect(await trust.review(subject, () => {})).toBe(true);
});
