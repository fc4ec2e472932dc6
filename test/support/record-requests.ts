import { channel } from 'node:diagnostics_channel';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { answeredRequests } from '../../packages/fakes/src/call-log.ts';

/**
 * Loaded by each process of the tests where `KEYTURN_RECORD` names a folder: what the fakes of Telegram, Slack and Discord
 * are asked is added to a file of the process there, a line of JSON a request, without what it shows for itself.
 */
const folder = process.env.KEYTURN_RECORD ?? '';
const requests = channel(answeredRequests);

// This is run again for each file of tests.
if (folder !== '' && !requests.hasSubscribers) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${process.pid}.ndjson`);
  const hidden = (key: string, value: unknown) => (key === 'authorization' ? undefined : value);
  requests.subscribe((request) => appendFileSync(file, `${JSON.stringify(request, hidden)}\n`));
}
