import { setTimeout as sleep } from 'node:timers/promises';
import { countsOf } from './counts.ts';
import { answered, atOnce, begin, type Figures, inTurn, quantile, timed } from './measuring.ts';
import { Stand } from './stand.ts';
import type { Subject } from './subjects.ts';

/** A row of the table: what is measured, of which subjects, and how often. */
export interface Row {
  readonly name: string;
  readonly about: string;
  readonly rounds: number;
  readonly of: readonly Subject['kind'][];
  readonly measure: (subject: Subject) => Promise<Figures>;
}

const all = ['keyturn', 'bare', 'floor'] as const;

export const rows: readonly Row[] = [
  {
    name: 'start',
    about: 'from the start to the first reply, and at rest 3 s later',
    rounds: 5,
    of: all,
    measure: (subject) => on(subject, start),
  },
  {
    name: 'sequential',
    about: '200 messages, one after the other',
    rounds: 5,
    of: all,
    measure: (subject) => on(subject, sequential),
  },
  {
    name: 'burst',
    about: '600 chats, one message each, at once',
    rounds: 5,
    of: all,
    measure: (subject) => on(subject, burst),
  },
  {
    name: 'closed',
    about: '200 chats, three messages each, written when the one before is answered',
    rounds: 3,
    of: all,
    measure: (subject) => on(subject, closedLoop),
  },
  {
    name: 'thinking',
    about: 'a model that takes 500 ms, written 700 ms after the answer: beyond these 500 ms',
    rounds: 2,
    of: all,
    measure: (subject) => on(subject, thinking),
  },
  {
    name: 'counts',
    about: 'what one of 100 messages in turn asks for',
    rounds: 1,
    of: all,
    measure: countsOf,
  },
];

/** Not measured: makes what later starts find. */
export async function firstStart(subject: Subject): Promise<void> {
  await on(subject, async (stand) => {
    await begin(stand);
    return {};
  });
}

/** Measures on a stand of its own. */
async function on(subject: Subject, measure: (stand: Stand) => Promise<Figures>): Promise<Figures> {
  const stand = await Stand.open(subject);
  try {
    return await measure(stand);
  } finally {
    await stand.close();
  }
}

async function start(stand: Stand): Promise<Figures> {
  const begun = performance.now();
  await begin(stand);
  const wall = performance.now() - begun;
  const { processor } = stand;
  await sleep(3000);
  const { pss, rss, private: own } = stand.memory;
  return { 'first reply ms': wall, 'processor ms': processor, 'Pss MB': pss, 'Rss MB': rss, 'private MB': own };
}

async function sequential(stand: Stand): Promise<Figures> {
  await warm(stand);
  const messages = 200;
  const { result, processor } = await timed(stand, () => inTurn(stand, messages));
  return {
    'p50 ms': quantile(result, 0.5),
    'p99 ms': quantile(result, 0.99),
    'processor ms/message': processor / messages,
  };
}

async function burst(stand: Stand): Promise<Figures> {
  await warm(stand);
  return loop(stand, 600, 1);
}

async function closedLoop(stand: Stand): Promise<Figures> {
  await warm(stand);
  return loop(stand, 200, 3);
}

async function loop(stand: Stand, chats: number, each: number): Promise<Figures> {
  const { result, wall, processor } = await timed(stand, () => atOnce(stand, chats, each));
  return {
    'messages/s': (result.length / wall) * 1000,
    'p50 ms': quantile(result, 0.5),
    'processor ms/message': processor / result.length,
  };
}

async function thinking(stand: Stand): Promise<Figures> {
  await warm(stand);
  const think = 500;
  stand.model.manner = { think, pieces: 0, pause: 0 };
  const took: number[] = [];
  for (let message = 0; message < 8; message += 1) {
    took.push((await answered(stand, 100)) - think);
    await sleep(700);
  }
  return { 'p50 ms': quantile(took, 0.5), 'worst ms': Math.max(...took) };
}

/** What a process does in its first messages, such as compiling, is no part of what is measured. */
async function warm(stand: Stand): Promise<void> {
  await begin(stand);
  await inTurn(stand, 30);
}
