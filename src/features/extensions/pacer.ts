import type { Readable } from 'node:stream';
import type { Clock } from '../../lib/clock.ts';

interface PacerDependencies {
  readonly clock: Clock;
  /** Paused while there is more than can be done: then the writer has to wait. None where the reader waits for `turnFor`. */
  readonly streams?: readonly Readable[];
  /** Told once, as half a sentence, when somebody has written too much for too long. Nothing more is done then. */
  readonly flooded: (why: string) => void;
}

interface Work {
  readonly cost: number;
  readonly run: () => void;
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
export class Pacer {
  readonly #dependencies: PacerDependencies;
  #queue: Work[] = [];
  #left = perTurn;
  #turnBegan: number;
  #fullTurns = 0;
  #cancelTurn: (() => void) | undefined;
  #isOver = false;

  constructor(dependencies: PacerDependencies) {
    this.#dependencies = dependencies;
    this.#turnBegan = dependencies.clock.now();
  }

  /** Does it now or in a later turn, in the order of the calls. */
  add(bytes: number, run: () => void): void {
    if (!this.#isOver) this.#enqueue(1 + bytes / bytesOfOne, run);
  }

  /** Resolves when so many messages of so many bytes may be read; never, once it is over. */
  turnFor(bytes: number, messages: number): Promise<void> {
    if (this.#isOver) return new Promise(() => {});
    return new Promise((resolve) => this.#enqueue(messages + bytes / bytesOfOne, resolve));
  }

  /** Does what still waits, and nothing after that. */
  end(): void {
    const rest = this.#isOver ? [] : this.#queue;
    this.#close();
    for (const { run } of rest) run();
  }

  #enqueue(cost: number, run: () => void): void {
    this.#queue.push({ cost, run });
    if (this.#cancelTurn === undefined) this.#work();
  }

  #work(): void {
    const { clock, streams = [] } = this.#dependencies;
    const passed = clock.now() - this.#turnBegan;
    // A clock that was set back must not hold anything up.
    if (passed < 0 || passed >= turn) this.#begin(passed);
    let done = 0;
    while (done < this.#queue.length && this.#left > 0 && !this.#isOver) {
      const work = this.#queue[done++];
      this.#left -= work?.cost ?? 0;
      work?.run();
    }
    if (this.#isOver) return;
    this.#queue = this.#queue.slice(done);
    for (const stream of streams) if (this.#queue.length > 0) stream.pause();
    if (this.#queue.length > 0) this.#cancelTurn = clock.after(turn, () => this.#next());
    else for (const stream of streams) stream.resume();
  }

  #next(): void {
    this.#cancelTurn = undefined;
    this.#fullTurns += 1;
    if (this.#fullTurns < mostTurns) {
      this.#work();
      return;
    }
    this.#close();
    this.#dependencies.flooded(`it wrote more than can be read, for ${(mostTurns * turn) / 1000} s`);
  }

  #begin(passed: number): void {
    // It wrote nothing for a while.
    if (passed >= pause) this.#fullTurns = 0;
    this.#left = Math.min(this.#left, 0) + perTurn;
    this.#turnBegan = this.#dependencies.clock.now();
  }

  #close(): void {
    this.#isOver = true;
    this.#queue = [];
    this.#cancelTurn?.();
    this.#cancelTurn = undefined;
  }
}
