import { createStorageNotices, type StorageNotices } from '../conversation/health/storage.ts';
import { laneOf } from '../engine/outbox.ts';
import type { Besides } from '../engine/send.ts';
import { Background } from '../lib/background.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { damaged, type firstDamage } from '../store/examine.ts';
import type { Store } from '../store/index.ts';
import { workerFunction, workerProcesses } from '../tools/guard/worker/run-in-worker.ts';
import type { Services } from './parts.ts';

/**
 * Sends a notice to each owner in their direct chat: with `notOnRefused`, not on channels that their platform refuses
 * now; not in the chat `besides`, which already has it. If there is no such chat, it is logged.
 */
export function ownerNotices(
  services: Services,
): (markdown: string, notOnRefused?: boolean, besides?: Besides) => void {
  const background = new Background(services.log);
  return (markdown, notOnRefused = false, besides) =>
    background.run('the owners could not be told something', () => tell(services, markdown, { notOnRefused, besides }));
}

async function tell(
  services: Services,
  markdown: string,
  { notOnRefused, besides }: { readonly notOnRefused: boolean; readonly besides: Besides | undefined },
): Promise<void> {
  const { store, owners, adapters, health, clock, log, deliver } = services;
  const chats = await store.lifetime.directChats(owners.all());
  const isOpen = (name: string): boolean => !notOnRefused || health.of(name)?.health.status !== 'dead';
  const places = chats
    .filter(({ conversation: { channel } }) => adapters.has(channel) && isOpen(channel))
    .map(({ conversationId }) => conversationId);
  if (places.length === 0) log.warn({}, 'no owner could be told something: none has a chat of their own here');
  const isElsewhere = (place: string): boolean => laneOf(place) !== besides?.lane;
  if (besides?.isNotice === true && !places.every(isElsewhere)) return;
  for (const place of places.filter(isElsewhere)) {
    await store.outbox.say(place, { id: newId(20), kind: 'notice', markdown }, clock.now());
  }
  deliver(places);
}

/** Tells owners that nothing can be stored. */
export function makeStorageNotices({ store, adapters, owners, clock, log }: Services): StorageNotices {
  const ownersChats = () => store.lifetime.directChats(owners.all());
  return createStorageNotices({ storage: store.state, adapters, ownersChats, clock, log });
}

/** For reading a database: in ms and bytes. */
const bounds = { timeout: 6 * 3_600_000, memory: 512 * 2 ** 20 };

/**
 * Checks a large database in another process; a small one is checked at start. If it is damaged, nothing more is
 * stored. Resolves with the check, or when the signal aborts.
 */
export async function readThrough(
  { state, toBeRead: file }: Store,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  if (file === undefined) return;
  log.debug({ file }, 'the database is read through beside the work');
  const run = workerProcesses({ clock, most: 1 });
  const work = workerFunction<typeof firstDamage>(import.meta.url, '../store/examine', 'firstDamage');
  const ending = await run(work, file, { ...bounds, signal });
  if (ending.type === 'done' && ending.value === undefined) log.debug({ file }, 'the database is whole');
  else if (ending.type === 'done') state.lose(damaged(file, String(ending.value)));
  else if (ending.type !== 'stopped') log.warn({ file, ...ending }, 'the database could not be read through');
}
