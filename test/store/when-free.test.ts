import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { ownCommand } from '../../src/lib/own-command.ts';
import { openDatabase } from '../../src/store/open.ts';
import { DataInUseError, StoreError, storeSays } from '../../src/store/store-error.ts';
import { whenFree } from '../../src/store/when-free.ts';
import { storeWords } from '../../src/store/words.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { newFolder } from '../support/new-folder.ts';

/** A database that another program reads, and a start that waits for it. */
async function startBesideReader(signal?: AbortSignal) {
  const file = join(await newFolder(), 'keyturn.db');
  await openDatabase(file).close();
  const reader = new Sqlite(file, { readonly: true });
  onTestFinished(() => void reader.close());
  reader.prepare('SELECT count(*) FROM identity').get();
  const clock = new ManualClock();
  const told: string[] = [];
  let tries = 0;
  const opened = whenFree(
    () => {
      tries += 1;
      return openDatabase(file);
    },
    { clock, told: (words) => void told.push(words('en')), signal },
  );
  opened.catch(() => undefined);
  return { file, reader, clock, told, opened, tries: () => tries };
}

test('a start waits for a reader, says so once, and goes on when it has ended', async () => {
  const { file, reader, clock, told, opened, tries } = await startBesideReader();
  for (let pauses = 0; pauses < 8; pauses++) await clock.passes(250);
  for (let pauses = 0; pauses < 3; pauses++) await clock.passes(1_000);
  expect(told).toEqual([storeWords.en.waitsForReader({ file })]);
  await clock.waitsFor(1_000);
  expect(tries()).toBe(12);
  reader.close();
  await clock.passes(1_000);
  await (await opened).close();
});

test('a reader that ends within two seconds is not worth a word', async () => {
  const { reader, clock, told, opened } = await startBesideReader();
  await clock.passes(250);
  reader.close();
  await clock.passes(250);
  await (await opened).close();
  expect(told).toEqual([]);
});

test('a reader that stays for a minute is named in the refusal', async () => {
  const { file, clock, opened, tries } = await startBesideReader();
  for (let pauses = 0; pauses < 8; pauses++) await clock.passes(250);
  for (let pauses = 0; pauses < 57; pauses++) await clock.passes(1_000);
  await expect(opened).rejects.toThrow(storeWords.en.opened({ file }));
  for (const command of ['backup', 'verify']) await expect(opened).rejects.toThrow(`${ownCommand()} ${command}`);
  expect(tries()).toBe(66);
});

test('a start that is told to end waits for nobody', async () => {
  const ending = new AbortController();
  const { clock, opened, tries } = await startBesideReader(ending.signal);
  await clock.waitsFor(250);
  ending.abort();
  await expect(opened).rejects.toThrow(DataInUseError);
  expect(tries()).toBe(2);
});

test('other faults are not tried again', async () => {
  let tries = 0;
  const fault = new StoreError(storeSays((say) => say.opened({ file: 'x' })));
  const open = (): never => {
    tries += 1;
    throw fault;
  };
  await expect(whenFree(open, { clock: new ManualClock(), told: () => undefined })).rejects.toBe(fault);
  expect(tries).toBe(1);
});
