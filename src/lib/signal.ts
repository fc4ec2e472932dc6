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
