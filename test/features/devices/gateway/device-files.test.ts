import { expect, test } from 'vitest';
import { createDeviceFiles } from '../../../../src/features/devices/gateway/device-files.ts';
import type { DeviceFileStore } from '../../../../src/features/devices/gateway/tables.ts';
import { newFolder } from '../../../support/new-folder.ts';

test('a message that is stored while it is read which files are awaited keeps its files', async () => {
  const reads: ((handles: readonly string[]) => void)[] = [];
  const store: DeviceFileStore = {
    find: async () => undefined,
    shownIn: async () => [],
    ids: async () => [],
    add: async () => [],
    forget: async () => [],
    awaited: () => new Promise((resolve) => void reads.push(resolve)),
  };
  const files = createDeviceFiles(store, await newFolder());
  // The first finds an empty folder, so nothing is read.
  const [handle = ''] = await files.receive('d1:first', [Buffer.from('words')]);
  const tidied = files.tidy(0);
  while (reads.length === 0) await new Promise((resolve) => setImmediate(resolve));
  // What is read is from before it was stored.
  files.settled('d1:first');
  reads.pop()?.([]);
  await tidied;
  expect(String(await files.received(handle))).toBe('words');
});
