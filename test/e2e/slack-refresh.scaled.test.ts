import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SeededRandom } from '../support/random.ts';
import { isThorough } from '../support/thorough.ts';
import { answer, answeredBy } from './numbered-tasks.ts';
import { slackChat } from './platforms.ts';
import { SlackSetting } from './slack-setting.ts';
import { countNumbers, WritingPerson } from './writing-person.ts';

const refreshes = isThorough ? 30 : 3;
const people = 4;
/** How long the next refresh is waited for, in milliseconds: no less than it takes to open a socket. */
const [shortest, longest] = [200, 1_500];

// Sometimes several at once. What Slack delivers again comes later than what was said after it.
test(`of what is said while Slack renews its sockets ${refreshes} times, nothing is lost and nothing answered twice`, async () => {
  await using setting = await SlackSetting.start({ channel: { sockets: 2 } });
  const { slack, model } = setting;
  const { sockets } = slack;
  model.otherwise(answer);
  const random = new SeededRandom(30);
  const nextNumber = countNumbers();
  const writers = Array.from({ length: people }, (_, index) => {
    const chat = slackChat(setting);
    const say = (text: string) => {
      chat.say(text);
      // Slack alone decides what it delivers again.
      return () => {};
    };
    return new WritingPerson({ chat: { ...chat, say }, random: new SeededRandom(100 + index), nextNumber });
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

  const left = (): readonly number[] => writers.flatMap((writer) => writer.unanswered().map(({ number }) => number));
  const describe = (): string => `Unanswered: ${left().join(', ')}`;
  await slack.waitFor(() => left().length === 0, { what: 'all answers', describe });
  const sorted = (numbers: readonly number[]): readonly number[] => numbers.toSorted((one, other) => one - other);
  for (const writer of writers)
    expect(sorted(writer.answers().flatMap(answeredBy))).toEqual(writer.tasks.map(({ number }) => number));
  expect(slack.lost).toEqual([]);
  const mostAttempts = Math.max(...slack.deliveries.map(({ attempts }) => attempts));
  expect(mostAttempts).toBeLessThanOrEqual(2);
});
