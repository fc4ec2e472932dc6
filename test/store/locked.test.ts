import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { wordsIn } from '../../src/lib/words.ts';
import { storageWords } from '../../src/store/words.ts';
import { direct } from '../support/deed.ts';
import { newStore, originOf, rowsOf, said } from '../support/store-setting.ts';

/** A store whose database another program writes in, from `lock` on. */
async function lockable() {
  const { store, file } = await newStore();
  const other = new Sqlite(file);
  onTestFinished(() => void other.close());
  const troubles: (string | undefined)[] = [];
  store.state.watch((trouble) => troubles.push(trouble && wordsIn('en', trouble.brief)));
  return {
    ...{ store, file, troubles },
    lock: () => other.exec('BEGIN IMMEDIATE'),
    unlock: () => other.exec('COMMIT'),
    /** How many messages are stored. */
    count: () => rowsOf(file, 'SELECT 1 FROM inbox').length,
  };
}

const here = direct('test');
const brief = storageWords.en.brief('locked');

test('what is written while another program has the lock waits for it beside the event loop, and nothing is lost', async () => {
  const { store, troubles, lock, unlock, count } = await lockable();
  lock();
  // This thread holds the lock: a write that waited on the event loop would never get it.
  const accepted = store.inbox.accept(said(originOf('ada', here), 'one'));
  const begun = store.attempts.beginWork('test:ada', 0);
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(count()).toBe(0);
  unlock();
  expect(await accepted).toBe('accepted');
  await begun;
  expect(count()).toBe(1);
  expect(troubles).toEqual([]);
});

test('a lock that lasts is a trouble of its own: what comes in is refused, all else waits; it ends with the lock', async () => {
  const { store, file, troubles, lock, unlock, count } = await lockable();
  lock();
  const written = store.attempts.beginWork('test:ada', 0);
  await expect(store.inbox.accept(said(originOf('ada', here), 'one'))).rejects.toThrow(brief);
  expect(wordsIn('en', store.state.trouble?.words ?? '')).toBe(storageWords.en.cannotStoreLocked);
  await expect(store.inbox.accept(said(originOf('ada', here), 'two'))).rejects.toThrow(brief);
  unlock();
  await written;
  expect(rowsOf(file, 'SELECT kind FROM attempts')).toEqual([{ kind: 'run' }]);
  expect(count()).toBe(0);
  expect(troubles).toEqual([brief, undefined]);
});

test('that a lock is over is found without a write', async () => {
  const { store, troubles, lock, unlock } = await lockable();
  lock();
  await expect(store.inbox.accept(said(originOf('ada', here), 'one'))).rejects.toThrow(brief);
  unlock();
  await expect.poll(() => troubles).toEqual([brief, undefined]);
});

test('a process that ends waits no longer than a second for the lock, and says what was not stored', async () => {
  const { store, lock } = await lockable();
  lock();
  const written = store.attempts.beginWork('test:ada', 0);
  const refused = expect(written).rejects.toThrow(brief);
  store.hurry();
  await refused;
  await store.close();
  expect(store.isOpen()).toBe(false);
});
