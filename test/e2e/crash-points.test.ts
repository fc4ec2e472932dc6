import { describe, expect, test } from 'vitest';
import { Errand, errandRequests } from './errand.ts';
import { requestFaults } from './request-faults.ts';

/** What became of a call: it ran, or nobody knows, and it had run or not. */
type Fate = 'done' | 'unknown, and done' | 'unknown, and not done';

interface Case {
  readonly point: string;
  readonly write?: Fate;
  readonly ledger?: Fate;
}

const cases: readonly Case[] = [
  { point: 'message-stored' },
  { point: 'run-begun' },
  { point: 'run-begun:2' },
  { point: 'run-begun:3' },
  { point: 'turn-stored' },
  { point: 'approval-open' },
  { point: 'card-sent' },
  { point: 'card-sent:2' },
  { point: 'decision-stored' },
  { point: 'decision-stored:2' },
  // Of the reading, which simply runs again.
  { point: 'call-begun' },
  { point: 'call-executed' },
  { point: 'call-done' },
  // Of the writing.
  { point: 'call-begun:2', write: 'unknown, and not done' },
  { point: 'call-executed:2', write: 'unknown, and done' },
  { point: 'call-done:2' },
  // Of the command.
  { point: 'call-begun:3', ledger: 'unknown, and not done' },
  { point: 'call-executed:3', ledger: 'unknown, and done' },
  { point: 'call-done:3' },
  { point: 'reply-stored' },
  { point: 'reply-sent' },
  { point: 'reply-sent:2' },
];

/** Each of these points is reached again when the process that goes on comes to the same place. */
const again = [
  'message-stored',
  'run-begun',
  'card-sent',
  'decision-stored',
  'call-begun',
  'call-executed',
  'reply-stored:1 reply-sent',
  'reply-sent',
];

/** The whole way, with a death at every point. */
const everywhere = [
  'message-stored',
  'run-begun',
  'turn-stored',
  'call-begun',
  'call-executed',
  'call-done',
  'approval-open',
  'reply-sent',
  'card-sent',
  'decision-stored',
  'call-done',
  'reply-stored',
  'reply-sent',
];

async function run(plan: readonly string[]): Promise<Errand> {
  const errand = await Errand.start(plan);
  errand.begin();
  const revived = errand.revive();
  for (const card of await errand.cards()) errand.approve(card);
  await revived;
  await errand.end();
  return errand;
}

/** What holds wherever it died. */
function expectWhole(errand: Errand, plan: readonly string[]): void {
  const { model, telegram } = errand.setting;
  expect(model.requests.slice(0, -1)).toHaveLength(errandRequests);
  expect(model.requests.flatMap(requestFaults)).toEqual([]);
  expectOncePerDeath(errand, plan);
  // The card that stands for good tells the end. One that was sent and not noted down stays as it was.
  const cards = telegram.chat(errand.chat).filter(({ text }) => /✅ Approved|🔑 May I/.test(text));
  expect(cards.filter(({ text }) => text.startsWith('✅ Approved by Person'))).toHaveLength(2);
  expect(cards.length - 2).toBeLessThanOrEqual(countOf(plan, 'card-sent'));
}

function expectOncePerDeath(errand: Errand, plan: readonly string[]): void {
  const said = ['I will write it down.', 'Finished:'].map((words) => errand.countSaid(words));
  expect(Math.min(...said)).toBe(1);
  expect(said.reduce((sum, count) => sum + count - 1, 0)).toBeLessThanOrEqual(countOf(plan, 'reply-sent'));
}

function countOf(plan: readonly string[], point: string): number {
  return plan.filter((step) => step.split(':')[0] === point).length;
}

function expectFate(errand: Errand, call: 'write' | 'ledger', fate: Fate): void {
  const result = errand.results()[call === 'write' ? 0 : 1];
  const isThere = call === 'write' ? errand.isWritten() : errand.ledger().length === 1;
  const card = errand.setting.said(errand.chat).find((text) => text.includes(call === 'write' ? 'copy.txt' : 'ledger.txt') && text.startsWith('✅'));
  expect(isThere).toBe(fate !== 'unknown, and not done');
  if (fate === 'done') {
    expect(result).toMatch(call === 'write' ? /^Created copy.txt/ : /^\[exit code 0\]/);
    expect(card).toContain('✔️ Done in');
    return;
  }
  expect(result).toMatch(/^Outcome unknown/);
  expect(card).toContain('⚠️ Outcome unknown');
}

describe('a daemon that is killed', () => {
  test.concurrent.each(cases)('at $point goes on: one answer, no call twice', async ({ point, write = 'done', ledger = 'done' }) => {
    await using errand = await run([point]);
    expectWhole(errand, [point]);
    expectFate(errand, 'write', write);
    expectFate(errand, 'ledger', ledger);
    expect(errand.ledger().length).toBeLessThanOrEqual(1);
  });

  test.concurrent.each(again)('at %s, and there again while it goes on, goes on', async (point) => {
    const plan = point.includes(' ') ? point.split(' ') : [point, point];
    await using errand = await run(plan);
    expectWhole(errand, plan);
    expectFate(errand, 'write', 'done');
    expectFate(errand, 'ledger', 'done');
  });

  test.concurrent('at every point, one after the other, still does its errand once', async () => {
    await using errand = await run(everywhere);
    expectWhole(errand, everywhere);
    expectFate(errand, 'write', 'done');
    expectFate(errand, 'ledger', 'done');
  });
});
