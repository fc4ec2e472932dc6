import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { z } from 'zod';
import { SeededRandom } from '../support/random.ts';
import { waitUntil } from '../support/wait-for.ts';
import { answer, answeredBy, countLaterUnknown, Traces, toldUnknown } from './numbered-tasks.ts';
import { type PlatformSetting, platforms } from './platforms.ts';
import { requestFaults } from './request-faults.ts';
import { countNumbers, WritingPerson } from './writing-person.ts';

const people = 20;
/** A lull comes when so many of them wait for a process that lives for a while: nobody does more than write any more. */
const mostHeld = 14;
const config = {
  // No process lives for so long between two kills, and a lull is not longer than it has to be.
  agent: { max_turns: 10_000, context_tokens: 12_000, summaries: false, last_try_after_secs: 6 },
  approval: { policy: 'require_for_tools', require_for: ['edit_file'] },
};

export interface Storm {
  readonly platform: keyof typeof platforms;
  readonly kills: number;
  /** Of all that is left to chance. */
  readonly seed: number;
}

/**
 * Lets people write and press while the daemon is killed that often at moments that follow from the seed, waits until all
 * is answered, and looks whether every promise was kept.
 */
export async function surviveKills({ platform, kills, seed }: Storm) {
  const startedAt = Date.now();
  console.log(`KEYTURN_SEED=${seed} repeats this run on ${platform}.`);
  const { keepsOrder, bringsFirstWords, start } = platforms[platform];
  await using setting = await start(config);
  const thinking = new SeededRandom(seed + 1);
  setting.model.otherwise((request) => ({ ...answer(request), delayMs: thinking.integer(0, 40) }));
  const traces = new Traces(setting.daemon.workspace);
  const writers = engage(setting, { firstSeed: seed + 2, traces, keepsOrder });

  if (!bringsFirstWords) {
    for (const person of writers) person.say('talk');
    await comeToRest(writers);
  }
  const lulls = await killOften(setting, writers, { kills, random: new SeededRandom(seed) });
  for (const person of writers) person.say('talk');
  await comeToRest(writers);

  const shown = writers.flatMap((person) => person.shown());
  expect(shown.filter(({ text }) => text.includes('I have set it aside'))).toEqual([]);
  for (const person of writers) expectAnswered(person, keepsOrder);
  expectCarriedOutOnce(writers, traces, setting);
  expectDecidedOnce(setting, writers);
  expect(setting.model.requests.flatMap(requestFaults)).toEqual([]);
  // Nothing of what was held free for commands that were killed is left.
  expect(readdirSync(setting.daemon.workspace).filter((name) => name.startsWith('.'))).toEqual([]);
  const duplicates = writers.reduce((sum, person) => sum + person.duplicates(), 0);
  expect(duplicates).toBeLessThanOrEqual(kills);
  const { requests } = setting.model;
  const tasks = writers.flatMap((person) => person.tasks);
  return {
    ...{ platform, seed, kills },
    messages: tasks.length,
    presses: writers.reduce((sum, person) => sum + person.presses, 0),
    effects: tasks.filter((task) => task.kind !== 'talk').reduce((sum, task) => sum + traces.count(task), 0),
    duplicates,
    unknowns: toldUnknown(requests).size + countLaterUnknown(requests),
    lulls,
    requests: requests.length,
    seconds: Math.round((Date.now() - startedAt) / 1000),
  };
}

function engage(
  setting: PlatformSetting,
  {
    firstSeed,
    traces,
    keepsOrder,
  }: { readonly firstSeed: number; readonly traces: Traces; readonly keepsOrder: boolean },
): readonly WritingPerson[] {
  const nextNumber = countNumbers();
  return Array.from({ length: people }, (_, index) => {
    const random = new SeededRandom(firstSeed + index);
    return new WritingPerson({ chat: setting.newChat(), random, traces, keepsOrder, nextNumber });
  });
}

/** Kills it while people write, with a lull whenever too few are worked on. Tells how many there were. */
async function killOften(
  setting: PlatformSetting,
  writers: readonly WritingPerson[],
  { kills, random }: { readonly kills: number; readonly random: SeededRandom },
): Promise<number> {
  // A process that ends in order keeps what it has compiled: each start after that costs little more than half as much.
  await setting.daemon.stop();
  let before = setting.received();
  await setting.daemon.restart();
  let lulls = 0;
  for (let left = kills; left > 0; lulls += 1) {
    const ending = new AbortController();
    const writing = Promise.all(writers.map((person) => person.work(ending.signal)));
    do {
      before = await killOnce(setting, before, random);
      left -= 1;
      expectNothingParked(setting);
    } while (left > 0 && held(setting) < mostHeld);
    ending.abort();
    await writing;
    console.log(`${left} more kills; a lull of`, await comeToRest(writers));
  }
  return lulls;
}

/** Mostly while it works; now and then while it starts, as soon as it receives, or within 50 ms of the kill before. */
async function killOnce({ daemon, received }: PlatformSetting, before: number, random: SeededRandom): Promise<number> {
  const moment = random.integer(1, 10);
  if (moment > 2) await waitUntil(() => received() > before, { what: 'a daemon that receives' });
  await pause(random.integer(0, moment === 1 ? 50 : moment === 2 ? 500 : moment === 3 ? 30 : 1000));
  await daemon.kill();
  if (moment > 1) await pause(random.integer(0, 100));
  const now = received();
  await daemon.restart();
  return now;
}

/** What kills at random has nothing to do with the messages that are sent meanwhile. */
function expectNothingParked(setting: PlatformSetting): void {
  const parked = setting.rows(
    z.record(z.string(), z.unknown()),
    `SELECT * FROM outbox WHERE parked_at IS NOT NULL OR kills > 2`,
  );
  expect(parked).toEqual([]);
}

/** How many conversations wait for their last try. */
function held(setting: PlatformSetting): number {
  const [found] = setting.rows(
    z.object({ count: z.number() }),
    `SELECT count(*) AS count FROM attempts WHERE kind = 'run' AND number = 2`,
  );
  return found?.count ?? 0;
}

/** Until everything is answered, and each card says what became of its call. Tells how long that took. */
async function comeToRest(writers: readonly WritingPerson[]): Promise<string> {
  const startedAt = Date.now();
  const settled = (): boolean => {
    for (const person of writers) person.press();
    return writers.every((person) =>
      [person.unanswered(), person.unsettled(), person.live()].every(({ length }) => length === 0),
    );
  };
  const describe = (): string =>
    JSON.stringify(
      writers.map((person) => ({
        unanswered: person.unanswered(),
        unsettled: person.unsettled(),
        live: person.live(),
        last: person.shown().slice(-5),
      })),
    );
  await waitUntil(settled, { timeoutMs: 120_000, what: 'the end of all work', describe });
  return `${Math.round((Date.now() - startedAt) / 1000)} s`;
}

/** Every message once; in the order in which they were written, where the platform keeps it. */
function expectAnswered(person: WritingPerson, keepsOrder: boolean): void {
  const found = [...new Set(person.answers())].flatMap(answeredBy);
  const numbers = keepsOrder ? found : found.toSorted((one, other) => one - other);
  expect(numbers).toEqual(person.tasks.map(({ number }) => number));
}

/** No call twice; and what did not happen, or may have happened, is known to be unknown. */
function expectCarriedOutOnce(writers: readonly WritingPerson[], traces: Traces, { model }: PlatformSetting): void {
  const unknown = toldUnknown(model.requests);
  const missing = { note: [] as number[], book: [] as number[] };
  for (const task of writers.flatMap(({ tasks }) => tasks)) {
    if (task.kind === 'talk' || task.kind === 'send') continue;
    const count = traces.count(task);
    expect(count, `how often #${task.number} was carried out`).toBeLessThanOrEqual(1);
    if (count === 0) missing[task.kind].push(task.number);
  }
  expect(missing.note.filter((number) => !unknown.has(number))).toEqual([]);
  // A result that comes later does not name its number to the model: the card does, and they are counted.
  const shown = writers.flatMap((person) => person.shown()).filter(({ text }) => text.includes('⚡ Outcome unknown'));
  const silent = missing.book.filter((number) => !shown.some(({ text }) => text.includes(`book/${number}.txt`)));
  expect(silent).toEqual([]);
  const later = missing.book.filter((number) => !unknown.has(number));
  expect(later.length).toBeLessThanOrEqual(countLaterUnknown(model.requests));
}

/** However often a card was pressed, and however often the presses were delivered. */
function expectDecidedOnce(setting: PlatformSetting, writers: readonly WritingPerson[]): void {
  const decided = setting.rows(
    z.object({ count: z.number() }),
    `SELECT count(*) AS count FROM audit WHERE kind = 'approval-decided' GROUP BY approval_id`,
  );
  expect(new Set(decided.map(({ count }) => count))).toEqual(new Set([1]));
  const denied = writers.flatMap((person) => person.shown()).filter(({ text }) => text.startsWith('❌'));
  expect(denied).toEqual([]);
}
