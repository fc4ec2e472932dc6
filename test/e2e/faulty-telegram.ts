import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { z } from 'zod';
import { SeededRandom } from '../support/random.ts';
import type { TelegramServer } from '../support/telegram-server.ts';
import { CountingPerson } from './counting-person.ts';
import { FaultMix } from './fault-mix.ts';
import { answer, answeredBy } from './numbered-tasks.ts';
import { requestFaults } from './request-faults.ts';
import { TelegramSetting } from './telegram-setting.ts';

export interface FaultyRun {
  readonly chats: number;
  readonly messagesInEach: number;
  readonly hangingPolls: number;
}

/** What a run with faults has shown. */
export interface FaultFigures {
  readonly seed: number;
  readonly messages: number;
  readonly requests: number;
  readonly faults: Readonly<Record<string, number>>;
  /** Replies that Telegram showed without the daemon being told so. */
  readonly lostAnswers: number;
  /** Replies that stand in a chat once more. */
  readonly duplicates: number;
  readonly seconds: number;
}

/** What a run with an outage has shown. */
export interface OutageFigures {
  readonly messages: number;
  readonly outageSeconds: number;
  /** Tries in vain while it lasted. */
  readonly polls: number;
  readonly sendings: number;
  /** From its end until everything was answered. */
  readonly recoverySeconds: number;
}

/** The least there is: what gets no answer is given up soon. */
const channel = { poll_timeout_secs: 1, request_timeout_secs: 1 };
/** How long an answer may take at most. A poll that hangs is given up after 16 s, and an outage can be met twice as late. */
const patienceMs = 20_000;
const firstPollPause = 250;
const firstSendPause = 500;
const longestPause = 30_000;

/**
 * Lets people write while at least one request of the bot in five goes wrong, from the very first on, waits until
 * everything is answered, and looks whether every promise was kept.
 */
export async function surviveFaults({ chats, messagesInEach, hangingPolls }: FaultyRun): Promise<FaultFigures> {
  const startedAt = Date.now();
  const seed = seedOfRun();
  const patience = patienceMs * (1 + hangingPolls);
  const mix = Promise.withResolvers<FaultMix>();
  const prepare = (telegram: TelegramServer): void => mix.resolve(new FaultMix(telegram, seed, hangingPolls));
  await using setting = await TelegramSetting.start({ channel, prepare });
  setting.model.otherwise(answer);
  const people = engage(setting, chats, seed);
  await Promise.all(people.map((person) => person.write(messagesInEach, patience)));
  const duplicates = await expectAllAnswered(people, setting, patience);

  const faults = await mix.promise;
  const lostAnswers = faults.lostAnswers();
  expect(duplicates).toBeLessThanOrEqual(lostAnswers);
  const requests = setting.telegram.calls.length;
  expect(faults.total).toBeGreaterThan(requests / 10);
  const messages = chats * messagesInEach;
  return { seed, messages, requests, faults: faults.counts(), lostAnswers, duplicates, seconds: since(startedAt) };
}

/**
 * Breaks every connection for that long, with replies just about to be sent and people who go on writing; looks whether
 * the daemon comes back by itself, and how often it tried meanwhile.
 */
export async function surviveOutage(chats: number, outageSeconds: number): Promise<OutageFigures> {
  await using setting = await TelegramSetting.start({ channel });
  const { telegram, model, daemon } = setting;
  const people = engage(setting, chats, seedOfRun());
  const outage = Promise.withResolvers<void>();
  model.otherwise((request) => ({ ...answer(request), until: outage.promise }));
  for (const person of people) person.say();
  await model.waitForRequests(chats);

  telegram.outage(true);
  const startedAt = Date.now();
  outage.resolve();
  for (let part = 0; part < 4; part += 1) {
    for (const person of people) person.say();
    await pause(outageSeconds * 250);
  }
  const polls = count(daemon.output, 'telegram does not receive');
  const sendings = count(daemon.output, 'a message will be sent again');
  const lasted = Date.now() - startedAt;
  telegram.outage(false);
  const endedAt = Date.now();

  expect(await expectAllAnswered(people, setting, patienceMs + outageSeconds * 1000)).toBe(0);
  expectBetween(polls, 3, mostTries(lasted, firstPollPause));
  expectBetween(sendings, chats * 3, chats * mostTries(lasted, firstSendPause));
  return { messages: chats * 5, outageSeconds, polls, sendings, recoverySeconds: since(endedAt) };
}

/** The seed of KEYTURN_SEED, or always the same one. */
function seedOfRun(): number {
  return Number(process.env.KEYTURN_SEED ?? 2026);
}

function engage(setting: TelegramSetting, chats: number, seed: number): readonly CountingPerson[] {
  let number = 0;
  const nextNumber = (): number => {
    number += 1;
    return number;
  };
  const { telegram } = setting;
  return Array.from({ length: chats }, (_, index) => {
    const chat = setting.newOwner();
    return new CountingPerson({ telegram, chat, random: new SeededRandom(seed + 100 + index), nextNumber });
  });
}

/** Waits for it; every message once and in its order, whatever stands there twice. Resolves with how many that are. */
async function expectAllAnswered(
  people: readonly CountingPerson[],
  setting: TelegramSetting,
  timeoutMs: number,
): Promise<number> {
  const { telegram, model } = setting;
  const left = (): readonly number[] => people.flatMap((person) => person.unanswered());
  const options = { timeoutMs, what: 'all answers', describe: () => `Unanswered: ${left().join(', ')}` };
  await telegram.waitFor(() => left().length === 0, options);
  await telegram.waitFor(() => unsent(setting).length === 0, {
    timeoutMs: patienceMs,
    what: 'the end of all deliveries',
  });

  for (const person of people) expect([...new Set(person.answers())].flatMap(answeredBy)).toEqual(person.numbers);
  const asked = model.requests.flatMap((request) => answeredBy(answer(request).text ?? ''));
  // A request that shows nothing yet is begun anew when the same person says more; nothing else is asked twice.
  expect([...new Set(asked)].toSorted((a, b) => a - b)).toEqual(
    people.flatMap(({ numbers }) => numbers).toSorted((a, b) => a - b),
  );
  expect(model.requests.flatMap(requestFaults)).toEqual([]);
  return people.map((person) => person.answers().length - new Set(person.answers()).size).reduce((a, b) => a + b, 0);
}

/** What the database still holds for somebody, or has given up. */
function unsent(setting: TelegramSetting) {
  return setting.rows(z.object({ state: z.string() }), `SELECT state FROM outbox WHERE state <> 'delivered'`);
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
