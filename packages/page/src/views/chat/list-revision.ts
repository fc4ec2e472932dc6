import { signal } from '@preact/signals';

/** Counts up when something was said or named here: the list is asked for again. */
export const listRevision = signal(0);

export function listChanged(): void {
  listRevision.value += 1;
}
