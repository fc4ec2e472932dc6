/*
 * Runs while no tab is open: shows that something waits, and opens the waiting room. It keeps nothing, and answers no request
 * of the page. What it says comes from the daemon, encrypted for this browser.
 */

import type { PushText } from '../../../../src/features/page/wire/push.ts';

declare const self: ServiceWorkerGlobalScope;

const place = '/waiting';

// A newer one takes over at once: pages do not depend on it.
self.addEventListener('install', (event) => event.waitUntil(self.skipWaiting()));
self.addEventListener('push', (event) => event.waitUntil(show(event.data)));
self.addEventListener('notificationclick', (event) => event.waitUntil(open()));

/** Browsers want something to be shown for each message. */
async function show(data: PushMessageData | null): Promise<void> {
  const { title, tag, language } = read(data);
  await self.registration.showNotification(title, { tag, lang: language });
}

function read(data: PushMessageData | null): PushText {
  const unreadable: PushText = { title: 'Keyturn', tag: 'keyturn', language: 'en' };
  try {
    const { title, tag, language } = data?.json() ?? unreadable;
    return typeof title === 'string' && typeof tag === 'string' ? { title, tag, language } : unreadable;
  } catch {
    // It is no JSON: a newer Keyturn may say it otherwise.
    return unreadable;
  }
}

/** The waiting room shows all of it. */
async function open(): Promise<void> {
  for (const shown of await self.registration.getNotifications()) shown.close();
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const there = tabs.find(({ url }) => new URL(url).pathname.startsWith(place));
  await (there === undefined ? self.clients.openWindow(place) : there.focus());
}
