import { signal } from '@preact/signals';
import { store, stored } from './storage.ts';

/** The item of the browser's storage with the second half of the proof of who asks. */
const keyItem = 'keyturn.key';

/** The second half of the proof, beside the cookie. Undefined: nobody is signed in here. */
export const key = signal<string | undefined>(stored(keyItem));

/** Signs this tab, and those beside it, in or out. */
export function keepKey(now: string | undefined): void {
  store(keyItem, now);
  key.value = now;
}

/** The daemon lets nobody in with this key. A newer one, of another tab, stays. */
export function forgetKey(refused: string | undefined): void {
  if (key.peek() === refused) keepKey(undefined);
}

/** Follows what other tabs sign in and out. Called once. */
export function followKey(): void {
  addEventListener('storage', (event) => {
    if (event.key === keyItem || event.key === null) key.value = stored(keyItem);
  });
}
