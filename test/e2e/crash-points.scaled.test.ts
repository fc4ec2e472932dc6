import { describe, expect, test } from 'vitest';
import { inFull } from '../support/thorough.ts';
import { Errand, errandRequests } from './errand.ts';
import { requestFaults } from './request-faults.ts';

/** What became of a call: it ran, or nobody knows, and it had run or not; or one of these, by chance. */
type Fate = 'done' | 'unknown, and done' | 'unknown, and not done' | 'told as it is';

interface Fates {
  readonly write?: Fate;
  readonly ledger?: Fate;
}

interface Case extends Fates {
  readonly point: string;
}

/** Each point once; some of them the second or third time. */
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
  // The first call may be running when the second is decided.
  { point: 'decision-stored:2', write: 'told as it is' },
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

/** Each of these points is reached again by the process that goes on. */
const again: readonly Case[] = [
  { point: 'message-stored' },
  { point: 'run-begun' },
  { point: 'card-sent' },
  // The press comes again while the call that it opened may be running already.
  { point: 'decision-stored', write: 'told as it is', ledger: 'told as it is' },
  { point: 'call-begun' },
  { point: 'call-executed' },
  { point: 'reply-sent' },
];

/** Deaths on the whole way: before anything is known, in the midst of a call, while a person is asked, and at the end. */
const onTheWay: readonly string[] = [
  'message-stored',
  'call-executed',
  'approval-open',
  'decision-stored',
  'reply-sent',
];

/** The whole way, with a death at every point; three deaths without progress between them would set the request aside. */
const everywhere: readonly (readonly string[])[] = [
  [
    'message-stored',
    'run-begun',
    'call-done',
    'approval-open',
    'reply-sent',
    'card-sent',
    'decision-stored',
    'call-executed',
    'call-done',
    'reply-stored',
    'reply-sent',
  ],
  ['turn-stored', 'call-begun', 'call-done', 'approval-open', 'decision-stored', 'call-done', 'reply-stored'],
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
  const more = model.requests.length - 1 - errandRequests;
  expect(more).toBeGreaterThanOrEqual(0);
  // The message is delivered again while the model may be answering it already: a request that was under way is made again.
  expect(more).toBeLessThanOrEqual(Math.max(0, countOf(plan, 'message-stored') - 1));
  expect(model.requests.flatMap(requestFaults)).toEqual([]);
  expect(errand.ledger().length).toBeLessThanOrEqual(1);
  expectSaid(errand, plan);
  // The card that stands for good tells the end. One that was sent and not noted down does so too if it was pressed.
  const cards = telegram.chat(errand.chat).filter(({ text }) => /✅ .* allowed it|expires/.test(text));
  const open = cards.filter(({ text }) => !/^✅ .* allowed it/.test(text));
  expect(cards.length - open.length).toBeGreaterThanOrEqual(2);
  expect(open.length).toBeLessThanOrEqual(countOf(plan, 'card-sent'));
  expect(cards.length - 2).toBeLessThanOrEqual(countOf(plan, 'card-sent'));
}

/** Nothing is silent; what was sent and not noted down is said again. */
function expectSaid(errand: Errand, plan: readonly string[]): void {
  const said = ['I will write it down.', 'Finished:'].map((words) => errand.countSaid(words));
  expect(Math.min(...said)).toBeGreaterThanOrEqual(1);
  expect(said.reduce((sum, count) => sum + count - 1, 0)).toBeLessThanOrEqual(countOf(plan, 'reply-sent'));
}

function countOf(plan: readonly string[], point: string): number {
  return plan.filter((step) => step.split(':')[0] === point).length;
}

function expectFate(errand: Errand, call: 'write' | 'ledger', fate: Fate): void {
  const result = errand.results()[call === 'write' ? 0 : 1] ?? 'none';
  const ran = call === 'write' ? /^Created copy.txt/ : /^\[exit code 0\]/;
  const isThere = call === 'write' ? errand.isWritten() : errand.ledger().length === 1;
  const card = errand.decidedCard(call === 'write' ? 'copy.txt' : 'ledger.txt');
  switch (fate) {
    case 'done':
      expect({ isThere, result, card }).toEqual({
        isThere: true,
        result: expect.stringMatching(ran),
        card: expect.stringContaining('✔️'),
      });
      return;
    case 'unknown, and done':
    case 'unknown, and not done':
      expect({ isThere, result, card }).toEqual({
        isThere: fate === 'unknown, and done',
        result: expect.stringMatching(/^Outcome unknown/),
        card: expect.stringContaining('⚡ Outcome unknown'),
      });
      return;
    case 'told as it is':
      expectFate(errand, call, ran.test(result) ? 'done' : isThere ? 'unknown, and done' : 'unknown, and not done');
  }
}

/** Dies at the point, and again at it while the next process goes on, if so told; looks whether all is as promised. */
async function surviveAt(points: readonly string[], { write = 'done', ledger = 'done' }: Fates): Promise<void> {
  await using errand = await run(points);
  expectWhole(errand, points);
  expectFate(errand, 'write', write);
  expectFate(errand, 'ledger', ledger);
}

const asItIs = { write: 'told as it is', ledger: 'told as it is' } as const;

describe('a daemon that is killed', () => {
  test('on its whole way, again and again, still does its errand once', () => surviveAt(onTheWay, asItIs));

  inFull(() => {
    test.concurrent.each(everywhere.map((points) => ({ points })))(
      'at $points still does its errand once',
      ({ points }) => surviveAt(points, asItIs),
    );

    test.concurrent.each(cases)('at $point goes on: one answer, no call twice, no second card', ({ point, ...fates }) =>
      surviveAt([point], fates),
    );

    test.concurrent.each(again)('at $point, and there again while it goes on, goes on', ({ point, ...fates }) =>
      surviveAt([point, point], fates),
    );
  });
});
