import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { lockData } from '../../src/store/examine.ts';
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

test('a home that cannot be a folder ends the process as a wrong config does, and says what to set', async () => {
  await using daemon = DaemonProcess.start({
    config: { model: 'offline' },
    env: { KEYTURN_HOME: join(fileURLToPath(import.meta.url), 'below') },
  });
  expect(await daemon.exited).toEqual({ code: 78, signal: null });
  expect(daemon.output).toContain('Set KEYTURN_HOME to one.');
  expect(daemon.output).not.toContain('a fault of its own');
});
