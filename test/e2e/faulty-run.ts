import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { z } from 'zod';
import { SeededRandom } from '../support/random.ts';
import { waitUntil } from '../support/wait-for.ts';
import { answer, answeredBy } from './numbered-tasks.ts';
import type { FaultySetting, Platform } from './platforms.ts';
import { requestFaults } from './request-faults.ts';
import { countNumbers, WritingPerson } from './writing-person.ts';

export interface FaultyRun {
  readonly chats: number;
  readonly messagesInEach: number;
  /** How many of the waits for something new get no answer at all. */
  readonly hangingPolls: number;
}

/** How long an answer may take at most: what hangs is given up after 16 s, and an outage can be met twice as late. */
const patienceMs = 100_000;
/** One message may meet four faults in a row, with a pause that doubles after each: 3, 6, 12 and 24 s, and a hanging request. */
const endPatienceMs = 150_000;
/** A channel may leave up to a quarter of 250 ms to chance. */
const firstReceivePause = 187;
const firstSendPause = 500;
const longestPause = 30_000;

/**
 * Lets people write while at least one request of the bot in five goes wrong, from the very first on, waits until
 * everything is answered, and looks whether every promise was kept.
 */
export async function surviveFaults(platform: Platform, run: FaultyRun) {
  const { chats, messagesInEach, hangingPolls } = run;
  const startedAt = Date.now();
  const seed = seedOfRun();
  const patience = platform.patienceMs * (1 + hangingPolls);
  await using setting = await platform.startFaulty({ seed, hangingPolls });
  const { mix } = setting;
  if (mix === undefined) throw new Error('Nothing goes wrong in this run.');
  setting.model.otherwise(answer);
  const people = engage(setting, chats, seed);
  const describe = (): string => JSON.stringify(unsent(setting));
  await Promise.all(people.map((person) => person.talk(messagesInEach, patience, describe)));
  const duplicates = await expectAllAnswered(people, setting, { timeoutMs: patience, inOrder: true });

  const lostAnswers = mix.lostAnswers();
  expect(duplicates).toBeLessThanOrEqual(platform.repeatsAreDropped ? 0 : lostAnswers);
  const requests = setting.requests();
  expect(mix.total).toBeGreaterThan(requests / 10);
  const messages = chats * messagesInEach;
  return { seed, messages, requests, faults: mix.counts(), lostAnswers, duplicates, seconds: since(startedAt) };
}

/**
 * Breaks every connection for that long, with replies just about to be sent and people who go on writing; looks whether
 * the daemon comes back by itself, and how often it tried meanwhile.
 */
export async function surviveOutage(platform: Platform, chats: number, outageSeconds: number) {
  await using setting = await platform.startFaulty();
  const { model, daemon } = setting;
  const people = engage(setting, chats, seedOfRun());
  const outage = Promise.withResolvers<void>();
  model.otherwise((request) => ({ ...answer(request), until: outage.promise }));
  for (const person of people) person.say();
  await model.waitForRequests(chats);

  setting.outage(true);
  const startedAt = Date.now();
  outage.resolve();
  for (let part = 0; part < 4; part += 1) {
    for (const person of people) person.say();
    await pause(outageSeconds * 250);
  }
  const tries = () => ({
    receivings: count(daemon.output, platform.receivesNothing),
    sendings: count(daemon.output, 'a message could not be sent'),
  });
  const hasTried = (): boolean => tries().receivings >= 2 && tries().sendings >= chats * 2;
  await waitUntil(hasTried, { what: 'tries while nothing gets through', describe: () => JSON.stringify(tries()) });
  const { receivings, sendings } = tries();
  const lasted = Date.now() - startedAt;
  setting.outage(false);
  const endedAt = Date.now();

  const waiting = { timeoutMs: patienceMs + outageSeconds * 1000, inOrder: platform.keepsOrder };
  expect(await expectAllAnswered(people, setting, waiting)).toBe(0);
  // A busy machine comes to try the third time just after the end.
  expectBetween(receivings, 2, platform.receivers * mostTries(lasted, firstReceivePause));
  expectBetween(sendings, chats * 2, chats * mostTries(lasted, firstSendPause));
  return { messages: chats * 5, outageSeconds, receivings, sendings, recoverySeconds: since(endedAt) };
}

/** The seed of KEYTURN_SEED, or always the same one. */
function seedOfRun(): number {
  return Number(process.env.KEYTURN_SEED ?? 2026);
}

function engage(setting: FaultySetting, chats: number, seed: number): readonly WritingPerson[] {
  const nextNumber = countNumbers();
  return Array.from({ length: chats }, (_, index) => {
    return new WritingPerson({ chat: setting.newChat(), random: new SeededRandom(seed + 100 + index), nextNumber });
  });
}

/** Waits for it; every message once, in its order if it is to be, whatever stands there twice. Resolves with how many that are. */
async function expectAllAnswered(
  people: readonly WritingPerson[],
  setting: FaultySetting,
  { timeoutMs, inOrder }: { readonly timeoutMs: number; readonly inOrder: boolean },
): Promise<number> {
  const { model } = setting;
  const left = (): readonly number[] => people.flatMap((person) => person.unanswered().map(({ number }) => number));
  const options = { timeoutMs, what: 'all answers', describe: () => `Unanswered: ${left().join(', ')}` };
  await waitUntil(() => left().length === 0, options);
  // The platform need not be asked once more for it.
  await waitUntil(() => unsent(setting).length === 0, {
    timeoutMs: endPatienceMs,
    what: 'the end of all deliveries',
    describe: () => JSON.stringify(unsent(setting)),
  });

  const sorted = (numbers: readonly number[]): readonly number[] => numbers.toSorted((a, b) => a - b);
  for (const person of people) {
    const answered = [...new Set(person.answers())].flatMap(answeredBy);
    expect(inOrder ? answered : sorted(answered)).toEqual(person.tasks.map(({ number }) => number));
  }
  const asked = model.requests.flatMap((request) => answeredBy(answer(request).text ?? ''));
  // A request that shows nothing yet is begun again when the same person says more; nothing else is asked twice.
  expect(sorted([...new Set(asked)])).toEqual(sorted(people.flatMap(({ tasks }) => tasks.map(({ number }) => number))));
  expect(model.requests.flatMap(requestFaults)).toEqual([]);
  return people.reduce((sum, person) => sum + person.duplicates(), 0);
}

/** What the database still holds for somebody, or has given up. A stub that was not needed in the end is no message. */
function unsent(setting: FaultySetting) {
  const sql = `SELECT state, conversation_id, markdown, failures, failure FROM outbox WHERE state <> 'delivered' AND (state <> 'abandoned' OR stub_of IS NULL)`;
  return setting.rows(z.record(z.string(), z.unknown()), sql);
}

/** How often something is tried in that time whose pauses double from the first one to the longest. */
function mostTries(milliseconds: number, firstPause: number): number {
  let tries = 1;
  for (let at = firstPause, next = firstPause * 2; at < milliseconds; at += Math.min(next, longestPause), next *= 2)
    tries += 1;
  return tries;
}

function expectBetween(value: number, least: number, most: number): void {
  expect(value).toBeGreaterThanOrEqual(least);
  expect(value).toBeLessThanOrEqual(most);
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

function since(instant: number): number {
  return Math.round((Date.now() - instant) / 100) / 10;
}
