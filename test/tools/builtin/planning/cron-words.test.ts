import { expect, test } from 'vitest';
import { cronWords } from '../../../../src/tools/builtin/planning/cron-words.ts';

test.each([
  ['0 9 * * 1-5', 'every weekday at 09:00'],
  ['0 9 * * MON-FRI', 'every weekday at 09:00'],
  ['5 9 * * *', 'every day at 09:05'],
  ['0 9,17 * * *', 'every day at 09:00 and 17:00'],
  ['0 9 * * 1', 'every Monday at 09:00'],
  ['0 9 * * 7', 'every Sunday at 09:00'],
  ['0 9 * * mon,wed,fri', 'every Monday, Wednesday and Friday at 09:00'],
  ['0 9 * * 0,6', 'every Saturday and Sunday at 09:00'],
  ['0 9 1 * *', 'on day 1 of every month at 09:00'],
  ['0 9 L * *', 'on the last day of every month at 09:00'],
  ['* * * * *', 'every minute'],
  ['*/15 * * * *', 'every 15 minutes'],
  ['*/15 * * * 1-5', 'every 15 minutes, every weekday'],
  ['30 * * * *', 'every hour at minute 30'],
  ['0 */2 * * *', 'every 2 hours at minute 0'],
  // What is not plain stays as it is, so that nobody reads something else than what will be.
  ['*/7 * * * *', 'at the times of `*/7 * * * *`'],
  ['0 9 1 * 1', 'at the times of `0 9 1 * 1`'],
  ['0 9 * 1 *', 'at the times of `0 9 * 1 *`'],
  ['0 9-17 * * *', 'at the times of `0 9-17 * * *`'],
  ['0 9 * * 6,6', 'at the times of `0 9 * * 6,6`'],
  ['0 25 * * *', 'at the times of `0 25 * * *`'],
  ['nonsense', 'at the times of `nonsense`'],
])('"%s" is %s', (expression, words) => {
  expect(cronWords(expression)).toBe(words);
});
