import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { lockData } from '../../src/store/data-lock.ts';
import { DaemonProcess } from '../support/daemon-process.ts';

const entry = fileURLToPath(new URL('../support/failing-main.ts', import.meta.url));

test('a channel that cannot begin ends the process: it says why, stops what has begun, and gives the data back', async () => {
  await using daemon = DaemonProcess.start({ config: { model: 'offline' }, entry });
  await daemon.waitForOutput('steady is stopped');
  expect(await daemon.exited).toEqual({ code: 1, signal: null });
  expect(daemon.output).toContain('Keyturn could not start');
  expect(daemon.output).toContain('the socket is missing');
  lockData(daemon.dataDir)();
});
