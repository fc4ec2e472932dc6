import { expect, test } from 'vitest';
import { askedSetting } from '../engine/deploy-setting.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { held } from '../support/scripted-model.ts';

const marking = { channel: { marks: true } };

test('a message is marked when it was stored, when it is being worked on, and when it is answered', async () => {
  const { model, channel } = await daemonSetting(marking);
  const first = held('done');
  model.next(first.script);
  await channel.say('one', { key: 'm1' });
  await channel.changes.waitFor(() => channel.marked.includes('m1 working'), { what: 'the mark' });
  first.release();
  await channel.changes.waitFor(() => channel.marked.includes('m1 done'), { what: 'the mark' });
  expect(channel.marked).toEqual(['m1 seen', 'm1 working', 'm1 done']);
});

test('a message that waits for the run before it is marked as seen only', async () => {
  const { model, channel } = await daemonSetting(marking);
  const first = held('done');
  model.next(first.script);
  await channel.say('one', { key: 'm1' });
  await model.asked(1);
  await channel.say('two', { key: 'm2' });
  await channel.changes.waitFor(() => channel.marked.includes('m2 seen'), { what: 'the mark' });
  expect(channel.marked).not.toContain('m2 working');
  first.release();
  await channel.changes.waitFor(() => channel.marked.includes('m2 done'), { what: 'the mark' });
  expect(channel.marked.filter((mark) => mark.startsWith('m2'))).toEqual(['m2 seen', 'm2 working', 'm2 done']);
});

test('a message whose run waits for a person is marked as being worked on until the person has decided, also after a restart', async () => {
  const { channel, setting, card } = await askedSetting({ ...marking, answers: ['deployed'], deed: { key: 'm1' } });
  await channel.whenIdle();
  expect(channel.marked).toEqual(['m1 seen', 'm1 working']);
  await setting.restart();
  await channel.press(card);
  await channel.changes.waitFor(() => channel.marked.includes('m1 done'), { what: 'the mark' });
});

test('marks that are not shown yet are replaced by newer ones, and hold nothing up', async () => {
  const { channel } = await daemonSetting(marking);
  const release = channel.holdMarks();
  await channel.askAtRest('one', 'echo: one', { key: 'm1' });
  release();
  await channel.changes.waitFor(() => channel.marked.includes('m1 done'), { what: 'the mark' });
  expect(channel.marked).toEqual(['m1 seen', 'm1 done']);
});
