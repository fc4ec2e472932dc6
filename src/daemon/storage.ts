import { StorageNotices } from '../conversation/health/storage-notices.ts';
import { oneForEachChat } from '../conversation/own-chats.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { damageWords, type firstDamage } from '../store/examine.ts';
import type { Store } from '../store/index.ts';
import { workerFunction, workerProcesses } from '../tools/guard/worker/run-in-worker.ts';
import type { Services } from './parts.ts';

/** What tells owners that nothing can be stored. */
export function makeStorageNotices({ store, adapters, owners, clock, log }: Services): StorageNotices {
  const ownersChats = async () => {
    const chats = await store.lifetime.directChats(owners.all());
    const places = new Set(oneForEachChat(chats));
    return chats.filter(({ conversationId }) => places.has(conversationId));
  };
  return new StorageNotices({ storage: store.state, adapters, ownersChats, clock, log });
}

/** How long a database may be read through, in milliseconds, and how much memory that may take, in bytes. */
const bounds = { timeout: 6 * 3_600_000, memory: 512 * 2 ** 20 };

/**
 * Reads a large database through that the last process has not closed, in a process beside this one. If it is damaged, nothing
 * more is stored. Resolves when that is known, or the signal aborts.
 */
export async function readThrough(
  { state, toBeRead: file }: Store,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  if (file === undefined) return;
  log.info({ file }, 'the last process was not ended in order: the database is read through beside the work');
  const run = workerProcesses({ clock, most: 1 });
  const work = workerFunction<typeof firstDamage>(import.meta.url, '../store/examine', 'firstDamage');
  const ending = await run(work, file, { ...bounds, signal });
  if (ending.type === 'done' && ending.value === undefined) log.info({ file }, 'the database is whole');
  else if (ending.type === 'done') {
    const words = `${damageWords(file, String(ending.value))} I store nothing any more until then.`;
    state.lose({ brief: 'the database is damaged', words });
  } else if (ending.type !== 'stopped') {
    log.warn({ file, ...ending }, 'the database could not be read through');
  }
}
