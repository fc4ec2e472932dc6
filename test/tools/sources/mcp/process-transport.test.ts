import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { silentLog } from '../../../../src/lib/log.ts';
import type { ProcessEnding } from '../../../../src/tools/guard/process/long-lived-process.ts';
import { loadLibrary } from '../../../../src/tools/sources/mcp/library.ts';
import { ProcessTransport } from '../../../../src/tools/sources/mcp/process-transport.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

test('a server that reads nothing of 16 MB is ended, and is told nothing more', async () => {
  const { promise: ended, resolve } = Promise.withResolvers<ProcessEnding>();
  const process = {
    // It takes the first piece, and never asks for the next.
    stdin: new Writable({ write: () => {} }),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    exited: ended,
    ended,
    refusals: () => [],
    stop: async () => resolve({ exitCode: null, signal: 'SIGTERM' }),
  };
  const library = await loadLibrary();
  const dependencies = { process, library, clock: new ManualClock(), log: silentLog, skipped: () => {} };
  const transport = new ProcessTransport(dependencies);
  await transport.start();
  const send = (size: number): Promise<void> =>
    transport.send({ jsonrpc: '2.0', method: 'note', params: { text: 'x'.repeat(size) } });
  await send(2 ** 23);
  await expect(send(2 ** 23)).rejects.toThrow('it did not read what it was told');
  await ended;
  expect(transport.why).toBe('it did not read what it was told, and was ended');
  await expect(send(1)).rejects.toThrow('it did not read what it was told');
});
