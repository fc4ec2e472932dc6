import { expect, test } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';
import { wordsOf } from '../support/scripted-model.ts';

test('what comes in pieces is answered once, a second after the last of them', async () => {
  const { model, channel, clock } = await daemonSetting();
  await channel.say('one', { isPiece: true });
  clock.advance(900);
  await channel.say('two', { isPiece: true });
  clock.advance(900);
  await channel.say('three', { isPiece: true });
  expect(model.requests).toEqual([]);
  clock.advance(1000);
  await channel.seesAtRest('three');
  expect(model.requests.map(wordsOf)).toEqual(['one\n\ntwo\n\nthree']);
});

test('what was not answered yet when the process ended is answered by the next one', async () => {
  const setting = await daemonSetting();
  const { model, channel } = setting;
  await channel.say('one', { isPiece: true });
  await setting.restart();
  expect(wordsOf(await model.asked(1))).toBe('one');
});

test('a whole message behind the pieces waits for nothing', async () => {
  const { model, channel } = await daemonSetting();
  await channel.say('one', { isPiece: true });
  await channel.say('what is that?');
  expect(wordsOf(await model.asked(1))).toBe('one\n\nwhat is that?');
});
