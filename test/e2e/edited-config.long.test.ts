import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SeededRandom } from '../support/random.ts';
import { waitUntil } from '../support/wait-for.ts';
import { ThreePlatforms } from './three-platforms.ts';

const edits = 60;
const messages = 1_000;
const kills = 20;
const faults = [
  '{ "onwers": [] }',
  '{ "owners": [',
  '',
  '{ "model": "missing" }',
  '{ "channels": { "telegraph": {} } }',
];

const places = ['telegram', 'slack', 'discord'] as const;

test('1,000 messages on three channels while the config is edited 60 times and the process killed 20 times', async () => {
  const setting = await ThreePlatforms.start();
  const random = new SeededRandom(20);
  const { daemon, model } = setting;
  const delays: number[] = [];
  let before = setting.connections;
  /** How often each was noted since the process began. */
  let noted = { 'and is in force': 0, 'the last one stays in force': 0 };
  let said = 0;
  try {
    for (let edit = 0; edit < edits; edit += 1) {
      const isGood = edit % 2 === 1;
      const at = Date.now();
      if (isGood) daemon.writeConfig(setting.config({ agent: { instructions: `This is edit ${edit}.` } }));
      else writeFileSync(daemon.configFile, faults[(edit / 2) % faults.length] ?? '');
      for (; said < (messages * (edit + 1)) / edits; said += 1) setting.says(`number ${said}.`, places[said % 3]);
      const words = isGood ? 'and is in force' : 'the last one stays in force';
      noted[words] += 1;
      await daemon.waitForOutput(new RegExp(`(?:${words}[\\s\\S]*){${noted[words]}}`));
      delays.push(timeOf(daemon.output, words) - at);
      // Nothing is connected again because of an edit.
      expect(setting.connections).toEqual(before);
      if (edit % (edits / kills) === 0) {
        await pause(random.integer(0, 300));
        await setting.restart();
        before = setting.connections;
        // With a bad one, it starts with the last that worked; only what it greets with says so.
        noted = { 'and is in force': 0, 'the last one stays in force': 0 };
      }
    }
    // More was said in each chat than platforms take in the time: what has waited is sent at their pace, once a second.
    for (let number = messages - places.length; number < messages; number += 1)
      await waitUntil(() => setting.shown().some((text) => text.includes(`number ${number}.`)), { timeoutMs: 600_000 });
    for (const where of places) await setting.asks('and this is the last.', /this is the last/, where);
    const read = model.requests.map((request) => JSON.stringify(request)).join();
    const lost = Array.from({ length: messages }, (_, number) => number).filter(
      (number) => !read.includes(`number ${number}.`),
    );
    expect(lost).toEqual([]);
    const answers = setting.shown().filter((text) => text.startsWith('echo: '));
    expect(answers.length - new Set(answers).size).toBeLessThanOrEqual(kills + places.length);
  } finally {
    await setting.dispose();
  }
  delays.sort((one, other) => one - other);
  const [median = Number.NaN, longest = Number.NaN] = [delays[edits / 2], delays.at(-1)];
  console.log(`an edit held, or was told of, after ${median} ms in the middle and ${longest} ms at most`);
  expect(median).toBeLessThan(2_000);
  // The one that comes with the most messages waits for them too, and for what else the machine does.
  expect(longest).toBeLessThan(15_000);
});

/** When the log's newest line with these words was written. */
function timeOf(output: string, words: string): number {
  const line = output.split('\n').findLast((each) => each.includes(words)) ?? '';
  return Number(/"time":(\d+)/.exec(line)?.[1]);
}
