import { setTimeout as sleep } from 'node:timers/promises';
import { begin, type Figures, quantile, timed, warm } from './measuring.ts';
import { wantsCall } from './model.ts';
import { onStand, type Row } from './row.ts';
import type { Stand } from './stand.ts';

/** What Keyturn is for: approvals, and messages that survive. */
export const ownRows: readonly Row[] = [
  {
    name: 'approved',
    about: '40 calls of `shell`: from the message to its card, and from the press to the answer',
    rounds: 3,
    of: ['keyturn'],
    measure: (subject) => onStand(subject, approved, { config: ownerConfig }),
  },
  {
    name: 'killed',
    about: 'killed while the model thinks: from the next start to the answer of the message that waited',
    rounds: 5,
    of: ['keyturn', 'floor'],
    measure: (subject) => onStand(subject, killed),
  },
];

const owner = 100;
const ownerConfig = { owners: [`telegram:${owner}`], tools: { rate_limits: {} } };

async function approved(stand: Stand): Promise<Figures> {
  await begin(stand);
  for (let call = 0; call < 5; call += 1) await approvedCall(stand);
  const calls = 40;
  const cards: number[] = [];
  const answers: number[] = [];
  const { processor } = await timed(stand, async () => {
    for (let call = 0; call < calls; call += 1) {
      const { card, answer } = await approvedCall(stand);
      cards.push(card);
      answers.push(answer);
    }
  });
  return {
    'card p50 ms': quantile(cards, 0.5),
    'answer p50 ms': quantile(answers, 0.5),
    'answer p99 ms': quantile(answers, 0.99),
    'processor ms/call': processor / calls,
  };
}

async function approvedCall(stand: Stand): Promise<{ readonly card: number; readonly answer: number }> {
  const asked = performance.now();
  const awaitedCard = stand.see(owner, 'card');
  const answered = stand.say(owner, wantsCall);
  const card = await awaitedCard;
  const shown = performance.now();
  const button = card?.buttons.find(({ label }) => label.includes('Approve'));
  if (card === undefined || button === undefined) throw new Error(`No card can be approved:\n${stand.log}`);
  stand.platform.press(card, button);
  if ((await answered) === undefined) throw new Error(`An approved call has no answer:\n${stand.log}`);
  return { card: shown - asked, answer: performance.now() - shown };
}

async function killed(stand: Stand): Promise<Figures> {
  await warm(stand);
  const { requests, manner } = stand.model;
  stand.model.manner = { ...manner, think: 60_000 };
  const answered = stand.say(owner, 'hello');
  while (stand.model.requests === requests) await sleep(5);
  await stand.kill();
  stand.model.manner = manner;
  const begun = performance.now();
  stand.start();
  if ((await answered) === undefined) throw new Error(`A message was lost:\n${stand.log}`);
  return { 'answer ms': performance.now() - begun };
}
