import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { SeededRandom } from '../support/random.ts';
import { CountingPerson } from './counting-person.ts';
import { answer, answeredBy } from './numbered-tasks.ts';
import { SlackSetting } from './slack-setting.ts';

/** What a run of refreshes has shown. */
export interface RefreshFigures {
  readonly refreshes: number;
  readonly messages: number;
  readonly socketsOpened: number;
  /** Of the events, the most attempts that one has needed. */
  readonly mostAttempts: number;
  readonly seconds: number;
}

const people = 4;
/** How long the next refresh is waited for, in milliseconds: no less than it takes to open a socket. */
const [shortest, longest] = [200, 1_500];

/**
 * Has Slack renew its newest socket again and again, sometimes several at once, while people go on writing, and looks
 * whether every message was answered, once, and none needed a third delivery. What Slack delivers again comes later than what was said after it.
 */
export async function surviveRefreshes(refreshes: number): Promise<RefreshFigures> {
  const startedAt = Date.now();
  await using setting = await SlackSetting.start({ channel: { sockets: 2 } });
  const { slack, model } = setting;
  const { sockets } = slack;
  model.otherwise(answer);
  const random = new SeededRandom(30);
  let number = 0;
  const writers = Array.from({ length: people }, (_, index) => {
    const name = setting.newOwner();
    const chat = {
      name,
      say(text: string) {
        slack.say(name, text);
        return () => {};
      },
      shown: () => setting.said(name),
    };
    const nextNumber = (): number => {
      number += 1;
      return number;
    };
    return new CountingPerson({
      chat,
      random: new SeededRandom(100 + index),
      nextNumber,
    });
  });

  for (let done = 0; done < refreshes; done += 1) {
    for (const writer of writers) writer.say();
    await slack.waitFor(() => sockets.count > 0, { what: 'an open socket' });
    sockets.disconnect(
      random.chance(0.5) ? 'refresh_requested' : 'warning',
      random.chance(0.2) ? 'all' : sockets.count - 1,
    );
    for (const writer of writers) writer.say();
    await pause(random.integer(shortest, longest));
  }

  const left = (): readonly number[] => writers.flatMap((writer) => writer.unanswered());
  const describe = (): string => `Unanswered: ${left().join(', ')}`;
  await slack.waitFor(() => left().length === 0, { what: 'all answers', describe });
  const sorted = (numbers: readonly number[]): readonly number[] => numbers.toSorted((one, other) => one - other);
  for (const writer of writers) expect(sorted(writer.answers().flatMap(answeredBy))).toEqual(writer.numbers);
  expect(slack.lost).toEqual([]);
  const mostAttempts = Math.max(...slack.deliveries.map(({ attempts }) => attempts));
  expect(mostAttempts).toBeLessThanOrEqual(2);
  const seconds = Math.round((Date.now() - startedAt) / 100) / 10;
  return { refreshes, messages: number, socketsOpened: sockets.opened, mostAttempts, seconds };
}
