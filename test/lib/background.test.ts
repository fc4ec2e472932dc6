import { expect, test } from 'vitest';
import { Background } from '../../src/lib/background.ts';
import { RecordingHost } from '../support/recording-host.ts';

test('a task that fails is logged in its own words, and the others go on', async () => {
  const { log, logged } = new RecordingHost();
  const background = new Background(log);
  const done: string[] = [];
  background.run('the first could not be done', async () => {
    throw new Error('It broke.');
  });
  background.run('the second could not be done', async () => {
    await Promise.resolve();
    done.push('second');
  });
  await background.settled();
  expect(done).toEqual(['second']);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toMatch(/the first could not be done .*It broke/);
});
