/** The only source of time. Durations are in ms; an instant is ms since 1970, UTC. */
export interface Clock {
  now(): number;
  /**
   * Calls back once after the duration. Returns a function that cancels it. The timer does not keep the process alive.
   */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Node turns a longer delay into 1 ms. */
const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(milliseconds, longestTimer));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after the duration or when the signal aborts: check the signal afterwards. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(milliseconds, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** How long something may take. The signal ends it earlier. */
export interface TimeLimit {
  readonly clock: Clock;
  readonly milliseconds: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Whether the work ends in time and before the signal aborts. The work is not cancelled: if it fails later, nobody sees
 * the error. Throws what it throws in time.
 */
export function endsWithin(work: Promise<unknown>, { clock, milliseconds, signal }: TimeLimit): Promise<boolean> {
  return withOwnSignal(signal, async (own) => {
    try {
      return await Promise.race([work.then(() => true), sleep(clock, milliseconds, own.signal).then(() => false)]);
    } finally {
      own.abort();
    }
  });
}

/**
 * A request with a timeout: a connection can die silently. The signal cancels it, too. `AbortSignal.timeout` would keep
 * all that the request made until its time is over.
 */
export async function withTimeout<Result>(
  { clock, milliseconds, signal }: TimeLimit,
  request: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return withOwnSignal(signal, async (own) => {
    const callOff = clock.after(milliseconds, () => own.abort(new DOMException('no answer in time', 'TimeoutError')));
    try {
      return await request(own.signal);
    } finally {
      callOff();
    }
  });
}

/**
 * Gives the work a signal of its own, which aborts with the given one. Libraries leave listeners behind, and what
 * `AbortSignal.any` makes is kept as long as it has one.
 */
export async function withOwnSignal<Result>(
  signal: AbortSignal | undefined,
  work: (own: AbortController) => Promise<Result>,
): Promise<Result> {
  const own = new AbortController();
  const unlisten = signal && onAbort(signal, () => own.abort());
  try {
    return await work(own);
  } finally {
    unlisten?.();
  }
}

/** Calls back when the signal aborts: now, if it has. Returns a function after which it does not call back. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) callback();
  else signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}

/** In ms. */
const tick = 20_000;
/** A busy machine is late too, but not by this much. In ms. */
const tolerance = 5_000;

/**
 * Calls back when the time jumps: the machine slept, or its clock was set forward or back. A timer counts only the time
 * the machine is awake, so a difference to the clock means that other timers are wrong too. Returns a function that
 * ends the watch.
 */
export function watchForJumps(clock: Clock, jumped: (by: number) => void): () => void {
  let cancel = (): void => {};
  const wait = (): void => {
    const since = clock.now();
    cancel = clock.after(tick, () => {
      const by = clock.now() - since - tick;
      wait();
      if (Math.abs(by) > tolerance) jumped(by);
    });
  };
  wait();
  return () => cancel();
}

/**
 * The result of the work; undefined if the signal aborts first. The work then continues, and its outcome is ignored.
 */
export function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const unlisten = onAbort(signal, () => resolve(undefined));
    void work.then(resolve, reject).finally(unlisten);
  });
}

export interface BackOffOptions {
  /** After the first failure. In ms. */
  readonly firstPause?: number;
  /** In ms. */
  readonly longestPause?: number;
  /** A random number from 0 to 1. */
  readonly chance?: () => number;
}

/**
 * The pause after this many failures in a row, in ms. It doubles from the first pause (default 1 s) up to the longest
 * (default 60 s). Up to a quarter of it is random, so that many clients of one server do not reconnect in step.
 */
export function backOff(
  failures: number,
  { firstPause = 1_000, longestPause: longest = 60_000, chance = Math.random }: BackOffOptions = {},
): number {
  const pause = Math.min(longest, firstPause * 2 ** Math.min(16, Math.max(0, failures - 1)));
  return Math.round(pause * (0.75 + chance() / 4));
}

/** From these ages in ms, the pause is multiplied: a long answer is read slowly. */
const ages = [
  { from: 60_000, factor: 4 },
  { from: 20_000, factor: 2 },
] as const;
const slowerAfterRefusal = 1.5;
/** In ms. */
const longestPause = 15_000;

export interface EditPace {
  /** The earliest instant for the next edit. */
  earliest(): number;
  /** How long the platform still refuses edits, in ms; 0 if it accepts them. */
  refusedFor(): number;
  begin(): void;
  /** The platform refused an edit. `retryAfter` is in ms. */
  refuse(retryAfter: number): void;
}

/**
 * Throttles edits: the pause grows with age and with each refusal, and `retryAfter` of the platform is kept. `pause` is
 * the shortest interval between edits that the platform accepts permanently, in ms.
 */
export function createEditPace(clock: Clock, pause: number): EditPace {
  let firstAt: number | undefined;
  let lastAt: number | undefined;
  let slowness = 1;
  let refusedUntil = 0;
  return {
    earliest() {
      if (lastAt === undefined) return refusedUntil;
      const age = clock.now() - (firstAt ?? 0);
      const factor = ages.find(({ from }) => age >= from)?.factor ?? 1;
      const currentPause = Math.max(pause, Math.min(longestPause, pause * factor * slowness));
      return Math.max(refusedUntil, lastAt + currentPause);
    },
    refusedFor: () => Math.max(0, refusedUntil - clock.now()),
    begin() {
      lastAt = clock.now();
      firstAt ??= lastAt;
    },
    refuse(retryAfter) {
      slowness *= slowerAfterRefusal;
      refusedUntil = clock.now() + retryAfter;
    },
  };
}

/**
 * Returns a function that formats the day of an instant: `2026-03-04`. Without a time zone it uses this machine's,
 * without asking for its name: that takes longer than all the rest of an answer.
 */
export function dayIn(timeZone: string | undefined): (at: number) => string {
  if (timeZone === undefined) return dayHere;
  // Lazily: making a format is slower than using it.
  let made: Intl.DateTimeFormat | undefined;
  return (at) => {
    made ??= new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    return made.format(at);
  };
}

function dayHere(at: number): string {
  const date = new Date(at);
  const month = String(date.getMonth() + 1).padStart(2, '0');
  return `${date.getFullYear()}-${month}-${String(date.getDate()).padStart(2, '0')}`;
}
