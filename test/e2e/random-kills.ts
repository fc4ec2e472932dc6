import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { z } from 'zod';
import { SeededRandom } from '../support/random.ts';
import { waitUntil } from '../support/wait-for.ts';
import { BusyPerson } from './busy-person.ts';
import { answer, answeredBy, countLaterUnknown, Traces, toldUnknown } from './numbered-tasks.ts';
import { requestFaults } from './request-faults.ts';
import { TelegramSetting } from './telegram-setting.ts';

/** What a run with kills has shown. */
export interface Figures {
  readonly seed: number;
  readonly kills: number;
  readonly messages: number;
  /** Answers that stand in a chat twice. */
  readonly duplicates: number;
  /** Calls of which the model was told that nobody knows what became of them. */
  readonly unknowns: number;
  readonly requests: number;
  readonly seconds: number;
}

const people = 4;
const config = {
  agent: { max_turns: 10_000, context_tokens: 12_000, summaries: false },
  approval: { policy: 'require_for_tools', require_for: ['edit_file'] },
};

/** The seed of KEYTURN_SEED, or another one each time. */
export function chosenSeed(): number {
  return Number(process.env.KEYTURN_SEED ?? Date.now() % 2 ** 31);
}

/**
 * Lets people write and press while the daemon is killed that often at moments that follow from the seed, waits until all
 * is answered, and looks whether every promise was kept.
 */
export async function surviveKills(kills: number, seed: number): Promise<Figures> {
  const startedAt = Date.now();
  await using setting = await TelegramSetting.start({ config });
  const thinking = new SeededRandom(seed + 1);
  setting.model.otherwise((request) => ({ ...answer(request), delayMs: thinking.integer(0, 40) }));
  const traces = new Traces(setting.daemon.workspace);
  const writers = engage(setting, seed + 2, traces);

  const ending = new AbortController();
  const writing = writers.map((person) => person.write(ending.signal));
  const killing = new SeededRandom(seed);
  for (let kill = 1; kill <= kills; kill += 1) await killAtRandom(setting, killing);
  ending.abort();
  await Promise.all(writing);
  await comeToRest(writers);

  for (const person of writers) expectAnswered(person);
  expectCarriedOutOnce(writers, traces, setting);
  expectDecidedOnce(setting);
  expect(setting.model.requests.flatMap(requestFaults)).toEqual([]);
  const duplicates = countDuplicates(writers);
  expect(duplicates).toBeLessThanOrEqual(kills);
  const { requests } = setting.model;
  return {
    seed,
    kills,
    messages: writers.flatMap(({ tasks }) => tasks).length,
    duplicates,
    unknowns: toldUnknown(requests).size + countLaterUnknown(requests),
    requests: requests.length,
    seconds: Math.round((Date.now() - startedAt) / 1000),
  };
}

function engage(setting: TelegramSetting, firstSeed: number, traces: Traces): readonly BusyPerson[] {
  let number = 0;
  const nextNumber = (): number => {
    number += 1;
    return number;
  };
  const { telegram } = setting;
  return Array.from({ length: people }, (_, index) => {
    const chat = setting.newOwner();
    telegram.addChat(chat);
    const random = new SeededRandom(firstSeed + index);
    return new BusyPerson({ telegram, chat, random, traces, nextNumber });
  });
}

/** Mostly while it works, and now and then while it starts. */
async function killAtRandom({ telegram, daemon }: TelegramSetting, random: SeededRandom): Promise<void> {
  const { polls } = telegram;
  if (random.chance(0.85)) {
    await telegram.waitFor(() => telegram.polls > polls, { timeoutMs: 15_000, what: 'a poll after the start' });
  }
  await pause(random.integer(0, 800));
  await daemon.kill();
  await pause(random.integer(0, 100));
  await daemon.restart();
}

/** Until everything is answered, and then what everybody says at last. */
async function comeToRest(writers: readonly BusyPerson[]): Promise<void> {
  const settled = (): boolean => {
    for (const person of writers) person.press();
    return writers.every((person) => person.unanswered().length === 0 && person.unsettled().length === 0);
  };
  const describe = (): string =>
    JSON.stringify(writers.map((person) => ({ unanswered: person.unanswered(), unsettled: person.unsettled() })));
  await waitUntil(settled, { timeoutMs: 30_000, what: 'the end of all work', describe });
  for (const person of writers) person.say('talk');
  await waitUntil(settled, { timeoutMs: 15_000, what: 'the last answers', describe });
}

/** Every message once, in the order in which they were written. */
function expectAnswered(person: BusyPerson): void {
  const numbers = [...new Set(person.answers())].flatMap(answeredBy);
  expect(numbers).toEqual(person.tasks.map(({ number }) => number));
}

/** No call twice; and what did not happen, or may have happened, is known to be unknown. */
function expectCarriedOutOnce(writers: readonly BusyPerson[], traces: Traces, { model }: TelegramSetting): void {
  const unknown = toldUnknown(model.requests);
  const missing = { note: [] as number[], book: [] as number[] };
  for (const task of writers.flatMap(({ tasks }) => tasks)) {
    if (task.kind === 'talk') continue;
    const count = traces.count(task);
    expect(count, `how often #${task.number} was carried out`).toBeLessThanOrEqual(1);
    if (count === 0) missing[task.kind].push(task.number);
  }
  expect(missing.note.filter((number) => !unknown.has(number))).toEqual([]);
  // A result that comes later does not name its number to the model: the card does, and they are counted.
  const shown = writers.flatMap((person) => person.shown()).filter(({ text }) => text.includes('⚠️ Outcome unknown'));
  const silent = missing.book.filter((number) => !shown.some(({ text }) => text.includes(`book/${number}.txt`)));
  expect(silent).toEqual([]);
  const later = missing.book.filter((number) => !unknown.has(number));
  expect(later.length).toBeLessThanOrEqual(countLaterUnknown(model.requests));
}

/** However often a card was pressed, and however often the presses were delivered. */
function expectDecidedOnce(setting: TelegramSetting): void {
  const decided = setting.rows(
    z.object({ count: z.number() }),
    `SELECT count(*) AS count FROM audit WHERE kind = 'approval-decided' GROUP BY approval_id`,
  );
  expect(new Set(decided.map(({ count }) => count))).toEqual(new Set([1]));
  const edits = setting.telegram.callsOf('editMessageText').map(({ params }) => String(params.text));
  expect(edits.filter((text) => text.startsWith('❌'))).toEqual([]);
}

function countDuplicates(writers: readonly BusyPerson[]): number {
  return writers.map((person) => person.answers().length - new Set(person.answers()).size).reduce((a, b) => a + b, 0);
}
