/**
 * Fails if a message takes more of the processor than `limits.json` allows, beside the floor in the same run: a slow machine, or a
 * busy one, slows both. Both run at once and take short turns; of these the quickest quarter counts, which others have disturbed
 * least. Before it fails, it looks three times. A machine that has far more to do than it can says nothing: large programs then
 * suffer more than small ones, so nothing is held. What is counted, and no load changes, is held by `test/daemon/message-cost.test.ts`.
 *
 *     npm run bench:limits
 */
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { z } from 'zod';
import { inTurn, quantile, warm } from './line/measuring.ts';
import { threadsTimeOf } from './line/processes.ts';
import { onStand } from './line/row.ts';
import { firstStart } from './line/rows.ts';
import type { Stand } from './line/stand.ts';
import { floor, keyturn } from './line/subjects.ts';

const tries = 3;
/** So often the two take turns, with so many messages. */
const turns = 25;
const messages = 10;
/** Processes that want to run, for each processor: beyond that, others decide what is measured. */
const mostLoad = 3;

const text = readFileSync(join(import.meta.dirname, 'limits.json'), 'utf8');
const { processorBesideFloor } = z.strictObject({ processorBesideFloor: z.number() }).parse(parse(text));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
if (isBusy()) tellBusy();
else {
  await firstStart(keyturn());
  process.exitCode = (await holds(processorBesideFloor)) ? 0 : 1;
}

async function holds(limit: number): Promise<boolean> {
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const { own, least } = await look();
    const ratio = own / least;
    process.stdout.write(
      `${own.toFixed(2)} ms of the processor for each message, the floor ${least.toFixed(2)} ms: ${ratio.toFixed(1)} times (at most ${limit})\n`,
    );
    if (ratio <= limit) return true;
    if (isBusy()) {
      tellBusy();
      return true;
    }
  }
  process.stderr.write(
    'A message takes more than it may. `npm run bench -- compare FOLDER` compares with another checkout.\n',
  );
  return false;
}

function isBusy(): boolean {
  const [load = 0] = loadavg();
  return load / cpus().length > mostLoad;
}

function tellBusy(): void {
  process.stdout.write(
    `The load is ${loadavg()[0]?.toFixed(0)}: too much here to hold a processor time. Nothing was held.\n`,
  );
}

/** What a message takes of the processor, in ms. */
async function look(): Promise<{ readonly own: number; readonly least: number }> {
  return onStand(keyturn(), (ours) =>
    onStand(floor, async (theirs) => {
      await warm(ours);
      await warm(theirs);
      const own: number[] = [];
      const least: number[] = [];
      for (let turn = 0; turn < turns; turn += 1) {
        own.push(await processorFor(ours));
        least.push(await processorFor(theirs));
      }
      return { own: quantile(own, 0.25), least: quantile(least, 0.25) };
    }),
  );
}

async function processorFor(stand: Stand): Promise<number> {
  const before = threadsTimeOf(stand.pid);
  await inTurn(stand, messages);
  return (threadsTimeOf(stand.pid) - before) / messages;
}
