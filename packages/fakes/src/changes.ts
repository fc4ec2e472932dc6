/** Long enough for a machine that is busy with others: it costs nothing when things go well. */
export const patienceMs = 100_000;

/** What a wait says of itself when it was in vain. */
export interface WaitOptions {
  /** in milliseconds; `patienceMs` if not set. */
  readonly timeoutMs?: number;
  /** What is awaited, in words. */
  readonly what?: string;
  /** What there is instead. Asked only when the time is over. */
  readonly describe?: () => string;
}

/** What is left of a type when it counts as true. */
export type Found<T> = Exclude<T, false | 0 | '' | null | undefined>;

/** Whether a text has this part, or fits the pattern. */
export function contains(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}

/** Tells those who wait for something that something has changed. */
export class Changes {
  readonly #listeners = new Set<() => void>();

  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Looks now and after every change. Resolves with what it found; throws when the time is over. */
  async waitFor<T>(look: () => T, options: WaitOptions = {}): Promise<Found<T>> {
    const timeoutMs = options.timeoutMs ?? patienceMs;
    const now = look();
    if (isFound(now)) return now;
    const found = await this.#nextFound(look, timeoutMs);
    if (found !== undefined) return found;
    throw waitedInVain(timeoutMs, options);
  }

  #nextFound<T>(look: () => T, timeoutMs: number): Promise<Found<T> | undefined> {
    return new Promise((resolve, reject) => {
      const end = (finish: () => void): void => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
        finish();
      };
      const timer = setTimeout(() => end(() => resolve(undefined)), timeoutMs);
      const listener = (): void => {
        try {
          const value = look();
          if (isFound(value)) end(() => resolve(value));
        } catch (error) {
          end(() => reject(error));
        }
      };
      this.#listeners.add(listener);
    });
  }
}

/** Whether it counts as true. */
export function isFound<T>(value: T): value is T & Found<T> {
  return Boolean(value);
}

/** The error of a wait that was in vain. */
export function waitedInVain(timeoutMs: number, { what = 'it', describe }: WaitOptions): Error {
  const instead = describe === undefined ? '' : `\n${describe()}`;
  return new Error(`Waited ${timeoutMs} ms for ${what}.${instead}`);
}
