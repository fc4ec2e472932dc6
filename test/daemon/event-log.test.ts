import { expect, test } from 'vitest';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { ModelError } from '../../src/models/language-model.ts';
import { firstPause } from '../../src/models/patience.ts';
import type { DaemonSetting } from '../support/daemon-setting.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { held } from '../support/scripted-model.ts';
import { waitUntil } from '../support/wait-for.ts';

type Line = Readonly<Record<string, unknown>>;

async function logged() {
  const lines: Line[] = [];
  const note = (fields: object, msg: string): void => void lines.push({ ...fields, msg });
  const log: Log = { ...silentLog, debug: note, info: note, child: () => silentLog };
  const setting = await daemonSetting({ log, config: { agent: { last_try_after_secs: 0 } } });
  const about = (words: string): readonly Line[] => lines.filter(({ msg }) => msg === words);
  return { setting, about };
}

/** The ways in which the first answer of a run does not come. */
const ends: readonly (readonly [string, (setting: DaemonSetting) => Promise<void>])[] = [
  ['is killed', (setting) => setting.dies()],
  ['is told to end', (setting) => setting.stop()],
];

test.each(ends)('a run whose process %s while its model thinks began once, and ends once', async (_what, ending) => {
  const { setting, about } = await logged();
  const { channel, model, clock } = setting;
  const slow = held('too late');
  model.next(slow.script, 'here I am');
  await channel.say('hello');
  await model.asked(1);
  // A request is stored once it takes a second.
  await waitUntil(() => setting.rows(`SELECT 1 FROM attempts WHERE kind = 'ask'`).length > 0, {
    meanwhile: () => clock.advance(100),
  });
  await ending(setting);
  slow.release();
  await setting.start();
  await channel.sees('here I am');
  const run = expect.objectContaining({ conversation: 'test:ada', run: 'run1' });
  await expect.poll(() => about('run ended')).toEqual([run]);
  expect(about('run began')).toEqual([run]);
  expect(about('run ended')).toMatchObject([{ outcome: 'answered', calls: 0 }]);
});

test('a run that waits for its model began once, and tells each of its requests', async () => {
  const { setting, about } = await logged();
  const { channel, model, clock } = setting;
  const broken = (): never => {
    throw new ModelError('transient', 'no answer');
  };
  model.next('first', broken, 'here I am');
  await channel.ask('one', 'first');
  await channel.say('two');
  await expect.poll(() => about('model asked')).toHaveLength(2);
  await clock.passes(firstPause);
  await channel.sees('here I am');
  await expect.poll(() => about('run ended')).toHaveLength(2);
  expect(about('run began')).toHaveLength(2);
  expect(about('model asked').map(({ outcome }) => outcome)).toEqual(['answered', 'transient', 'answered']);
  expect(about('run ended').at(-1)).toMatchObject({ outcome: 'answered', modelCalls: 2 });
});

test('a person who stops a run is told of as its end', async () => {
  const { setting, about } = await logged();
  const { channel, model } = setting;
  const slow = held('too late');
  model.next(slow.script);
  await channel.say('hello');
  await model.asked(1);
  await channel.ask('/stop', /./);
  slow.release();
  await channel.whenIdle();
  expect(about('run ended')).toMatchObject([{ run: 'run1', outcome: 'stopped', modelCalls: 1 }]);
  expect(about('model asked')).toMatchObject([{ outcome: 'stopped' }]);
  expect(about('message received').map(({ kind }) => kind)).toEqual(['message', 'command']);
});
