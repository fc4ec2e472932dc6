import { expect, test } from 'vitest';
import { settings } from '../../channels/telegram/settings.ts';
import { crossFaults } from '../../src/config/cross-checks.ts';
import { wordsIn } from '../../src/lib/words.ts';
import { aroundOf, wholeSchema } from '../support/whole-schema.ts';
import { faultsOf } from './load-text.ts';

test.each([
  ['CST', 'Asia/Shanghai (UTC+8)'],
  ['Beijing', 'Write "Asia/Shanghai".'],
  ['Nowhere', 'There is no time zone "Nowhere".'],
])('the time zone %s of a group is refused in words', async (zone, words) => {
  const group = { '-100': { time_zone: zone } };
  const config = wholeSchema({ telegram: settings }).parse({
    channels: { telegram: { enabled: true, token: '123456789:AAEhBOweik9ai2o01234567890abcdefghijk', groups: group } },
  });
  const [fault, ...others] = await crossFaults(aroundOf(config, ['telegram']));
  expect(fault?.path).toEqual(['channels', 'telegram', 'groups', '-100', 'time_zone']);
  expect(wordsIn('en', fault?.text ?? '')).toContain(words);
  expect(others).toEqual([]);
});

test.each(['CST', 'Beijing', 'Nowhere'])('the time zone %s of a person, and the default, are refused', (zone) => {
  const read = (config: unknown) => wholeSchema({ telegram: settings }).safeParse(config).success;
  expect(read({ people: { ada: { accounts: ['telegram:1'], time_zone: zone } } })).toBe(false);
  expect(read({ tools: { schedule: { time_zone: zone } } })).toBe(false);
  expect(read({ people: { ada: { accounts: ['telegram:1'], time_zone: 'Asia/Shanghai' }, bob: ['telegram:2'] } })).toBe(
    true,
  );
});

test.each([
  [
    'CST',
    'expected a time zone, such as "Europe/Berlin", but found "CST". "CST" is no time zone by itself: it may mean ',
  ],
  ['北京', 'expected a time zone, such as "Europe/Berlin", but found "北京". Write "Asia/Shanghai".'],
  [
    'Nowhere',
    'expected a time zone, such as "Europe/Berlin", but found "Nowhere". There is no time zone "Nowhere". Use ',
  ],
])('the time zone %s is refused in sentences that end once', async (zone, words) => {
  const text = `{ "tools": { "schedule": { "time_zone": ${JSON.stringify(zone)} } } }`;
  const said = await faultsOf(text);
  expect(said).toContain(words);
  expect(said).not.toMatch(/\.[.,;]/);
});
