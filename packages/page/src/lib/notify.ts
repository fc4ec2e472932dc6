import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { me } from './session.ts';
import { store, stored } from './storage.ts';

/**
 * How much a notification says: nothing is shown · that something waits, and of which kind · what; and `push`: as `kind`, and
 * while no tab is open that something waits.
 */
export const notifyModes = ['off', 'kind', 'content', 'push'] as const;
export type NotifyMode = (typeof notifyModes)[number];

const modeItem = 'keyturn.notify';
const mode = signal<NotifyMode>(modeOf(stored(modeItem)));

/** What this browser was told to say. Off if it does not allow it any more. */
export const notifyMode: ReadonlySignal<NotifyMode> = computed(() => mode.value);

/** Asks the browser, if need be. False if it does not allow it. Rejects if it cannot be told without a tab: all is as before. */
export async function setNotifyMode(wanted: NotifyMode): Promise<boolean> {
  const isAllowed = wanted === 'off' || (await Notification.requestPermission()) === 'granted';
  const before = mode.peek();
  const next = isAllowed ? wanted : 'off';
  if (next === 'push') await (await import('./push.ts')).beginPush();
  mode.value = next;
  store(modeItem, next);
  if (before === 'push' && next !== 'push') await (await import('./push.ts')).endPush();
  return isAllowed;
}

function modeOf(text: string | undefined): NotifyMode {
  return notifyModes.find((known) => known === text) ?? 'off';
}

/** Tells of what waits, as this browser was told to, while somebody is signed in. Called once. */
export function followNotifications(): void {
  effect(() => {
    if (me.value === undefined || mode.value === 'off' || !isAllowed()) return;
    const leaving = new AbortController();
    void import('../views/waiting/tell-waiting.ts').then(({ tellWaiting }) => {
      if (!leaving.signal.aborted) leaving.signal.addEventListener('abort', tellWaiting(mode));
    });
    return () => leaving.abort();
  });
  // The browser, or Keyturn, may have lost what it knew.
  effect(() => {
    if (me.value === undefined || mode.peek() !== 'push' || !isAllowed()) return;
    void import('./push.ts').then(({ renewPush }) => renewPush());
  });
}

/** Whether this browser can be told while no tab is open: not over plain HTTP, but on this machine. */
export function canPush(): boolean {
  return isSecureContext && 'serviceWorker' in navigator && 'PushManager' in globalThis;
}

function isAllowed(): boolean {
  return 'Notification' in globalThis && Notification.permission === 'granted';
}
