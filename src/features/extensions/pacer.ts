import type { Readable } from 'node:stream';
import type { Clock } from '../../lib/clock.ts';

interface PacerParts {
  readonly clock: Clock;
  /** Paused while there is more than can be done: then the writer has to wait. None where the reader waits for `turnFor`. */
  readonly streams?: readonly Readable[];
  /** Told once, as half a sentence, when somebody has written too much for too long. Nothing more is done then. */
  readonly flooded: (why: string) => void;
}

/** In milliseconds. */
const turn = 100;
/** What is done in a turn: a message costs 1, and 1 more for each 8 KB. That is 2,500 messages or 20 MB a second. */
const perTurn = 250;
const bytesOfOne = 8_192;
/** After so many turns without a pause, it is a flood: half a minute. */
const mostTurns = 300;
/** A flood goes on at once when it is read again. In milliseconds. */
const pause = 500;

/**
 * Reads what a program of others writes, at a pipe or over HTTP, no faster than the rest of the daemon can bear. The program
 * waits meanwhile; one that goes on like that is reported.
 */
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
    // A clock that was set back must not hold anything up.
    if (passed < 0 || passed >= turn) {
      // It wrote nothing for a while.
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
    /** Does it now or in a later turn, in the order of the calls. */
    add: (bytes: number, run: () => void): void => enqueue(1 + bytes / bytesOfOne, run),
    /** Resolves when so many messages of so many bytes may be read; never, once it is over. */
    turnFor: (bytes: number, messages: number): Promise<void> =>
      new Promise((resolve) => enqueue(messages + bytes / bytesOfOne, resolve)),
    end(): void {
      const rest = queue;
      close();
      for (const { run } of rest) run();
    },
  };
}
