import { isDeepStrictEqual } from 'node:util';

/**
 * A value that is replaced as a whole while the process runs: what the operator has set up. Code that is handed a view of it
 * reads the values of the moment. So what follows the setup takes a view and reads it when it works, and takes no value out
 * of it when it is made.
 */
export class Live<Value extends object> {
  #now: Value;

  constructor(first: Value) {
    this.#now = first;
  }

  /** The one that holds now; it never changes itself. */
  get now(): Value {
    return this.#now;
  }

  /** From here on, this one holds. */
  replace(next: Value): void {
    this.#now = next;
  }

  /** Gives what is made of the value: the same one, as long as a replacement makes no difference to it. */
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

  /** A plain object whose properties are those of the moment. A copy of it (`{ ...settings }`) keeps those of its own moment. */
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
 * Tells listeners something, who may be there later than those who tell it: what calls each other in a circle is handed
 * the signal, and is made in any order. What is told before somebody listens is lost.
 */
export interface Signal<Told> {
  readonly tell: (told: Told) => void;
  /** Call what it returns to listen no more. */
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
