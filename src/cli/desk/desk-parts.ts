import type { Place } from '../place.ts';
import type { Program } from '../program.ts';

/** What a desk works with. */
export interface DeskParts {
  readonly place: Place;
  readonly program: Program;
  /** The script that this process runs: what gives commands to it in another one. */
  readonly entry: string;
  /** For the marks that stand for secrets: of this process alone. */
  readonly key: Uint8Array;
  /** One at a time changes the files. */
  readonly turns: Turns;
}

/** The end of the last change, whatever became of it. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Waits until the changes before are done. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
