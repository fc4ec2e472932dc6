import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadFeatures } from '../../../src/daemon/command-menu.ts';
import { scheduleIntake } from '../../../src/features/planning/intake.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { direct } from '../../support/deed.ts';
import { wholeSchema } from '../../support/whole-schema.ts';
import { hour, minute, planningSetting, untilNine } from './planning-setting.ts';

const conversation = direct('test');
const former = {
  principal: 'test:ada',
  accounts: ['test:ada'],
  name: 'ada',
  conversation,
  title: 'News',
  text: 'tell me the news',
  cron: '0 9 * * *',
  timeZone: 'UTC',
  untrusted: ['Elsewhere: jobs.json'],
};

test('a task of another program is done at its time, in a chat where nobody has talked, and counts as untrusted', async () => {
  const { setting, clock, channel, model } = await planningSetting();
  await setting.stop();
  const nextAt = clock.now() + untilNine;
  const database = openDatabase(join(setting.folder, 'data/keyturn.db'), await loadFeatures());
  const place = { config: wholeSchema().parse({}), at: clock.now() };
  const isKnown = (known: Parameters<typeof scheduleIntake.isKnown>[0]) => scheduleIntake.isKnown(known, database.sql);
  const matter = { ...former, nextAt };
  expect(await isKnown(matter)).toBe(false);
  expect(await database.write((sql) => scheduleIntake.store(matter, { ...place, sql }))).toBe('stored');
  // The same at another time of the same plan is the same.
  expect(await isKnown({ ...matter, nextAt: nextAt + hour })).toBe(true);
  expect(await isKnown({ ...matter, text: 'tell me other news' })).toBe(false);
  expect(await isKnown({ ...matter, cron: undefined })).toBe(false);
  await database.close();
  await setting.start();
  model.next('Here is the news.');
  clock.advance(untilNine + minute);
  await channel.sees('Here is the news.', 'test:ada');
  expect(setting.rows('SELECT taint_sources FROM conversations')).toEqual([
    { taint_sources: JSON.stringify(former.untrusted) },
  ]);
});
