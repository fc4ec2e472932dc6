import { expect, test } from 'vitest';
import { rank } from '../../../../src/features/page/activity/figures/figures.ts';
import type { Figures } from '../../../../src/features/page/wire/activity.ts';
import { pageSetting, type SignedIn } from '../../../support/page/page-setting.ts';
import { minute, noon, type StoredRun, withRuns } from './stored-runs.ts';

const day = 24 * 60 * minute;

/** On three days: 13 November with two runs, 14 November with two, and one long ago. */
const runs: readonly StoredRun[] = [
  { at: noon - 200 * day, says: 'long ago', tokens: 1_000 },
  {
    at: noon - day,
    says: 'one',
    tokens: 100,
    took: 2_000,
    calls: [{ name: 'shell', outcome: 'error', asked: 'approved' }],
  },
  {
    at: noon - day + minute,
    says: 'two',
    by: 'bob',
    tokens: 30,
    took: 8_000,
    calls: [{ name: 'shell', asked: 'denied', outcome: 'denied' }],
  },
  {
    at: noon,
    says: 'three',
    tokens: 5,
    model: 'other',
    took: 1_000,
    calls: [
      { name: 'web', why: 'grant' },
      { name: 'web', why: 'not-dangerous' },
    ],
  },
  {
    at: noon + minute,
    says: 'four',
    by: 'bob',
    tokens: 7,
    took: 3_000,
    calls: [{ name: 'web', outcome: 'expired', asked: 'expired' }],
  },
];

async function people() {
  const setting = await pageSetting();
  await withRuns(setting.daemon, runs);
  return { setting, owner: await setting.browser(), friend: await setting.browser('bob') };
}

async function figures(who: SignedIn, query: string): Promise<Figures> {
  const found: Figures = JSON.parse(await (await who.get(`figures?${query}`)).text());
  return found;
}

test('the figures are those that were counted by hand', async () => {
  const { owner } = await people();
  expect(await figures(owner, 'days=7&zone=UTC')).toEqual({
    from: Date.UTC(2023, 10, 8),
    currency: 'USD',
    isCut: false,
    days: [
      { day: '2023-11-13', runs: 2, medianLatency: 2_000, slowLatency: 8_000 },
      { day: '2023-11-14', runs: 2, medianLatency: 1_000, slowLatency: 3_000 },
    ],
    models: [
      { day: '2023-11-13', model: 'scripted', tokens: 130, cost: 13_000 },
      { day: '2023-11-14', model: 'scripted', tokens: 7, cost: 700 },
      { day: '2023-11-14', model: 'other', tokens: 5, cost: 500 },
    ],
    tools: [
      { tool: 'web', calls: 3, failed: 0, denied: 0, refused: 0, expired: 1 },
      { tool: 'shell', calls: 2, failed: 1, denied: 1, refused: 0, expired: 0 },
    ],
    approvals: { asked: 3, approved: 1, denied: 1, expired: 1, cancelled: 0, pending: 0, byGrant: 1 },
  });
});

test('a friend is told their own', async () => {
  const { friend } = await people();
  expect(await figures(friend, 'days=7&zone=UTC')).toMatchObject({
    days: [
      { day: '2023-11-13', runs: 1 },
      { day: '2023-11-14', runs: 1 },
    ],
    models: [{ tokens: 30 }, { tokens: 7 }],
    tools: [
      { tool: 'shell', calls: 1 },
      { tool: 'web', calls: 1 },
    ],
    approvals: { asked: 2, byGrant: 0 },
  });
});

test('days begin where the person is', async () => {
  const { owner } = await people();
  const inAuckland = await figures(owner, 'days=2&zone=Pacific/Auckland');
  expect(inAuckland.days.map(({ day: name, runs: count }) => [name, count])).toEqual([
    ['2023-11-14', 2],
    ['2023-11-15', 2],
  ]);
  expect((await owner.get('figures?days=0')).status).toBe(400);
  expect((await owner.get('figures?days=91')).status).toBe(400);
});

test.each([
  { of: [], part: 0.5, is: undefined },
  { of: [4], part: 0.95, is: 4 },
  { of: [1, 2, 3, 4], part: 0.5, is: 2 },
  { of: Array.from({ length: 100 }, (_, index) => index + 1), part: 0.95, is: 95 },
])('$part of $of', ({ of, part, is }) => {
  expect(rank(of, part)).toBe(is);
});
