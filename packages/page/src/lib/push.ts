/* Lets this browser be told while no tab is open: its worker, and what the daemon knows of it. */

import { computed } from '@preact/signals';
import type { PushKey, PushState } from '../../../../src/features/page/wire/push.ts';
import { ask, tell } from './ask.ts';

/** Rejects if the browser's push service cannot be reached, or the daemon does not take it. */
export async function beginPush(): Promise<void> {
  const { key } = await ask<PushKey>('push/key');
  await navigator.serviceWorker.register(workerAddress.peek());
  const { pushManager } = await navigator.serviceWorker.ready;
  const known = await pushManager.getSubscription();
  // Of another Keyturn at this address, or of this one before it lost its key.
  if (known !== null && !isOfKey(known, key)) await known.unsubscribe();
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  await tell<PushState>('push/subscribe', subscription.toJSON());
}

/** Is told no longer. Whether the browser forgets it does not matter: the daemon sends nothing. */
export async function endPush(): Promise<void> {
  await tell<PushState>('push/unsubscribe');
  const worker = await navigator.serviceWorker.getRegistration('/');
  await (await worker?.pushManager.getSubscription())?.unsubscribe();
}

/** The same again, for what was lost. Without the daemon or the push service, the next time that the page is opened does. */
export async function renewPush(): Promise<void> {
  await beginPush().catch((error: unknown) => console.info('this browser is not told while no tab is open:', error));
}

function isOfKey({ options }: PushSubscription, key: string): boolean {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer());
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') === key;
}

const workerPath = '/sw.js';

/** Makes addresses of code. What it gives is no text, but all that takes one takes it. */
interface AddressPolicy {
  createScriptURL(text: string): string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: AddressPolicy): AddressPolicy;
}

/** A page may make a policy once. */
const workerAddress = computed(madeAddress);

/** The policy of the page lets nothing else name code, and this policy names nothing else. */
function madeAddress(): string {
  const types: TrustedTypes | undefined = Reflect.get(globalThis, 'trustedTypes');
  if (types === undefined) return workerPath;
  return types.createPolicy('keyturn-worker', { createScriptURL: () => workerPath }).createScriptURL('');
}
