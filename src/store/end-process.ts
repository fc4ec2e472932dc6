/* Faults of the store that end the process: it begins again without harm, and would stand for ever without. */

/** A step that waits for anything but its statements holds up all others. */
export function isLate(): never {
  throw new Error('a step of the store waits for something that is not the database');
}

/** For a promise that nobody awaits: its fault would only be logged, and what waits behind it would wait for ever. */
export function endProcess(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
