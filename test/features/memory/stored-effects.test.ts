import { expect, test } from 'vitest';
import { deadly, killedBeforeEnd, stopAmidTries } from '../../engine/killed-before-end.ts';
import { daemonSetting } from '../../support/daemon-setting.ts';
import { call, resultsOf } from '../../support/scripted-model.ts';
import { waitUntil } from '../../support/wait-for.ts';

test('what was stored by a call that was killed before its end is not there, and is stored once after the restart', () =>
  killedBeforeEnd('memory_store', { text: 'Ada likes tea.' }, { table: 'memories' }));

test('a search that was killed before its end is made again', () => killedBeforeEnd('memory_search', { query: 'tea' }));

test('what is forgotten, and what is cancelled, is there until the call has ended', async () => {
  let executed = 0;
  const { setting, channel, model } = await daemonSetting({
    crashPoint: (point) => {
      if (point === 'call-executed') executed += 1;
    },
  });
  model.next([call('memory_store', { text: 'Ada likes tea.' })], 'noted');
  await channel.ask('remember', 'noted');
  const [memory] = setting.rows('SELECT id FROM memories');
  setting.tamper(deadly);
  model.next([call('memory_forget', { id: String(memory?.id) })]);
  await channel.say('forget');
  await expect
    .poll(() => setting.rows(`SELECT name FROM calls WHERE state = 'begun'`))
    .toEqual([{ name: 'memory_forget' }]);
  await expect.poll(() => executed).toBe(2);
  await stopAmidTries(setting);
  expect(setting.rows('SELECT id FROM memories')).toEqual([memory]);
  setting.tamper('DROP TRIGGER dead');
  model.next('Forgotten.');
  await setting.start();
  await channel.sees('Forgotten.');
  expect(setting.rows('SELECT id FROM memories')).toEqual([]);
  expect(setting.rows('SELECT DISTINCT outcome FROM calls')).toEqual([{ outcome: 'success' }]);
});

test('a call that changes only our own store is not called unknown once its failure can be stored', async () => {
  const { setting, channel, model } = await daemonSetting();
  const { clock } = setting;
  model.next([call('memory_store', { text: 'Ada likes tea.' })], 'It is not noted.');
  setting.tamper(deadly);
  await channel.say('remember');
  await waitUntil(() => clock.waits.some((wait) => wait >= 750 && wait <= 1_000), { what: 'the next try' });
  setting.tamper('DROP TRIGGER dead');
  clock.advance(1_000);
  await channel.sees('It is not noted.');
  expect(resultsOf(model.last)).toEqual(['memory_store failed, and has changed nothing.']);
  expect(channel.textsIn('test:ada').join()).not.toContain('unknown');
});
