import type { AccountsOf } from '../conversation/access/access.ts';
import type { DirectChat } from '../conversation/inbox.ts';
import { laneOf } from '../delivery/outbox.ts';
import { Background } from '../lib/background.ts';
import { newId } from '../lib/ids.ts';
import { damaged, type firstDamage } from '../store/examine.ts';
import type { Store } from '../store/index.ts';
import { workerFunction, workerProcesses } from '../tools/guard/worker/run-in-worker.ts';
import type { Services } from './services.ts';

type NoticeParts = Pick<
  Services,
  'store' | 'owners' | 'accounts' | 'adapters' | 'health' | 'clock' | 'log' | 'deliver'
>;

/** Tells the owners something: see `Services.tellOwners`. */
export function ownerNotices(parts: NoticeParts): Services['tellOwners'] {
  const { store, owners, accounts, adapters, health, clock, log, deliver } = parts;
  const background = new Background(log);
  return (markdown, notOnRefused = false, besides) =>
    background.run('the owners could not be told something', async () => {
      const isOpen = (name: string): boolean => !notOnRefused || health.of(name)?.health.status !== 'dead';
      const chats = (await store.lifetime.directChats(owners.all())).filter(
        ({ conversation: { channel } }) => adapters.has(channel) && isOpen(channel),
      );
      const places = chats.map(({ conversationId }) => conversationId);
      if (places.length === 0) log.warn({}, 'no owner could be told something: none has a chat of their own here');
      const isElsewhere = (place: string): boolean => laneOf(place) !== besides?.lane;
      const isKnown = besides?.isNotice === true || besides?.hasStub === true;
      if (isKnown && !places.every(isElsewhere)) return;
      const told = lastUsed(
        chats.filter(({ conversationId }) => isElsewhere(conversationId)),
        accounts.accountsOf,
      );
      for (const place of told) {
        await store.outbox.say(place, { id: newId(20), kind: 'notice', markdown }, clock.now());
      }
      deliver(told);
    });
}

/** For each person, the chat in which they wrote last: with accounts on several channels, they read it once. */
function lastUsed(chats: readonly DirectChat[], accountsOf: AccountsOf): readonly string[] {
  const personOf = ({ principal }: DirectChat): string => accountsOf(principal)[0] ?? principal;
  const newestLast = chats.toSorted((one, other) => one.seenAt - other.seenAt);
  return [...new Map(newestLast.map((chat) => [personOf(chat), chat.conversationId])).values()];
}

/** For reading a database: in ms and bytes. */
const bounds = { timeout: 6 * 3_600_000, memory: 512 * 2 ** 20 };

/**
 * Checks a large database in another process; a small one is checked at start. If it is damaged, nothing more is
 * stored. Resolves with the check, or when the signal aborts.
 */
export async function readThrough(
  { state, toBeRead: file }: Store,
  { clock, log, ending }: Pick<Services, 'clock' | 'log' | 'ending'>,
): Promise<void> {
  if (file === undefined) return;
  log.debug({ file }, 'the database is read through beside the work');
  const run = workerProcesses({ clock, most: 1 });
  const work = workerFunction<typeof firstDamage>(import.meta.url, '../store/examine', 'firstDamage');
  const outcome = await run(work, file, { ...bounds, signal: ending });
  if (outcome.type === 'done' && outcome.value === undefined) log.debug({ file }, 'the database is whole');
  else if (outcome.type === 'done') state.lose(damaged(file, String(outcome.value)));
  else if (outcome.type !== 'stopped') log.warn({ file, ...outcome }, 'the database could not be read through');
}
