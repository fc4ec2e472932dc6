import { isDeepStrictEqual } from 'node:util';

/**
 * A value that is replaced as a whole while the process runs: the config. Code with a view of it reads the current
 * values, so it must read them when it works, not copy them when it is made.
 */
export class Live<Value extends object> {
  #now: Value;

  constructor(first: Value) {
    this.#now = first;
  }

  /** The current value. It is immutable. */
  get now(): Value {
    return this.#now;
  }

  replace(next: Value): void {
    this.#now = next;
  }

  /** Memoises `make`: returns the same result until a replacement changes it. */
  derived<Made>(make: (value: Value) => Made): () => Made {
    let of = this.#now;
    let made = make(of);
    return () => {
      if (of !== this.#now) {
        of = this.#now;
        const next = make(of);
        if (!isDeepStrictEqual(next, made)) made = next;
      }
      return made;
    };
  }

  /** A plain object with the current properties. A copy (`{ ...settings }`) keeps those of its moment. */
  view<Settings extends object>(make: (value: Value) => Settings): Settings {
    const current = this.derived(make);
    return new Proxy<Settings>(
      { ...current() },
      {
        get: (_, key): unknown => Reflect.get(current(), key),
        has: (_, key) => Reflect.has(current(), key),
        ownKeys: () => Reflect.ownKeys(current()),
        getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(current(), key),
      },
    );
  }
}

/**
 * Passes events to listeners that may be registered later than the sender: parts that call each other in a circle share
 * a signal and can be made in any order. An event without a listener is lost.
 */
export interface Signal<Told> {
  readonly tell: (told: Told) => void;
  /** Returns a function that unsubscribes. */
  readonly listen: (listener: (told: Told) => void) => () => void;
}

export function signal<Told>(): Signal<Told> {
  const listeners = new Set<(told: Told) => void>();
  return {
    tell: (told) => {
      for (const listener of listeners) listener(told);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
