import { setTimeout as sleep } from 'node:timers/promises';
import { answered, atOnce, begin, type Figures, inTurn, quantile, started, timed, warm } from './measuring.ts';
import { everybody, onStand, type Row } from './row.ts';
import type { Stand } from './stand.ts';

/** What everybody meets: the start, messages in turn and at once, models that take time. */
export const everydayRows: readonly Row[] = [
  {
    name: 'start',
    about: 'from the start to the first reply, and at rest 3 s later',
    rounds: 5,
    of: everybody,
    measure: (subject) => onStand(subject, start),
  },
  {
    name: 'sequential',
    about: '200 messages, one after the other',
    rounds: 5,
    of: everybody,
    measure: (subject) => onStand(subject, sequential),
  },
  {
    name: 'burst',
    about: '600 chats, one message each, at once',
    rounds: 5,
    of: everybody,
    measure: (subject) => onStand(subject, burst),
  },
  {
    name: 'memory',
    about: 'after 200 messages in turn and 600 at once, and 10 s later',
    rounds: 2,
    of: everybody,
    measure: (subject) => onStand(subject, memory),
  },
  {
    name: 'closed',
    about: '200 chats, three messages each, written when the one before is answered',
    rounds: 5,
    of: everybody,
    measure: (subject) => onStand(subject, closedLoop),
  },
  {
    name: 'thinking',
    about: 'a model that takes 500 ms, written 700 ms after the answer: beyond these 500 ms',
    rounds: 1,
    of: everybody,
    measure: (subject) => onStand(subject, thinking),
  },
  {
    name: 'streams',
    about: '100 chats at once, each with an answer of 20 pieces, 50 ms apart: beyond this second',
    rounds: 2,
    of: everybody,
    measure: (subject) => onStand(subject, streams),
  },
];

async function start(stand: Stand): Promise<Figures> {
  const begun = await started(stand);
  await sleep(3000);
  return { ...begun, ...memoryFigures(stand, '') };
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

async function memory(stand: Stand): Promise<Figures> {
  await begin(stand);
  await inTurn(stand, 200);
  await atOnce(stand, 600);
  const after = memoryFigures(stand, ' after');
  await sleep(10_000);
  return { ...after, ...memoryFigures(stand, ' 10 s later') };
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
  for (let message = 0; message < 12; message += 1) {
    took.push((await answered(stand, 100)) - think);
    await sleep(700);
  }
  return { 'p50 ms': quantile(took, 0.5), 'worst ms': Math.max(...took) };
}

async function streams(stand: Stand): Promise<Figures> {
  await warm(stand);
  const [chats, pieces, pause] = [100, 20, 50];
  stand.model.manner = { think: 0, pieces, pause };
  const { result, processor } = await timed(stand, () => atOnce(stand, chats));
  return {
    'p50 ms': quantile(result, 0.5) - pieces * pause,
    'worst ms': Math.max(...result) - pieces * pause,
    'processor ms/message': processor / chats,
  };
}

function memoryFigures({ memory }: Stand, when: string): Figures {
  return { [`Pss MB${when}`]: memory.pss, [`Rss MB${when}`]: memory.rss, [`private MB${when}`]: memory.private };
}
