import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isThorough } from '../support/thorough.ts';
import { waitUntil } from '../support/wait-for.ts';
import { DiscordSetting } from './discord-setting.ts';
import { answer, answeredBy, wordsOf } from './numbered-tasks.ts';

/** How much is said while nobody listens, and for how long nobody does. */
const [messages, seconds] = isThorough ? [100, 60] : [12, 1];

const patienceMs = 100_000;

/** A place in which an owner talks with the bot. */
interface Place {
  readonly channelId: string;
  readonly numbers: number[];
  say(number: number): void;
}

// In a direct chat, a channel, a thread that was there and one that was opened meanwhile; in the order of each.
test(`${messages} messages that are written while it is away for ${seconds} s are each answered once when it is back`, async () => {
  await using setting = await DiscordSetting.start();
  const { discord, model, daemon, scene } = setting;
  const owner = setting.newOwner();
  model.otherwise(answer);
  const at = (channelId: string, prefix = ''): Place => {
    const numbers: number[] = [];
    const say = (number: number): void => {
      numbers.push(number);
      discord.say(channelId, prefix + wordsOf({ number, kind: 'talk' }), { from: owner });
    };
    return { channelId, numbers, say };
  };
  const { mention } = setting;
  const known = [at(discord.direct(owner)), at(scene.channelId, `${mention} `), at(scene.threadId, `${mention} `)];
  for (const [index, place] of known.entries()) place.say(index);
  await allAnswered(setting, known);

  await daemon.kill();
  const places = [...known, at(discord.people.startThread(scene.channelId, 'later', { from: owner }), `${mention} `)];
  for (let number = known.length; number < known.length + messages; number += 1) {
    places[number % places.length]?.say(number);
    await pause((seconds * 1_000) / messages);
  }
  const startedAt = Date.now();
  await setting.restart();
  await allAnswered(setting, places);
  const recoverySeconds = Math.round((Date.now() - startedAt) / 100) / 10;

  // What is still being looked for would be answered now, and what was answered twice would be seen.
  const last = known.length + messages;
  places[0]?.say(last);
  await allAnswered(setting, places);
  for (const { channelId, numbers } of places) expect(setting.said(channelId).flatMap(answeredBy)).toEqual(numbers);
  console.log(`everything was answered after ${recoverySeconds} s`);
});

async function allAnswered(setting: DiscordSetting, places: readonly Place[]): Promise<void> {
  const left = (): readonly number[] =>
    places.flatMap(({ channelId, numbers }) => {
      const answered = new Set(setting.said(channelId).flatMap(answeredBy));
      return numbers.filter((number) => !answered.has(number));
    });
  const describe = (): string => `Unanswered: ${left().join(', ')}`;
  await waitUntil(() => left().length === 0, { what: 'all answers', timeoutMs: patienceMs, describe });
}
