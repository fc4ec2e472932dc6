import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DaemonProcess } from '../support/daemon-process.ts';
import type { ModelServer } from '../support/model-server.ts';

/** A model that calls shell with this when it is told the word, and says that it is done afterwards. */
export function mayRun(model: ModelServer, word: string, command: string): void {
  model
    .onUser((text) => text.includes(word), { calls: [{ name: 'shell', arguments: { command } }] })
    .onRequest(
      ({ messages, lastResults }) =>
        lastResults.length > 0 && messages.findLast(({ role }) => role === 'user')?.text.includes(word) === true,
      `Done with ${word}.`,
    );
}

/** What commands have left behind in the workspace. */
export function written(daemon: DaemonProcess, name: string): string {
  return readFileSync(join(daemon.workspace, name), 'utf8');
}
