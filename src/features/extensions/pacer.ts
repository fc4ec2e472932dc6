import type { Readable } from 'node:stream';
import type { Clock } from '../../lib/clock.ts';

interface PacerParts {
  readonly clock: Clock;
  /** Paused while work is queued, so that the writer waits. Empty if the reader awaits `turnFor`. */
  readonly streams?: readonly Readable[];
  /** Called once with the reason (half a sentence) if a writer writes too much for too long. Nothing more runs then. */
  readonly flooded: (why: string) => void;
}

/** In ms. */
const turn = 100;
/** The budget of a turn. A message costs 1, plus 1 per 8 KB: 2,500 messages or 20 MB a second. */
const perTurn = 250;
const bytesOfOne = 8_192;
/** This many full turns without a pause are a flood: half a minute. */
const mostTurns = 300;
/** A gap of at least this ends a flood: a flooding writer resumes as soon as it is read. In ms. */
const pause = 500;

/** Limits how fast the output of external programs is read (pipes, HTTP). They wait; a flood is reported. */
export function createPacer({ clock, streams = [], flooded }: PacerParts) {
  let queue: { readonly cost: number; readonly run: () => void }[] = [];
  let left = perTurn;
  let turnBegan = clock.now();
  let fullTurns = 0;
  let cancelTurn: (() => void) | undefined;
  let isOver = false;

  function enqueue(cost: number, run: () => void): void {
    if (isOver) return;
    queue.push({ cost, run });
    if (cancelTurn === undefined) work();
  }

  function work(): void {
    const passed = clock.now() - turnBegan;
    // A clock that was set back must not block.
    if (passed < 0 || passed >= turn) {
      // The writer paused.
      if (passed >= pause) fullTurns = 0;
      left = Math.min(left, 0) + perTurn;
      turnBegan = clock.now();
    }
    let done = 0;
    while (done < queue.length && left > 0 && !isOver) {
      const next = queue[done++];
      left -= next?.cost ?? 0;
      next?.run();
    }
    if (isOver) return;
    queue = queue.slice(done);
    for (const stream of streams) if (queue.length > 0) stream.pause();
    if (queue.length > 0) cancelTurn = clock.after(turn, nextTurn);
    else for (const stream of streams) stream.resume();
  }

  function nextTurn(): void {
    cancelTurn = undefined;
    fullTurns += 1;
    if (fullTurns < mostTurns) {
      work();
      return;
    }
    close();
    flooded(`it wrote more than can be read, for ${(mostTurns * turn) / 1000} s`);
  }

  function close(): void {
    isOver = true;
    queue = [];
    cancelTurn?.();
  }

  return {
    /** Runs it now or in a later turn, in call order. */
    add: (bytes: number, run: () => void): void => enqueue(1 + bytes / bytesOfOne, run),
    /** Resolves when this many messages of this size in all may be read; never once it is over. */
    turnFor: (bytes: number, messages: number): Promise<void> =>
      new Promise((resolve) => enqueue(messages + bytes / bytesOfOne, resolve)),
    end(): void {
      const rest = queue;
      close();
      for (const { run } of rest) run();
    },
  };
}
